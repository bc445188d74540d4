/**
 * By how much the event loop is late. Node measures it; two measurements take turns, a minute each, so that what is shown covers the
 * last one to two minutes, however often and by how many it is asked for. They begin with the first question, so that metrics which nobody scrapes measure
 * nothing.
 *
 *     idle ──asked──▶ measuring ──close──▶ idle
 */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Series } from './counts.ts';

const RESOLUTION_MS = 20;
const TURN_MS = 60_000;
const PERCENTILES = [50, 90, 99, 100] as const;

type IntervalHistogram = ReturnType<typeof monitorEventLoopDelay>;

export class LoopDelay {
  /** The one that has measured for longer comes first. */
  #windows: [IntervalHistogram, IntervalHistogram] | undefined;
  #turnedAt = 0;

  series(): readonly Series[] {
    const now = performance.now();
    if (this.#windows === undefined) {
      this.#windows = [measuring(), measuring()];
      this.#turnedAt = now;
    }
    if (now - this.#turnedAt > TURN_MS) {
      this.#windows[0].reset();
      this.#windows.reverse();
      this.#turnedAt = now;
    }
    const [longer] = this.#windows;
    if (longer.count === 0) return [];
    return PERCENTILES.map((percentile) => ({
      values: [String(percentile)],
      point: secondsOf(longer, percentile),
    }));
  }

  close(): void {
    for (const window of this.#windows ?? []) window.disable();
    this.#windows = undefined;
  }
}

function measuring(): IntervalHistogram {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  histogram.enable();
  return histogram;
}

/** The measurement has its own period in it. */
function secondsOf(histogram: IntervalHistogram, percentile: number): number {
  const nanoseconds = histogram.percentile(percentile);
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
}

/**
 * The monitor of a running schedule: a sink for its trace, a notice for each violation as it is found, and one whenever the verdict
 * changes.
 *
 *     judging ──giveUp──▶ silent
 *        └──close──▶ closed
 *
 * A violation is a notice as soon as it is found. A start that never comes shows only in the verdict, so that is asked for now and then.
 */

import { type FreezeWatch, type TraceEntry, type TraceSink, withFreezes } from '../../index.ts';
import { createMonitor, type LiveMonitor, type Verdict, type Violation } from '../../theory/index.ts';
import { messageOf } from '../terminal/text.ts';
import type { Notice } from './reporter.ts';

const LOOK_EVERY_MS = 10_000;
/** Of the time, at most one part in so many is spent on verdicts. */
const SHARE = 50;

export class Monitoring {
  readonly #now: () => number;
  readonly #tell: (notice: Notice) => void;
  readonly #monitor: LiveMonitor;
  #state: 'remembering' | 'judging' | 'silent' | 'closed' = 'remembering';
  #watched: FreezeWatch | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastAt: number | undefined;
  #shown: string | undefined;
  #verdict: Verdict | undefined;

  constructor(now: () => number, tell: (notice: Notice) => void) {
    this.#now = now;
    this.#tell = tell;
    this.#monitor = createMonitor({ onViolation: (violation) => this.#violated(violation) });
  }

  /** As of the last look. */
  get verdict(): Verdict | undefined {
    return this.#verdict;
  }

  /** A line of the trace of earlier lives. */
  remember(entry: TraceEntry): void {
    this.#lastAt = entry.record?.at ?? this.#lastAt;
    this.#monitor.sink(entry);
  }

  giveUp(): void {
    this.#state = 'silent';
  }

  readonly sink: TraceSink = (record) => {
    if (this.#state === 'silent' || this.#state === 'closed') return;
    if (this.#state === 'remembering') this.#begin();
    this.#watched?.(record);
    if (record.event === 'InitSuccess') this.#lookIn(0); // so that the user sees that it is judged
  };

  /** Gives the verdict once more, whether or not it has changed. */
  async close(): Promise<void> {
    const closed = this.#watched?.close();
    if (this.#state === 'judging') {
      this.#shown = undefined;
      this.#look();
    }
    this.#state = 'closed';
    clearTimeout(this.#timer);
    await closed;
  }

  #begin(): void {
    this.#state = 'judging';
    this.#watched = withFreezes(this.#monitor.sink, {
      now: this.#now,
      lastAt: this.#lastAt,
      onError: (error) => this.#trouble(`the monitor does not see freezes: ${messageOf(error)}`),
    });
    this.#lookIn(LOOK_EVERY_MS);
  }

  #violated(violation: Violation): void {
    if (this.#state !== 'judging') return; // of an earlier life, which had its own notice
    this.#tell({ type: 'Violation', at: this.#now(), violation });
    this.#lookIn(0);
  }

  #lookIn(delayMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), delayMs);
    this.#timer.unref(); // a verdict is no reason to stay
  }

  #look(): void {
    const began = performance.now();
    const verdict = this.#monitor.verdict();
    this.#verdict = verdict;
    const key = JSON.stringify([
      verdict.blame,
      Object.entries(verdict.axioms)
        .filter(([, { status }]) => status === 'violated')
        .map(([id]) => id),
    ]);
    if (key !== this.#shown) this.#tell({ type: 'Verdict', at: this.#now(), verdict });
    this.#shown = key;
    this.#lookIn(Math.max(LOOK_EVERY_MS, SHARE * (performance.now() - began)));
  }

  #trouble(message: string): void {
    this.#tell({ type: 'Trouble', at: this.#now(), message });
  }
}

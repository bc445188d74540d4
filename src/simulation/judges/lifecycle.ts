/** How long `initialize` and `stop` may wait: for a lock as long as was asked, for a store that does not answer no longer than they say. */
import { StoreLockedError } from '../../store/errors.ts';
import { LOCK_POLL_MS } from '../machine/disk.ts';
import type { Surroundings } from '../machine/surroundings.ts';

/** How long a scheduler may wait for a lock without asking whether it is still wanted. */
const LOCK_SLICE_MS = 1000;
const SLACK_MS = 100;

/** All times are those of the clock that does not step. */
export class Waits {
  readonly #world: Surroundings;
  #initializingSince = 0;
  #initializedAt = 0;
  /** Since when it has been stopping, and how long nobody could do anything before that. */
  #stopping: { readonly since: number; readonly burnt: number } | undefined;

  /** Whether the event loop was held during the last stop: its time may then be up before the answer of the store is heard. */
  wasHeld = false;

  constructor(world: Surroundings) {
    this.#world = world;
  }

  initCalled(): void {
    this.#initializingSince = this.#world.timeline.passed;
    this.#stopping = undefined;
  }

  died(): void {
    this.#stopping = undefined;
  }

  initEnded(error?: Error): void {
    this.#initializedAt = this.#world.timeline.passed;
    if (error instanceof StoreLockedError) this.#lockWasWaitedFor();
  }

  stopCalled(): void {
    const { passed: since, burnt } = this.#world.timeline;
    this.#stopping = { since, burnt };
  }

  /** From the last end on, a stop may take its last write, and closing the store, each for so long and no longer (D7). */
  stopEnded(lastEndAt: number): void {
    const stopping = this.#stopping;
    if (stopping === undefined) return;
    this.#stopping = undefined;
    const { model, timeline, scenario } = this.#world;
    const { finalWriteMs } = scenario;
    this.wasHeld = timeline.burnt > stopping.burnt;
    const from = Math.max(stopping.since, this.#initializedAt, lastEndAt);
    const tookMs = timeline.passed - from - (timeline.burnt - stopping.burnt);
    if (tookMs > 2 * finalWriteMs + SLACK_MS)
      model.blame('D7', `stop took ${tookMs} ms after the last end, and may try for ${finalWriteMs} ms`);
  }

  /** A store that is in use is waited for as long as was asked, unless a stop comes: then nobody wants it any more (E6, D7). */
  #lockWasWaitedFor(): void {
    const { model, timeline, scenario, disk } = this.#world;
    const { lockWaitMs = 0, disk: mix } = scenario;
    const { passed, burnt } = timeline;
    const waitedMs = passed - this.#initializingSince;
    const stopping = this.#stopping;
    if (stopping === undefined) {
      if (waitedMs < lockWaitMs) model.blame('E6', `the store was waited for only ${waitedMs} ms`);
      return;
    }
    const tookMs = passed - stopping.since - (burnt - stopping.burnt);
    const isCalm = disk.troubledUntil < this.#initializingSince;
    if (isCalm && tookMs > LOCK_SLICE_MS + LOCK_POLL_MS + 2 * mix.latencyMs + SLACK_MS)
      model.blame('D7', `the store was waited for ${tookMs} ms after stop`);
  }
}

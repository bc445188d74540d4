/** From when on a start must be prompt: since when nothing outside the scheduler has delayed it. All times are in `passed`. */
import type { WorldTime } from './judge.ts';

export class Promptness {
  /** How long a start may take while nothing delays it. */
  readonly boundMs: number;
  readonly #time: WorldTime;
  #calmFrom = 0;
  #steadyFrom = 0;

  constructor(time: WorldTime, boundMs: number) {
    this.#time = time;
    this.boundMs = boundMs;
  }

  /** Something outside the scheduler delays it, for at most this long from now. */
  disturbed(graceMs: number): void {
    this.#steadyFrom = Math.max(this.#steadyFrom, this.#time.passed + graceMs);
    this.#calmFrom = Math.max(this.#calmFrom, this.#steadyFrom);
  }

  /** No worker was free until now. From now on the tasks that waited must start soon, and in the order in which they came. */
  workerFreed(): void {
    this.#calmFrom = Math.max(this.#calmFrom, this.#time.passed);
  }

  /** Since when nothing has delayed a start, apart from busy workers. */
  get steadyFrom(): number {
    return this.#steadyFrom;
  }

  /** Since when nothing has delayed a start. */
  get calmFrom(): number {
    return this.#calmFrom;
  }
}

/** How many runs are going, and the time in which no worker was free: who waited then has not waited for the scheduler. */
import type { Compute } from './compute.ts';

export class Workers {
  readonly #compute: Compute;
  #running = 0;
  #limit = Number.POSITIVE_INFINITY;
  #busySince = Number.NaN;

  constructor(compute: Compute) {
    this.#compute = compute;
  }

  /** No task runs. */
  get isQuiescent(): boolean {
    return this.#running === 0;
  }

  /** An initialization says how many there are. */
  setLimit(limit: number): void {
    this.#limit = limit;
  }

  /** A run begins (1) or ends (−1). Answers whether quiescence has changed. */
  runs(change: 1 | -1, now: number): boolean {
    const wasQuiescent = this.#running === 0;
    this.#running += change;
    if (this.#running >= this.#limit && Number.isNaN(this.#busySince)) this.#busySince = now;
    else if (this.#running < this.#limit && !Number.isNaN(this.#busySince)) {
      this.#free(now);
      this.#compute.trim(now);
    }
    return (this.#running === 0) !== wasQuiescent;
  }

  crash(now: number): void {
    this.#running = 0;
    if (!Number.isNaN(this.#busySince)) this.#free(now);
  }

  clockSetBack(to: number): void {
    if (this.#busySince > to) this.#busySince = to;
    this.#compute.clockSetBack(to);
  }

  #free(now: number): void {
    this.countBusy(now);
    this.#busySince = Number.NaN;
  }

  /** Up to now no worker was free, and that may go on. */
  countBusy(now: number): void {
    if (Number.isNaN(this.#busySince)) return;
    this.#compute.set(this.#busySince, now, 0, 'workers');
    this.#busySince = now;
  }
}

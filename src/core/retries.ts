/**
 * When to look at tasks that wait for a retry. If a due instant starts the task before its deadline, the deadline is stale, but
 * may stay in the heap. `advance` skips stale deadlines: a task that is queued for nothing would later stand before tasks that
 * have waited longer (X4). Stale deadlines take memory: a task that fails every minute with a delay of a day would leave a
 * thousand. When most deadlines are stale, the heap is built again.
 */
import { InstantHeap } from './heap.ts';
import type { Tasks } from './tasks.ts';

export class Retries {
  readonly #tasks: Tasks;
  readonly #deadlines = new InstantHeap();

  constructor(tasks: Tasks) {
    this.#tasks = tasks;
  }

  /** The next deadline; `Infinity` if there is none. */
  get next(): number {
    return this.#deadlines.earliest;
  }

  add(retryAt: number, task: number): void {
    this.#deadlines.push(retryAt, task);
    if (this.#deadlines.size > 2 * this.#tasks.count + 64) this.gather();
  }

  /** Calls back for tasks whose own deadline has come; stale deadlines are dropped. Looks at `limit` of them at most; answers whether that was all. */
  advance(now: number, limit: number, tell: (task: number) => void): boolean {
    for (let left = limit; this.#deadlines.earliest <= now; this.#deadlines.pop(), left--) {
      if (left === 0) return false;
      const { owner } = this.#deadlines;
      if (this.#tasks.retryOf(owner) <= now) tell(owner);
    }
    return true;
  }

  /** Builds the heap again from the deadlines that the tasks have. */
  gather(): void {
    this.#deadlines.clear();
    // Mostly there are few, or none: the search ends with the last of them.
    for (let task = 0; this.#deadlines.size < this.#tasks.retriesWaiting; task++) {
      const retryAt = this.#tasks.retryOf(task);
      if (!Number.isNaN(retryAt)) this.#deadlines.push(retryAt, task);
    }
  }
}

/**
 * When to look at tasks that wait for a retry. A deadline that a due instant overtook may stay here; when it comes, nobody is told,
 * because whoever is queued for nothing would be before others when its time has really come (X4). It takes room: a task that
 * fails every minute with a delay of a day would leave a thousand. When most are of that kind, all are gathered anew.
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

  /** Tells of every task whose deadline has come, and is still its own. */
  advance(now: number, tell: (task: number) => void): void {
    for (; this.#deadlines.earliest <= now; this.#deadlines.pop()) {
      const { owner } = this.#deadlines;
      if (this.#tasks.retryOf(owner) <= now) tell(owner);
    }
  }

  /** Begins anew with what the tasks say. */
  gather(): void {
    this.#deadlines.clear();
    for (let task = 0; task < this.#tasks.count; task++) {
      const retryAt = this.#tasks.retryOf(task);
      if (!Number.isNaN(retryAt)) this.#deadlines.push(retryAt, task);
    }
  }
}

/**
 * When to look at tasks that wait for a retry. Like the agenda it only says when: whether a retry is still owed is asked of the
 * task itself (A2), so a deadline that a due instant overtook may stay here. It does no harm but takes room: a task that fails
 * every minute with a delay of a day would leave a thousand. When most are of that kind, all are gathered anew.
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

  /** Tells of every task whose deadline has come. */
  advance(now: number, tell: (task: number) => void): void {
    for (; this.#deadlines.earliest <= now; this.#deadlines.pop()) tell(this.#deadlines.owner);
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

/** The numbers of tasks. None is given to another name, also when its task is gone: the history may have runs of it. */
import type { DatabaseSync } from 'node:sqlite';

export class TaskNumbers {
  readonly #db: DatabaseSync;
  #next: number | undefined;
  #saved = 0;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** The first of so many new numbers. */
  take(count: number): number {
    if (this.#next === undefined) {
      const sql = 'SELECT max(next_id, (SELECT coalesce(max(id), 0) + 1 FROM task)) AS next FROM progress';
      this.#next = Number(this.#db.prepare(sql).get()?.next);
      this.#saved = 0;
    }
    const first = this.#next;
    this.#next += count;
    return first;
  }

  /** To be called before the commit of a batch. */
  save(): void {
    if (this.#next === undefined || this.#next === this.#saved) return;
    this.#db.prepare('UPDATE progress SET next_id = ?').run(this.#next);
    this.#saved = this.#next;
  }

  /** A batch has failed. */
  spoil(): void {
    this.#next = undefined;
  }
}

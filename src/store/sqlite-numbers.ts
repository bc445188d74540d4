/**
 * The numbers of tasks, and the versions that new ones begin with. No number is given to another name, also when its task is gone: the history
 * may have runs of it. No name begins with a version that a forgotten one has had (K2).
 */
import type { DatabaseSync } from 'node:sqlite';

export class TaskNumbers {
  readonly #db: DatabaseSync;
  #next: number | undefined;
  #forgotten = 0;
  #saved = '';

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** The first of so many new numbers. */
  take(count: number): number {
    const first = this.#known();
    this.#next = first + count;
    return first;
  }

  /** A record of this version goes. */
  forget(version: number): void {
    this.#known();
    if (version > this.#forgotten) this.#forgotten = version;
  }

  /** The version of a name that comes now. */
  get firstVersion(): number {
    this.#known();
    return this.#forgotten + 1;
  }

  #known(): number {
    if (this.#next !== undefined) return this.#next;
    const sql = `SELECT max(next_id, (SELECT coalesce(max(id), 0) + 1 FROM task)) AS next, forgotten_version AS forgotten
      FROM progress`;
    const row = this.#db.prepare(sql).get();
    this.#next = Number(row?.next);
    this.#forgotten = Number(row?.forgotten);
    this.#saved = `${this.#next} ${this.#forgotten}`;
    return this.#next;
  }

  /** To be called before the commit of a batch. */
  save(): void {
    const now = `${this.#next} ${this.#forgotten}`;
    if (this.#next === undefined || now === this.#saved) return;
    const sql = 'UPDATE progress SET next_id = ?, forgotten_version = ?';
    this.#db.prepare(sql).run(this.#next, this.#forgotten);
    this.#saved = now;
  }

  /** A batch has failed. */
  spoil(): void {
    this.#next = undefined;
  }
}

/**
 * Other programs that write to the file, on the store's thread. They should not; but if one deletes the record of a task, a start
 * of that task would be durable in the journal alone, and the next scheduler would know nothing of it.
 *
 *     alone ──another program has committed, and there are fewer records than there should be──▶ suspicious
 *
 * *Alone*, a look costs one number that SQLite keeps (`data_version`). *Suspicious*, the record of each start and end is looked up. It
 * stays so until the file is closed: a program that has deleted once may do so again.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';

export class Strangers {
  readonly #version: StatementSync;
  readonly #count: StatementSync;
  readonly #find: StatementSync;
  #seenVersion: unknown;
  #records: unknown;
  #isSuspicious = false;

  constructor(db: DatabaseSync) {
    this.#version = db.prepare('PRAGMA data_version');
    this.#count = db.prepare('SELECT count(*) AS n FROM task');
    this.#find = db.prepare('SELECT 1 FROM task WHERE id = ?');
    this.#seenVersion = this.#version.get()?.data_version;
    this.count();
  }

  /** To be called when a transaction has begun. */
  look(): void {
    const version = this.#version.get()?.data_version;
    if (version === this.#seenVersion) return;
    this.#seenVersion = version;
    if (this.#count.get()?.n !== this.#records) this.#isSuspicious = true;
  }

  /** This transaction makes records come or go: from here on there are so many. */
  count(): void {
    this.#records = this.#count.get()?.n;
  }

  /** Whether the record of a task is there, as far as that is in doubt. */
  hasLeft(id: number): boolean {
    if (!this.#isSuspicious) return !Number.isNaN(id);
    return this.#find.get(id) !== undefined;
  }
}

/** Records out of the table, a page at a time, on the store's thread. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Page, pageOf, RECORD_COLUMNS } from './page.ts';

const COLUMN_LIST = RECORD_COLUMNS.join(', ');

/** A page, and where the next one begins; `null` after the last. */
export interface PageAnswer {
  readonly page: Page;
  readonly next: number | null;
}

export class Reader {
  readonly #db: DatabaseSync;
  #after: StatementSync | undefined;
  #named: StatementSync | undefined;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  /** Up to `limit` records whose id is greater than `after`. */
  pageAfter(after: number, limit: number): PageAnswer {
    this.#after ??= this.#prepare('WHERE id > ? ORDER BY id LIMIT ?');
    const rows = rowsOf(this.#after, after, limit);
    const last = rows.at(-1)?.[0];
    return { page: pageOf(rows, 1, 'checked'), next: rows.length < limit ? null : Number(last) };
  }

  /** The records of the given names; absent ones are left out, repeated ones come once. */
  named(names: readonly string[]): Page {
    this.#named ??= this.#prepare('WHERE name = ?');
    const statement = this.#named;
    return pageOf(
      [...new Set(names)].flatMap((name) => rowsOf(statement, JSON.stringify(name))),
      1,
      'checked',
    );
  }

  #prepare(condition: string): StatementSync {
    const statement = this.#db.prepare(`SELECT id, ${COLUMN_LIST} FROM task ${condition}`);
    statement.setReturnArrays(true);
    return statement;
  }
}

/** All rows as arrays. A number too large for JavaScript can only be damage: then the page is read again, number by number. */
function rowsOf(statement: StatementSync, ...values: Array<string | number>): unknown[][] {
  try {
    return arrays(statement.all(...values));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    statement.setReadBigInts(true);
    try {
      return arrays(statement.all(...values)).map((row) => row.map(smallest));
    } finally {
      statement.setReadBigInts(false);
    }
  }
}

/** As a number where that is exact. */
export const smallest = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** `setReturnArrays` is not in the types of `all`: the check makes the boundary safe. */
function arrays(rows: readonly unknown[]): unknown[][] {
  return rows.map((row) => {
    if (!Array.isArray(row)) throw new TypeError('expected rows as arrays');
    return row;
  });
}

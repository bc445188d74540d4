/** Records out of the table, on the store's thread: rows, and what the journal says of them that they do not say yet. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Page, pageOf, RECORD_COLUMNS } from './page.ts';
import { type Journal, once } from './sqlite-journal.ts';
import type { Unfolded } from './unfolded.ts';
import { STATE_COLUMNS } from './unfolded-slot.ts';

/** A page, the numbers of its rows, and where the next one begins; `null` after the last. */
export interface PageAnswer {
  readonly page: Page;
  readonly ids: Float64Array<ArrayBuffer>;
  readonly next: number | null;
}

/** What a file of version 1 has instead of the columns that came later. */
const BEFORE_2: Readonly<Record<string, string>> = {
  failures: '0',
  failing_since: 'NULL',
  last_error: 'NULL',
  last_duration_ms: 'NULL',
  run_reason: "CASE WHEN coalesce(run_id, run_instance_id, run_started_at) IS NULL THEN NULL ELSE 'due' END",
  run_cut_off_at: 'NULL',
};

/** Where each state column is in a row that begins with the id. */
const PLACES = STATE_COLUMNS.map(([column]) => 1 + RECORD_COLUMNS.indexOf(column));

export class Reader {
  readonly #journal: Journal | undefined;
  readonly #after: () => StatementSync;
  readonly #named: () => StatementSync;
  readonly #id: () => StatementSync;

  /** A file of version 1 has no journal. */
  constructor(db: DatabaseSync, journal: Journal | undefined) {
    this.#journal = journal;
    const columns = RECORD_COLUMNS.map((name) => (journal === undefined ? (BEFORE_2[name] ?? name) : name));
    const prepare = (condition: string): StatementSync => {
      const statement = db.prepare(`SELECT id, ${columns.join(', ')} FROM task ${condition}`);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#after = once(() => prepare('WHERE id > ? ORDER BY id LIMIT ?'));
    this.#named = once(() => prepare('WHERE name = ?'));
    this.#id = once(() => db.prepare('SELECT id FROM task WHERE name = ?'));
  }

  /** Up to `limit` records whose id is greater than `after`. */
  pageAfter(after: number, limit: number): PageAnswer {
    const answer = this.#answer(rowsOf(this.#after(), after, limit));
    return { ...answer, next: answer.ids.length < limit ? null : (answer.ids.at(-1) ?? null) };
  }

  /** The records of the given names; absent ones are left out, repeated ones come once. */
  named(names: readonly string[]): PageAnswer {
    return this.#answer([...new Set(names)].flatMap((name) => rowsOf(this.#named(), JSON.stringify(name))));
  }

  /** The numbers of the given names, NaN for one that has no record. */
  ids(names: readonly string[]): Float64Array<ArrayBuffer> {
    return Float64Array.from(names, (name) => Number(this.#id().get(JSON.stringify(name))?.id ?? Number.NaN));
  }

  #answer(rows: unknown[][]): PageAnswer {
    const unfolded = this.#journal?.unfolded;
    const ids = new Float64Array(rows.length);
    for (let row = 0; row < rows.length; row++) {
      ids[row] = Number(rows[row][0]);
      if (unfolded !== undefined && !unfolded.isEmpty) addUnfolded(unfolded, ids[row], rows[row]);
    }
    return { page: pageOf(rows, 1, 'checked'), ids, next: null };
  }
}

/** Puts what the row does not say yet into its values. */
function addUnfolded(unfolded: Unfolded, id: number, values: unknown[]): void {
  const known = unfolded.known(id);
  if (known === 0) return;
  for (const [index, [, group, kind, at]] of STATE_COLUMNS.entries()) {
    if ((known & group) !== 0) values[PLACES[index]] = unfolded.value(id, kind, at);
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
function arrays(rows: unknown[]): unknown[][] {
  if (!areArrays(rows)) throw new TypeError('expected rows as arrays');
  return rows;
}

const areArrays = (rows: unknown[]): rows is unknown[][] => rows.every((row) => Array.isArray(row));

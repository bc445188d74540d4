/** Records out of the table, on the store's thread: rows, and what the journal says of them that they do not say yet. */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { type Page, pageOf, RECORD_COLUMNS } from './page.ts';
import { type Journal, once } from './sqlite-journal.ts';
import { MIGRATIONS } from './sqlite-schema.ts';
import type { Unfolded } from './unfolded.ts';
import { STATE_COLUMNS, VERSION } from './unfolded-slot.ts';

/** A page, the numbers of its rows, and where the next one begins; `null` after the last. */
export interface PageAnswer {
  readonly page: Page;
  readonly ids: Float64Array<ArrayBuffer>;
  readonly next: number | null;
}

/** Rows as they are, and their numbers. */
interface RowsAnswer {
  readonly rows: unknown[][];
  readonly ids: Float64Array<ArrayBuffer>;
}

/** What a file of an older version has instead of the columns that came later. */
const BEFORE_2: Readonly<Record<string, string>> = {
  failures: '0',
  failing_since: 'NULL',
  last_error: 'NULL',
  last_duration_ms: 'NULL',
  run_reason: "CASE WHEN coalesce(run_id, run_instance_id, run_started_at) IS NULL THEN NULL ELSE 'due' END",
  run_cut_off_at: 'NULL',
};
const BEFORE_3: Readonly<Record<string, string>> = { policy: 'NULL', paused_at: 'NULL' };
const BEFORE_4: Readonly<Record<string, string>> = { version: '1' };

/**
 * The columns of every record, and those that few have anything in. A page is read in the first; a row that has something in the others
 * is read again, whole. It takes as long to read a column that is empty as one that is not.
 */
const USUAL = [
  'name',
  'cron',
  'policy',
  'retry_delay_ms',
  'first_seen_at',
  'served_through',
  'last_attempt_at',
  'last_success_at',
  'last_duration_ms',
  'version',
];
const IS_UNUSUAL = `coalesce(${RECORD_COLUMNS.filter(
  (column) => !USUAL.includes(column) && column !== 'failures',
).join(', ')}) IS NOT NULL OR failures IS NOT 0`;
const USUAL_PLACES = USUAL.map((column) => 1 + RECORD_COLUMNS.indexOf(column));
/** A row with nothing but its failures. */
const EMPTY_ROW: readonly unknown[] = [
  null,
  ...RECORD_COLUMNS.map((column) => (column === 'failures' ? 0 : null)),
];

/** Where each state column is in a row that begins with the id. */
const PLACES = STATE_COLUMNS.map(([column]) => 1 + RECORD_COLUMNS.indexOf(column));

const VERSION_PLACE = 1 + RECORD_COLUMNS.indexOf('version');

const AFTER = 'WHERE id > ? ORDER BY id LIMIT ?';

export class Reader {
  readonly #journal: Journal | undefined;
  /** Columns that somebody has dropped, and their places in a row. A field that is not there is not the same as one that is empty (E7). */
  readonly #missing: () => ReadonlyMap<string, number>;
  readonly #after: () => StatementSync;
  readonly #usualAfter: () => StatementSync;
  readonly #whole: () => StatementSync;
  readonly #isWhole: () => boolean;
  readonly #named: () => StatementSync;
  readonly #id: () => StatementSync;

  /** A file of version 1 has no journal. Only a reader that owns nothing meets an older version. */
  constructor(db: DatabaseSync, journal: Journal | undefined, version = MIGRATIONS.length) {
    this.#journal = journal;
    const absent = {
      ...(version < 2 ? BEFORE_2 : {}),
      ...(version < 3 ? BEFORE_3 : {}),
      ...(version < 4 ? BEFORE_4 : {}),
    };
    const columns = RECORD_COLUMNS.map((name) => absent[name] ?? name);
    this.#missing = once(() => missingColumns(db, columns));
    const prepare = (condition: string): StatementSync => {
      const missing = this.#missing();
      const values = columns.map((name) => (missing.has(name) ? 'NULL' : name));
      const statement = db.prepare(`SELECT id, ${values.join(', ')} FROM task ${condition}`);
      statement.setReturnArrays(true);
      return statement;
    };
    this.#after = once(() => prepare(AFTER));
    this.#whole = once(() => prepare('WHERE id = ?'));
    this.#isWhole = () => version === MIGRATIONS.length && this.#missing().size === 0;
    this.#usualAfter = once(() => {
      const statement = db.prepare(`SELECT id, ${USUAL.join(', ')}, ${IS_UNUSUAL} FROM task ${AFTER}`);
      statement.setReturnArrays(true);
      return statement;
    });
    this.#named = once(() => prepare('WHERE name = ?'));
    this.#id = once(() => db.prepare('SELECT id FROM task WHERE name = ?'));
  }

  /** Up to `limit` records whose id is greater than `after`. */
  pageAfter(after: number, limit: number): PageAnswer {
    const rows = this.#rows(after, limit);
    const answer = this.#answer(rows);
    for (let row = 0; row < rows.length; row++) this.#learn(answer.ids[row], rows[row][VERSION_PLACE]);
    return { ...answer, next: answer.ids.length < limit ? null : (answer.ids.at(-1) ?? null) };
  }

  /** The owner of the file will be asked for the versions of its tasks. */
  #learn(id: number, version: unknown): void {
    if (typeof version === 'number') this.#journal?.unfolded.learn(id, version);
  }

  /** The rows of that page as they are, with their numbers. */
  rowsAfter(after: number, limit: number): RowsAnswer {
    const rows = this.#rows(after, limit);
    return { rows, ids: this.#completed(rows) };
  }

  /** The rows with these numbers, in their order. One that is not there is left out. */
  numbered(wanted: Iterable<number>): RowsAnswer {
    const rows = Array.from(wanted, (id) => rowsOf(this.#whole(), id)).flat();
    return { rows, ids: this.#completed(rows) };
  }

  #rows(after: number, limit: number): unknown[][] {
    if (!this.#isWhole()) return rowsOf(this.#after(), after, limit);
    const rows: unknown[][] = [];
    for (const usual of rowsOf(this.#usualAfter(), after, limit)) {
      const row = usual[USUAL.length + 1] === 0 ? widened(usual) : rowsOf(this.#whole(), Number(usual[0]))[0];
      // Another program has deleted it meanwhile.
      if (row === undefined) return rowsOf(this.#after(), after, limit);
      rows.push(row);
    }
    return rows;
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
    const ids = this.#completed(rows);
    return { page: pageOf(rows, 1, 'checked'), ids, next: null };
  }

  /** Adds what the journal says of the rows; answers their numbers. */
  #completed(rows: unknown[][]): Float64Array<ArrayBuffer> {
    const unfolded = this.#journal?.unfolded;
    const ids = new Float64Array(rows.length);
    for (let row = 0; row < rows.length; row++) {
      ids[row] = Number(rows[row][0]);
      if (unfolded !== undefined && !unfolded.isEmpty) addUnfolded(unfolded, ids[row], rows[row]);
      for (const place of this.#missing().values()) rows[row][place] = undefined;
    }
    return ids;
  }
}

/** The whole row of one that has nothing but the usual. */
function widened(usual: readonly unknown[]): unknown[] {
  const row = EMPTY_ROW.slice();
  row[0] = usual[0];
  for (let place = 0; place < USUAL_PLACES.length; place++) row[USUAL_PLACES[place]] = usual[place + 1];
  return row;
}

/** Of what is asked for, the columns that the table should have and has not; an expression is none. */
function missingColumns(db: DatabaseSync, asked: readonly string[]): ReadonlyMap<string, number> {
  const found = new Set(
    db
      .prepare("SELECT name FROM pragma_table_info('task')")
      .all()
      .map(({ name }) => name),
  );
  const places = asked.map((name, place) => [name, place + 1] as const);
  return new Map(places.filter(([name]) => RECORD_COLUMNS.includes(name) && !found.has(name)));
}

/** Puts what the row does not say yet into its values. */
function addUnfolded(unfolded: Unfolded, id: number, values: unknown[]): void {
  const known = unfolded.known(id);
  if (known === 0) return;
  for (const [index, [, group, kind, at]] of STATE_COLUMNS.entries()) {
    if ((known & group) === 0) continue;
    const [before, value] = [values[PLACES[index]], unfolded.value(id, kind, at)];
    values[PLACES[index]] = group === VERSION ? Math.max(Number(before), Number(value)) : value;
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

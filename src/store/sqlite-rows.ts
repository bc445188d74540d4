/**
 * Changes that are written to the rows of tasks at once, on the store's thread: records that come and go, configuration, and the few
 * changes of runs that are neither a start nor an end.
 *
 * The journal may have entries about such a task that are not folded into its row yet. So the row is brought up to date and changed in
 * one, as `runOverlayOf` says, and an entry `resets` follows: what the entries before it say of the task is over. If the row had been
 * folded further before a crash, replaying the entries after the reset comes to the same.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { PastRun } from '../core/history.ts';
import { NOTHING_YET, type TaskRecord } from '../core/record.ts';
import { StoreRecordMissingError } from './errors.ts';
import { cutOffRows } from './journal-entry.ts';
import { runOverlayOf } from './overlay.ts';
import { type Page, RECORD_COLUMNS, valuesOf } from './page.ts';
import { isShaped, unpackPage } from './page-records.ts';
import type { Batch, ConfigureChange, MoveChange, PauseChange, Refusal } from './port.ts';
import { type Journal, once } from './sqlite-journal.ts';
import type { TaskNumbers } from './sqlite-numbers.ts';
import { Reader } from './sqlite-read.ts';
import type { FreshSheet } from './wire.ts';

/** Rows per INSERT of new records: one statement per row would take half as long again. */
const FRESH_ROWS = 20;
const FRESH_COLUMNS = [
  'id',
  'name',
  'cron',
  'policy',
  'retry_delay_ms',
  'first_seen_at',
  'served_through',
  'version',
];

const insertSql = (columns: readonly string[], rows: number): string => {
  const row = `(${columns.map(() => '?').join(', ')})`;
  return `INSERT INTO task (${columns.join(', ')}) VALUES ${Array(rows).fill(row).join(', ')}`;
};

const freshSql = (rows: number): string => `${insertSql(FRESH_COLUMNS, rows)} ON CONFLICT (name) DO NOTHING`;

type FreshValue = string | number | null;

interface RefusedChange {
  readonly refusal: Refusal;
  readonly id: number;
}

interface Found {
  readonly id: number;
  readonly record: TaskRecord;
}

export class Rows {
  readonly #db: DatabaseSync;
  readonly #journal: Journal;
  readonly #reader: Reader;
  readonly #numbers: TaskNumbers;
  readonly #keepsHistory: boolean;
  readonly #statement: (sql: string) => StatementSync;
  readonly #insertFull: () => StatementSync;

  constructor(db: DatabaseSync, journal: Journal, numbers: TaskNumbers, keepsHistory: boolean) {
    this.#db = db;
    this.#numbers = numbers;
    this.#journal = journal;
    this.#reader = new Reader(db, journal);
    this.#keepsHistory = keepsHistory;
    this.#insertFull = once(() => db.prepare(freshSql(FRESH_ROWS)));
    const statements = new Map<string, StatementSync>();
    this.#statement = (sql) => {
      const statement = statements.get(sql) ?? db.prepare(sql);
      statements.set(sql, statement);
      return statement;
    };
  }

  /** The number of a task; `undefined` if it has no record. */
  idOf(name: string): number | undefined {
    const id = this.#statement('SELECT id FROM task WHERE name = ?').get(JSON.stringify(name))?.id;
    return id === undefined ? undefined : Number(id);
  }

  /** `undefined` if there is no such record. */
  nameOf(id: number): string | undefined {
    const name = this.#statement('SELECT name FROM task WHERE id = ?').get(id)?.name;
    return name === undefined ? undefined : String(JSON.parse(String(name)));
  }

  /** Inserts new records, and writes over those that are there. Answers their numbers. */
  insertFresh({ count, names, crons, policies, cronPlaces, numbers }: FreshSheet): number[] {
    const ids: number[] = [];
    const values: FreshValue[] = [];
    const first = this.#numbers.take(count);
    const { firstVersion } = this.#numbers;
    for (let row = 0; row < count; row++) {
      const place = cronPlaces[row];
      values.push(first + row, JSON.stringify(names[row]), crons[place], policies[place]);
      values.push(numbers[row * 3], numbers[row * 3 + 1], numbers[row * 3 + 2], firstVersion);
      this.#journal.unfolded.learn(first + row, firstVersion);
      ids.push(first + row);
      if (ids.length % FRESH_ROWS !== 0 && row < count - 1) continue;
      this.#insertNew(values, ids);
      values.length = 0;
    }
    return ids;
  }

  /** Inserts some rows. Where a name is taken, its row gets the values instead, and its number goes into the end of `ids`. */
  #insertNew(values: readonly FreshValue[], ids: number[]): void {
    const width = FRESH_COLUMNS.length;
    const rows = values.length / width;
    const insert = rows === FRESH_ROWS ? this.#insertFull() : this.#db.prepare(freshSql(rows));
    if (Number(insert.run(...values).changes) === rows) return;
    for (let row = 0; row < rows; row++) {
      const [id, storedName, cron, policy, retryDelayMs, firstSeenAt, servedThrough] = values.slice(
        row * width,
      );
      const name = String(JSON.parse(String(storedName)));
      const found = this.idOf(name);
      if (found === undefined || found === id) continue;
      ids[ids.length - rows + row] = found;
      this.#write(found, {
        ...NOTHING_YET,
        name,
        cron: String(cron),
        policy: policy === null ? null : String(policy),
        retryDelayMs: Number(retryDelayMs),
        firstSeenAt: Number(firstSeenAt),
        servedThrough: Number(servedThrough),
        version: this.#journal.unfolded.version(found) + 1,
      });
      this.#reset([found]);
    }
  }

  put(records: readonly TaskRecord[]): number[] {
    const resets: number[] = [];
    const ids = records.map((record) => {
      const found = this.idOf(record.name);
      if (found !== undefined) {
        this.#write(found, { ...record, version: this.#journal.unfolded.version(found) + 1 });
        resets.push(found);
        return found;
      }
      const id = this.#numbers.take(1);
      const version = this.#numbers.firstVersion;
      this.#statement(insertSql(['id', ...RECORD_COLUMNS], 1)).run(id, ...valuesOf({ ...record, version }));
      this.#journal.unfolded.learn(id, version);
      return id;
    });
    this.#reset(resets);
    return ids;
  }

  /** A name that is not there is no matter. Names of runs that the history has are kept. */
  remove(names: readonly string[]): void {
    const forget = 'INSERT INTO forgotten (id, name, seq) SELECT id, name, ? FROM task WHERE id = ?';
    const ids = names.map((name) => this.idOf(name)).filter((id) => id !== undefined);
    for (const id of ids) {
      this.#numbers.forget(this.#journal.unfolded.version(id));
      if (this.#keepsHistory) this.#statement(forget).run(this.#journal.last, id);
      this.#statement('DELETE FROM task WHERE id = ?').run(id);
    }
    this.#reset(ids);
  }

  /** Answers what is refused. */
  configure(changes: readonly ConfigureChange[]): readonly RefusedChange[] {
    const find = this.#statement(
      'SELECT id, cron, retry_delay_ms AS retryDelayMs, policy FROM task WHERE name = ?',
    );
    const configure = this.#statement(
      'UPDATE task SET cron = ?, retry_delay_ms = ?, policy = ?, version = ? WHERE id = ?',
    );
    const { unfolded } = this.#journal;
    const refused: RefusedChange[] = [];
    for (const change of changes) {
      const { name, version, cron, retryDelayMs, policy } = change;
      const found = find.get(JSON.stringify(name));
      if (found === undefined) throw this.#missing(name, 'configures');
      const id = Number(found.id);
      if (found.cron === cron && found.retryDelayMs === retryDelayMs && found.policy === policy) continue;
      if (unfolded.version(id) === version) {
        configure.run(cron, retryDelayMs, policy, version + 1, id);
        unfolded.learn(id, version + 1);
      } else refused.push({ refusal: { change: 'configure', name }, id });
    }
    return refused;
  }

  /** A name that is not there is no matter. */
  pause(changes: readonly PauseChange[]): void {
    // Node 22 takes a numbered parameter for a named one.
    const pause = this.#statement(
      'UPDATE task SET paused_at = ?, version = ? WHERE id = ? AND paused_at IS NOT ?',
    );
    const { unfolded } = this.#journal;
    for (const { name, pausedAt } of changes) {
      const id = this.idOf(name);
      if (id === undefined) continue;
      const version = unfolded.version(id) + 1;
      // A pause that comes again raises nothing.
      if (pause.run(pausedAt, version, id, pausedAt).changes > 0) unfolded.learn(id, version);
    }
  }

  /** Answers what is refused. A clock step moves every task, so a move that the row alone decides is one statement. */
  move(changes: readonly MoveChange[], refusedIds: ReadonlySet<number>): readonly RefusedChange[] {
    const rowsSayAll = this.#journal.isFolded && this.#journal.unfolded.isEmpty && refusedIds.size === 0;
    if (!rowsSayAll) return this.change('moves', changes, refusedIds);
    const move =
      this.#statement(`UPDATE task SET served_through = ?, pending_retry_until = ?, version = version + 1
      WHERE name = ? AND version = ? RETURNING id`);
    const isMoved = ({ name, version, servedThrough, pendingRetryUntil }: MoveChange): boolean => {
      const moved = move.get(servedThrough, pendingRetryUntil, JSON.stringify(name), version);
      if (moved !== undefined) this.#journal.unfolded.learn(Number(moved.id), version + 1);
      return moved !== undefined;
    };
    return this.change(
      'moves',
      changes.filter((change) => !isMoved(change)),
      refusedIds,
    );
  }

  /** Answers what is refused. */
  change<Part extends 'cutOffs' | 'unstarts' | 'moves'>(
    part: Part,
    changes: ReadonlyArray<{ readonly name: string }>,
    refusedIds: ReadonlySet<number>,
  ): readonly RefusedChange[] {
    if (changes.length === 0) return [];
    const found = this.#records(changes.map(({ name }) => name));
    const records = new Map([...found].map(([name, { record }]) => [name, record]));
    const idOf = (name: string): number => found.get(name)?.id ?? Number.NaN;
    const stays = changes.filter(({ name }) => !refusedIds.has(idOf(name)));
    const { overlay, refused, past } = runOverlayOf(records, { [part]: stays }, this.#journal.path);
    for (const [name, record] of overlay) if (record !== undefined) this.#write(idOf(name), record);
    this.#reset([...overlay.keys()].map(idOf));
    this.#journal.append(
      cutOffRows(
        past.map((run: PastRun) => ({ id: idOf(run.task), past: run })),
        this.#journal.names,
      ),
    );
    const built = changes.filter(({ name }) => refusedIds.has(idOf(name)));
    const change = part === 'unstarts' ? 'unstart' : 'move';
    return [...refused, ...built.map(({ name }): Refusal => ({ change, name }))].map((refusal) => ({
      refusal,
      id: idOf(refusal.name),
    }));
  }

  #records(names: readonly string[]): Map<string, Found> {
    const { page, ids } = this.#reader.named(names);
    const values: unknown[] = [];
    unpackPage(page, values);
    const found = new Map<string, Found>();
    for (const [row, record] of values.entries()) {
      if (isShaped(record)) found.set(record.name, { id: ids[row], record });
    }
    return found;
  }

  #write(id: number, record: TaskRecord): void {
    const sets = RECORD_COLUMNS.map((column) => `${column} = ?`).join(', ');
    this.#statement(`UPDATE task SET ${sets} WHERE id = ?`).run(...valuesOf(record), id);
    this.#journal.unfolded.learn(id, record.version);
  }

  /** What is stored of these tasks by now. */
  page(names: readonly string[]): Page {
    return this.#reader.named(names).page;
  }

  /** Also of tasks of which nothing is in memory: a row may say more than the marker shows. */
  #reset(ids: readonly number[]): void {
    for (const id of ids) this.#journal.unfolded.drop(id);
    if (this.#journal.isFolded) return;
    this.#journal.append({ part: 'resets', count: ids.length, cells: Float64Array.from(ids), errors: [] });
  }

  #missing(name: string, part: keyof Batch): StoreRecordMissingError {
    return new StoreRecordMissingError({
      path: this.#journal.path,
      taskName: name,
      change: part.slice(0, -1),
    });
  }
}

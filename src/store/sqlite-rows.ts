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
import { RECORD_COLUMNS, valuesOf } from './page.ts';
import { unpackPage } from './page-records.ts';
import type { Batch, ConfigureChange, MoveChange, PauseChange, Refusal } from './port.ts';
import { type Journal, once } from './sqlite-journal.ts';
import type { TaskNumbers } from './sqlite-numbers.ts';
import { Reader } from './sqlite-read.ts';
import type { FreshSheet } from './wire.ts';

/** Rows per INSERT of new records: one statement per row would take half as long again. */
const FRESH_ROWS = 20;
const FRESH_COLUMNS = ['id', 'name', 'cron', 'policy', 'retry_delay_ms', 'first_seen_at', 'served_through'];

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
    for (let row = 0; row < count; row++) {
      const place = cronPlaces[row];
      values.push(first + row, JSON.stringify(names[row]), crons[place], policies[place]);
      values.push(numbers[row * 3], numbers[row * 3 + 1], numbers[row * 3 + 2]);
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
      });
      this.#reset([found]);
    }
  }

  put(records: readonly TaskRecord[]): number[] {
    const resets: number[] = [];
    const ids = records.map((record) => {
      const found = this.idOf(record.name);
      if (found !== undefined) {
        this.#write(found, record);
        resets.push(found);
        return found;
      }
      const id = this.#numbers.take(1);
      this.#statement(insertSql(['id', ...RECORD_COLUMNS], 1)).run(id, ...valuesOf(record));
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
      if (this.#keepsHistory) this.#statement(forget).run(this.#journal.last, id);
      this.#statement('DELETE FROM task WHERE id = ?').run(id);
    }
    this.#reset(ids);
  }

  configure(changes: readonly ConfigureChange[]): void {
    const configure = this.#statement(
      'UPDATE task SET cron = ?, retry_delay_ms = ?, policy = ? WHERE name = ?',
    );
    for (const { name, cron, retryDelayMs, policy } of changes) {
      const { changes: rows } = configure.run(cron, retryDelayMs, policy, JSON.stringify(name));
      if (Number(rows) === 0) throw this.#missing(name, 'configures');
    }
  }

  /** A name that is not there is no matter. */
  pause(changes: readonly PauseChange[]): void {
    const pause = this.#statement('UPDATE task SET paused_at = ? WHERE name = ?');
    for (const { name, pausedAt } of changes) pause.run(pausedAt, JSON.stringify(name));
  }

  /** Answers what is refused. A clock step moves every task, so a move that the row alone decides is one statement. */
  move(changes: readonly MoveChange[], refusedIds: ReadonlySet<number>): readonly RefusedChange[] {
    const rowsSayAll = this.#journal.isFolded && this.#journal.unfolded.isEmpty && refusedIds.size === 0;
    if (!rowsSayAll) return this.change('moves', changes, refusedIds);
    const move = this.#statement(`UPDATE task SET served_through = ?, pending_retry_until = ?
      WHERE name = ? AND run_id IS ? AND last_attempt_at IS ?`);
    const isMoved = (change: MoveChange): boolean => {
      const { name, runId, lastAttemptAt, servedThrough, pendingRetryUntil } = change;
      const values = [servedThrough, pendingRetryUntil, JSON.stringify(name), runId, lastAttemptAt];
      return Number(move.run(...values).changes) === 1;
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

/** A page has every field of a record. What a damaged one holds is for the scheduler to name, and is written back as it is. */
const isShaped = (value: unknown): value is TaskRecord =>
  typeof Reflect.get(Object(value), 'name') === 'string';

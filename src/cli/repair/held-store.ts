/**
 * A store in our own hands: owned by the same lock that a scheduler takes (E6), so that none can run meanwhile, with its rows as they
 * are stored. Rows are known by their number here, since a damaged one may have no name by which to find it.
 */
import { chmodSync, existsSync, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import type { TaskRecord } from '../../core/record.ts';
import { StoreDamagedError, StoreLockedError, StoreMissingError } from '../../store/errors.ts';
import { storeErrorOf } from '../../store/failure.ts';
import { pageOf, RECORD_COLUMNS, unpackPage } from '../../store/page.ts';
import { ownFile } from '../../store/sqlite-file.ts';
import { loadSqlite, rollBack } from '../../store/sqlite-load.ts';
import { fileStatusOf } from '../../store/sqlite-place.ts';
import { sheetsOf } from '../../store/wire.ts';
import { StoreInUseError } from './store-in-use-error.ts';

export interface StoredRow {
  readonly id: number;
  /** The name as it is stored: a JSON text, if all is well. */
  readonly storedName: unknown;
  /** In the shape of a record, not looked at. */
  readonly value: unknown;
}

export interface RowChanges {
  readonly removes: readonly number[];
  readonly puts: ReadonlyArray<{ readonly id: number; readonly record: TaskRecord }>;
}

const BUSY_TIMEOUT_MS = 1000;

export class HeldStore {
  readonly path: string;
  readonly #db: DatabaseSync;
  readonly close: () => void;

  private constructor(path: string, db: DatabaseSync, close: () => void) {
    this.path = path;
    this.#db = db;
    this.close = close;
  }

  /** Throws `StoreMissingError` rather than make a new file, and `StoreInUseError` if a scheduler owns it. */
  static async hold(path: string): Promise<HeldStore> {
    const status = fileStatusOf(path);
    if (status === undefined || status.size === 0) throw new StoreMissingError(path);
    try {
      const { db, close } = await ownFile({ path, waitMs: 0, busyTimeoutMs: BUSY_TIMEOUT_MS });
      return new HeldStore(path, db, close);
    } catch (error) {
      const told = storeErrorOf(error, path, 'opening');
      throw told instanceof StoreLockedError ? new StoreInUseError(path, told) : told;
    }
  }

  /** What SQLite itself finds wrong with the file. Values of the wrong type are left to the look at each record. */
  checkPages(): void {
    const found = this.#guarded(() => this.#db.prepare('PRAGMA integrity_check').all());
    const broken = found
      .map((row) => String(row.integrity_check))
      .filter((line) => line !== 'ok' && !/^[\w-]+ value in /.test(line));
    if (broken.length > 0) throw new StoreDamagedError(this.path, new Error(broken.join('; ')));
  }

  rows(): StoredRow[] {
    return this.#guarded(() => {
      const statement = this.#db.prepare(`SELECT id, ${RECORD_COLUMNS.join(', ')} FROM task ORDER BY id`);
      // A number too large for JavaScript can only be damage; as a bigint it can be told.
      statement.setReadBigInts(true);
      const rows = statement.all().map((row) => ['id', ...RECORD_COLUMNS].map((name) => smallest(row[name])));
      const values: unknown[] = [];
      unpackPage(pageOf(rows, 1), values);
      return rows.map(([id, storedName], index) => ({ id: Number(id), storedName, value: values[index] }));
    });
  }

  /** Copies the file, page by page, beside itself; answers where to. Readable for whoever may read the original. */
  async backUp(now: number): Promise<string> {
    const copy = freeName(`${this.path}.backup-${new Date(now).toISOString().replace(/[-:]|\.\d+/g, '')}`);
    try {
      await loadSqlite().backup(this.#db, copy);
    } catch (error) {
      throw storeErrorOf(error, copy, 'open');
    }
    chmodSync(copy, statSync(this.path).mode);
    return copy;
  }

  /** All of it, or nothing. */
  change({ removes, puts }: RowChanges): void {
    const set = RECORD_COLUMNS.map((column) => `${column} = ?`).join(', ');
    this.#guarded(() => {
      const remove = this.#db.prepare('DELETE FROM task WHERE id = ?');
      const put = this.#db.prepare(`UPDATE task SET ${set} WHERE id = ?`);
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        for (const id of removes) remove.run(id);
        for (const { id, record } of puts) put.run(...cellsOf(record), id);
        this.#db.exec('COMMIT');
      } catch (error) {
        rollBack(this.#db);
        throw error;
      }
    });
  }

  #guarded<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw storeErrorOf(error, this.path, 'open');
    }
  }
}

const smallest = (value: unknown): unknown =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** The values of a record in the order of its columns, packed as the store itself packs them. */
function cellsOf(record: TaskRecord): Array<string | number | null> {
  const [{ texts, numbers }] = sheetsOf({ puts: [record] }, 1);
  const [, ...others] = texts;
  return [
    JSON.stringify(record.name),
    ...others,
    ...Array.from(numbers, (number) => (Number.isNaN(number) ? null : number)),
  ];
}

function freeName(wanted: string): string {
  for (let count = 1; ; count++) {
    const name = count === 1 ? wanted : `${wanted}-${count}`;
    if (!existsSync(name)) return name;
  }
}

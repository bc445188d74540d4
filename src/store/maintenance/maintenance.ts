/**
 * Maintenance of a store's file: repairs damaged records, and forgets tasks.
 *
 *     closed ──maintainStore──▶ held ──diagnose, repair, forget──▶ held ──close──▶ closed
 *
 * While it is held, it is owned by the same lock that a scheduler takes (E6), so that none can run meanwhile. Nothing is changed
 * before the file has been copied, and each change is one transaction.
 */
import { randomUUID } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { StoreDamagedError, StoreMissingError } from '../errors.ts';
import { type Phase, storeErrorOf } from '../failure.ts';
import { pageOf, RECORD_COLUMNS, valuesOf } from '../page.ts';
import { unpackPage } from '../page-records.ts';
import { locationOf } from '../sqlite.ts';
import { backUp } from '../sqlite-backup.ts';
import { holdFile } from '../sqlite-file.ts';
import { foldAll } from '../sqlite-fold.ts';
import { rollBack } from '../sqlite-load.ts';
import { fileStatusOf } from '../sqlite-place.ts';
import { newMark, takePossession } from '../sqlite-possession.ts';
import { smallest } from '../sqlite-read.ts';
import { renewRowMark } from '../sqlite-row-mark.ts';
import { diagnoseRows, type RowChanges, type StoredRow } from './diagnosis.ts';
import { damagedEntries, dropEntries, forgetRuns } from './journal.ts';
import type { Diagnosis, MaintenanceOptions, StoreMaintenance } from './port.ts';

const BUSY_TIMEOUT_MS = 1000;

/**
 * Takes a store's file over to repair it. Rejects with {@link StoreMissingError} rather than make a new file, and with
 * {@link StoreLockedError} if a scheduler runs on it.
 */
export async function maintainStore(
  path: string | URL,
  { now = Date.now }: MaintenanceOptions = {},
): Promise<StoreMaintenance> {
  const location = locationOf(path);
  const status = fileStatusOf(location);
  if (status === undefined || status.size === 0) throw new StoreMissingError({ path: location });
  try {
    const { db, close } = await holdFile({ path: location, waitMs: 0, busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      // As the next scheduler would do. What cannot be read is not passed over without being asked.
      if (damagedEntries(db).length === 0) foldAll(db, location);
      return new HeldFile(location, db, close, now());
    } catch (error) {
      close();
      throw error;
    }
  } catch (error) {
    throw finalErrorOf(error, location, 'opening');
  }
}

/** As `storeErrorOf`; but that sends a user with damaged pages to `obbligato repair`, which is here. */
function finalErrorOf(error: unknown, path: string, phase: Phase): Error {
  const said = storeErrorOf(error, path, phase);
  return said instanceof StoreDamagedError && said !== error ? new StoreDamagedError({ path }, error) : said;
}

class HeldFile implements StoreMaintenance {
  readonly path: string;
  readonly close: () => void;
  readonly #db: DatabaseSync;
  /** The instant that a repair takes for now, and the backup is named after. */
  readonly #heldAt: number;

  constructor(path: string, db: DatabaseSync, close: () => void, heldAt: number) {
    this.path = path;
    this.close = close;
    this.#db = db;
    this.#heldAt = heldAt;
  }

  names(): string[] {
    return this.#rows()
      .map(nameOf)
      .filter((name) => typeof name === 'string');
  }

  diagnose(): Diagnosis {
    const indexes = this.#damagedIndexes();
    const { changes: _, ...diagnosis } = this.#diagnose();
    return { ...diagnosis, indexes };
  }

  async repair(): Promise<string> {
    const indexes = this.#damagedIndexes();
    const { journal: damaged } = this.#diagnose();
    const copy = await backUp(this.#db, this.path, this.#heldAt);
    this.#guarded(() => takePossession(this.#db, this.path, newMark()));
    if (indexes.length > 0) this.#guarded(() => this.#db.exec('REINDEX'));
    if (damaged.length > 0) {
      this.#inOne(() => dropEntries(this.#db, damaged));
      this.#guarded(() => foldAll(this.#db, this.path));
    }
    this.#change(this.#diagnose().changes);
    const { repairs, removals, journal } = this.#diagnose();
    if (repairs.length + removals.length + journal.length + this.#damagedIndexes().length > 0) {
      throw new Error(`Internal error: the repaired store is still damaged; it is as before in ${copy}`);
    }
    return copy;
  }

  async forget(task: string): Promise<string | undefined> {
    const ids = [...this.#rows().filter((row) => nameOf(row) === task), ...this.#forgotten(task)].map(
      ({ id }) => id,
    );
    if (ids.length === 0) return undefined;
    if (damagedEntries(this.#db).length > 0)
      throw new StoreDamagedError({ path: this.path, reason: 'entries of its journal cannot be read' });
    const copy = await backUp(this.#db, this.path, this.#heldAt);
    this.#guarded(() => takePossession(this.#db, this.path, newMark()));
    this.#inOne(() => {
      const remove = this.#db.prepare('DELETE FROM task WHERE id = ?');
      for (const id of ids) remove.run(id);
      forgetRuns(this.#db, new Set(ids));
    });
    return copy;
  }

  #diagnose(): Omit<Diagnosis, 'indexes'> & { readonly changes: RowChanges } {
    const means = { now: this.#heldAt, freshId: () => `repaired-${randomUUID()}` };
    return {
      ...diagnoseRows(this.#rows(), means),
      journal: this.#guarded(() => damagedEntries(this.#db)),
    };
  }

  /** A task that was removed, while the history has runs of it. */
  #forgotten(task: string): ReadonlyArray<{ readonly id: number }> {
    const found = this.#db.prepare('SELECT id FROM forgotten WHERE name = ?').all(JSON.stringify(task));
    return found.map(({ id }) => ({ id: Number(id) }));
  }

  /**
   * What SQLite itself finds wrong with the indexes of the file. Throws if anything else of it is damaged. Values of the wrong type are left to the look at
   * each record.
   */
  #damagedIndexes(): readonly string[] {
    const found = this.#guarded(() => this.#db.prepare('PRAGMA integrity_check').all());
    const broken = found
      .flatMap((row) => String(row.integrity_check).split('\n'))
      .filter((line) => line !== 'ok' && !/^[\w-]+ value in |^\*\*\* in database/.test(line));
    const roots = this.#db.prepare("SELECT rootpage FROM sqlite_schema WHERE type = 'index'").all();
    const isOfIndex = (line: string): boolean =>
      / (missing from|entries in|entry in) index /.test(line) ||
      roots.some(({ rootpage }) => line.startsWith(`Tree ${rootpage} `));
    if (!broken.every(isOfIndex))
      throw new StoreDamagedError({ path: this.path }, new Error(broken.join('; ')));
    return broken;
  }

  #rows(): StoredRow[] {
    return this.#guarded(() => {
      const statement = this.#db.prepare(`SELECT id, ${RECORD_COLUMNS.join(', ')} FROM task ORDER BY id`);
      // A number too large for JavaScript can only be damage; a bigint shows what it is.
      statement.setReadBigInts(true);
      const rows = statement.all().map((row) => ['id', ...RECORD_COLUMNS].map((name) => smallest(row[name])));
      const values: unknown[] = [];
      unpackPage(pageOf(rows, 1), values);
      return rows.map(([id, storedName], index) => ({ id: Number(id), storedName, value: values[index] }));
    });
  }

  #change({ removes, puts }: RowChanges): void {
    const set = RECORD_COLUMNS.map((column) => `${column} = ?`).join(', ');
    this.#inOne(() => {
      const remove = this.#db.prepare('DELETE FROM task WHERE id = ?');
      const put = this.#db.prepare(`UPDATE task SET ${set} WHERE id = ?`);
      for (const id of removes) remove.run(id);
      for (const { id, record } of puts) put.run(...valuesOf(record), id);
    });
  }

  /** All of it, or nothing. */
  #inOne(work: () => void): void {
    this.#guarded(() => {
      this.#db.exec('BEGIN IMMEDIATE');
      try {
        work();
        renewRowMark(this.#db);
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
      throw finalErrorOf(error, this.path, 'open');
    }
  }
}

const nameOf = ({ value }: StoredRow): unknown => Reflect.get(Object(value), 'name');

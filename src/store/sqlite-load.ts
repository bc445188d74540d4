/** The one place that loads `node:sqlite`, and what it leaves to be said about transactions and new files. */
import { closeSync, openSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';

type Sqlite = typeof import('node:sqlite');

let loaded: Sqlite | undefined;

/**
 * `node:sqlite`, without the ExperimentalWarning that Node 22 prints when it is first loaded. Loading is synchronous, so nothing
 * else can warn while the filter is in place, and every other warning passes through it anyway.
 */
export function loadSqlite(): Sqlite {
  if (loaded !== undefined) return loaded;
  const { emitWarning } = process;
  const passOn = (...args: unknown[]): unknown => Reflect.apply(emitWarning, process, args);
  process.emitWarning = (warning: string | Error, ...rest: unknown[]): void => {
    if (!String(warning).includes('SQLite is an experimental feature')) passOn(warning, ...rest);
  };
  try {
    loaded = process.getBuiltinModule('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
  return loaded;
}

/**
 * Ends a transaction that has failed, if SQLite has not done so itself: a full disk, for one, rolls back by itself, and a second
 * ROLLBACK would hide the error that matters. If it fails too, the error that led here is still the one to report.
 */
export function rollBack(db: DatabaseSync): void {
  if (!db.isTransaction) return;
  try {
    db.exec('ROLLBACK');
  } catch {
    // The transaction is over either way: SQLite leaves none open behind a failed ROLLBACK.
  }
}

/**
 * Makes an empty file that only this user may read and write, if there is none. A file that exists is not opened: closing its
 * descriptor would drop the locks that this process has on it.
 */
export function makePrivately(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch {
    // It exists; or there is something wrong with the place, which SQLite finds too.
  }
}

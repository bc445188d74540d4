/**
 * One recorder a file: a companion file held by SQLite's `BEGIN EXCLUSIVE`, as the store's is. The operating system drops it when
 * the process dies, however it dies, so there is no stale lock to clear away, and no process number to mistake for another's.
 */
import { loadSqlite, makePrivately } from '../store/sqlite-load.ts';
import { TraceFileError, TraceLockedError } from './errors.ts';

const BUSY = 5;

export interface Lock {
  release(): void;
}

/** `realPath` is the file's path with symbolic links resolved, or two names of one file would have two owners. */
export function takeLock(path: string, realPath: string, waitMs: number): Lock {
  const { DatabaseSync } = loadSqlite();
  try {
    makePrivately(`${realPath}.lock`);
    const db = new DatabaseSync(`${realPath}.lock`, { timeout: waitMs });
    try {
      db.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (error) {
      db.close();
      throw error;
    }
    return { release: () => db.close() };
  } catch (error) {
    if (Reflect.get(Object(error), 'errcode') === BUSY) throw new TraceLockedError(path, waitMs, error);
    throw new TraceFileError(path, `cannot be locked by "${realPath}.lock"`, error);
  }
}

/**
 * What is at a path, found out before anything is done to it. `stat` opens nothing, and so drops no lock of this process; a file
 * that holds something is then looked into through a connection that cannot write.
 */
import { type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { StoreForeignFileError, StoreUnwritableError } from './errors.ts';
import { loadSqlite } from './sqlite-load.ts';
import { versionOf } from './sqlite-schema.ts';

/** The smallest page that a database can have. */
const SMALLEST_DATABASE = 512;
/** The largest. Ours needs a rollback journal for its very first page alone, before it turns to write-ahead logging. */
const LARGEST_FIRST_PAGE = 65_536;
/** SQLITE_READONLY_ROLLBACK: a transaction was cut off in rollback-journal mode, which a reader cannot repair. */
const HOT_JOURNAL = 776;

/** `undefined` for nothing. */
export function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw new StoreUnwritableError(
      { path, reason: 'its folder cannot be entered: check its permissions' },
      error,
    );
  }
}

/** As `statusOf`, for something that is a file and can be a database. */
export function fileStatusOf(path: string): Stats | undefined {
  const status = statusOf(path);
  if (status === undefined) return undefined;
  if (status.isDirectory())
    throw new StoreUnwritableError({ path, reason: 'it is a directory: name a file in it' });
  if (!status.isFile()) throw new StoreUnwritableError({ path, reason: 'it is not a regular file' });
  // SQLite takes a file of one byte for an empty one, and would write over it.
  if (status.size > 0 && status.size < SMALLEST_DATABASE) {
    throw new StoreForeignFileError({ path, reason: 'is not a database' });
  }
  return status;
}

/** Refuses what cannot be a store of ours, and leaves it as it is. */
export function examine(path: string, busyTimeoutMs: number): void {
  const status = fileStatusOf(path);
  if (status === undefined) {
    const folder = statusOf(dirname(path));
    if (folder === undefined) {
      throw new StoreUnwritableError({ path, reason: 'its folder does not exist: create it first' });
    }
    if (!folder.isDirectory()) throw new StoreUnwritableError({ path, reason: 'its folder is not a folder' });
    return;
  }
  if (status.size === 0) return;
  const { DatabaseSync } = loadSqlite();
  const reader = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  try {
    versionOf(reader, path);
  } catch (error) {
    if (Reflect.get(Object(error), 'errcode') !== HOT_JOURNAL) throw error;
    if (status.size > LARGEST_FIRST_PAGE) {
      throw new StoreForeignFileError(
        { path, reason: 'holds an unfinished transaction of another program' },
        error,
      );
    }
  } finally {
    reader.close();
  }
}

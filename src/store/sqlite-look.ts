/**
 * Reads a store that another process may own, on the store's thread: a connection that cannot write, one read transaction for a
 * snapshot of one instant, and no lock. In write-ahead mode a reader and the owner do not wait for each other.
 *
 * Whether the store is owned is asked by reading the (empty) lock database, which a held lock refuses. That takes a shared lock for an
 * instant; an opening owner is patient enough not to mistake it for another owner.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreMissingError, StoreUnreadableError, StoreUnwritableError } from './errors.ts';
import { resultCode } from './failure.ts';
import type { FileOptions } from './sqlite-file.ts';
import { loadSqlite } from './sqlite-load.ts';
import { fileStatusOf, statusOf } from './sqlite-place.ts';
import { versionOf } from './sqlite-schema.ts';

export interface LookedAt {
  readonly version: number;
  readonly owner: 'held' | 'free' | 'unknown';
}

export function lookAt({ path, busyTimeoutMs }: FileOptions): {
  readonly db: DatabaseSync;
  readonly looked: LookedAt;
  close(): void;
} {
  let db: DatabaseSync | undefined;
  try {
    if (fileStatusOf(path) === undefined) throw new StoreMissingError({ path });
    const { DatabaseSync } = loadSqlite();
    db = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    db.exec('BEGIN');
    const version = versionOf(db, path);
    const opened = db;
    return {
      db: opened,
      looked: { version, owner: ownerOf(`${opened.location() ?? path}.lock`) },
      close: () => opened.close(),
    };
  } catch (error) {
    db?.close();
    throw unreadable(error, path);
  }
}

/**
 * A reader gets an error about reading, not about writing; but in write-ahead mode even a reader needs two files next to the
 * store.
 */
function unreadable(error: unknown, path: string): unknown {
  if (error instanceof StoreUnwritableError)
    return new StoreUnreadableError({ path, reason: error.reason }, error.cause);
  switch (resultCode(error)) {
    case 8: // SQLITE_READONLY
      return new StoreUnreadableError(
        {
          path,
          reason:
            'while no scheduler runs on it, a reader has to make two files beside it (-wal and -shm), and this user may not; look as the user who owns it, or while its scheduler runs',
        },
        error,
      );
    case 14: // SQLITE_CANTOPEN
      return new StoreUnreadableError(
        {
          path,
          reason:
            'it cannot be opened; look as the user who owns it, or let this one read the file, and write its folder',
        },
        error,
      );
    default:
      return error;
  }
}

function ownerOf(lockPath: string): LookedAt['owner'] {
  const { DatabaseSync } = loadSqlite();
  let lock: DatabaseSync | undefined;
  try {
    if (statusOf(lockPath) === undefined) return 'free';
    lock = new DatabaseSync(lockPath, { readOnly: true, timeout: 0 });
    lock.prepare('PRAGMA user_version').get();
    return 'free';
  } catch (error) {
    return resultCode(error) === 5 ? 'held' : 'unknown';
  } finally {
    lock?.close();
  }
}

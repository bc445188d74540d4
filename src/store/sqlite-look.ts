/**
 * Reads a store that another process may own, on the store's thread: a connection that cannot write, one read transaction for a
 * snapshot of one instant, and no lock. In write-ahead mode a reader and the owner do not wait for each other.
 *
 * Whether the store is owned is asked by reading the (empty) lock database, which a held lock refuses. That takes a shared lock for an
 * instant; an opening owner is patient enough not to mistake it for another owner.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { ControlRequest } from '../core/control.ts';
import { StoreMissingError, StoreUnreadableError, StoreUnwritableError } from './errors.ts';
import { resultCode } from './failure.ts';
import type { OwnedBy } from './port.ts';
import type { FileOptions } from './sqlite-file.ts';
import { once } from './sqlite-journal.ts';
import { loadSqlite } from './sqlite-load.ts';
import { aliasOf, fileStatusOf, identityOf, realLocationOf, statusOf } from './sqlite-place.ts';
import { mustBeHeld, ownerIn } from './sqlite-possession.ts';
import { openRequests } from './sqlite-requests.ts';
import { rowMarkIn, timeZoneIn } from './sqlite-row-mark.ts';
import { versionOf } from './sqlite-schema.ts';

export interface LookedAt {
  readonly version: number;
  /** The same as long as only starts and ends are written to the same file; empty if that is not known. */
  readonly state: string;
  readonly owner: 'held' | 'free' | 'unknown';
  /** Who has opened it last, if it is held. */
  readonly ownedBy: OwnedBy | undefined;
  /** How the file has a second path, for which a scheduler refuses it; undefined if it has none. */
  readonly alias: string | undefined;
  /** Requests of operators that are not answered, in their order; undefined if the file is too old to have any. */
  readonly requests: readonly ControlRequest[] | undefined;
  /** In which zone expressions are read (B2); undefined if no scheduler has written it yet. */
  readonly timeZone: string | undefined;
}

export function lookAt({ path, busyTimeoutMs }: FileOptions): {
  readonly db: DatabaseSync;
  readonly looked: LookedAt;
  close(): void;
} {
  let db: DatabaseSync | undefined;
  try {
    const status = fileStatusOf(path);
    if (status === undefined) throw missingAt(path);
    const { DatabaseSync } = loadSqlite();
    db = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
    db.exec('BEGIN');
    const version = versionOf(db, path);
    const opened = db;
    const owner = lockStateOf(`${opened.location() ?? path}.lock`);
    if (owner === 'held') mustBeHeld(opened, path);
    const ownedBy = owner === 'held' ? ownerIn(opened) : undefined;
    const rowMark = rowMarkIn(opened);
    const state = rowMark === undefined ? '' : `${identityOf(path)} ${rowMark}`;
    return {
      db: opened,
      looked: {
        version,
        state,
        owner,
        ownedBy,
        alias: aliasOf(path, status),
        requests: version < 3 ? undefined : openRequests(opened),
        timeZone: version < 3 ? undefined : timeZoneIn(opened),
      },
      close: once(() => opened.close()),
    };
  } catch (error) {
    db?.close();
    throw unreadable(error, path);
  }
}

/** Every owner makes the lock file, and none removes it: a lock without a store is a sign that the store was taken away. */
export function missingAt(path: string): StoreMissingError {
  const lockPath = `${realLocationOf(path)}.lock`;
  if (statusOf(lockPath) === undefined) return new StoreMissingError({ path });
  return new StoreMissingError({ path, lock: lockStateOf(lockPath) === 'held' ? 'held' : 'left behind' });
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
            'while no scheduler runs on it, a reader has to make two files next to it (-wal and -shm), and this user may not; look as the user who owns it, or while its scheduler runs',
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

export function lockStateOf(lockPath: string): LookedAt['owner'] {
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

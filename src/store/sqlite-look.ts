/**
 * Looking into a store that somebody else may own, on the store's thread: a connection that cannot write, one read transaction for
 * a snapshot of one instant, and no lock. In write-ahead mode a reader and the owner do not wait for each other.
 *
 * Whether the store is owned is asked by reading the (empty) lock database, which a held lock refuses. That takes a shared lock for an
 * instant; an opening owner is patient enough not to mistake it for another owner.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreMissingError } from './errors.ts';
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
  if (fileStatusOf(path) === undefined) throw new StoreMissingError(path);
  const { DatabaseSync } = loadSqlite();
  const db = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  try {
    db.exec('BEGIN');
    const version = versionOf(db, path);
    return {
      db,
      looked: { version, owner: ownerOf(`${db.location() ?? path}.lock`) },
      close: () => db.close(),
    };
  } catch (error) {
    db.close();
    throw error;
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

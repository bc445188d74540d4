/**
 * Taking hold of a file, on the store's thread.
 *
 *     looked at ──▶ opened ──▶ locked ──▶ checked again ──▶ copied, if it is of an older version ──▶ brought up to date: owned
 *
 * Ownership (E6) is an exclusive transaction, never committed, on a companion database: `<file>.lock`, an empty file. The operating
 * system drops it when the process dies, even by SIGKILL, and readers of the store itself are not shut out. The lock's name comes
 * from the resolved path, so that two paths to one file are one store.
 *
 * Hazards, each of them measured. These locks belong to the process: reading the lock file or the -shm file through `fs` anywhere
 * in this process, closing that descriptor, drops them silently. So this module only ever uses `stat` on them, which opens
 * nothing, and never deletes the lock file: deleting a held one would let a second owner in. An exclusive transaction on a file
 * that may not be written is silently a shared one; the write inside the transaction, rolled back by the end of it, is there to
 * find that out.
 *
 * A file that is not ours is only ever opened for reading, so that it stays as it is byte by byte.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreFailedError, StoreForeignFileError, StoreLockedError } from './errors.ts';
import { resultCode, storeErrorOf } from './failure.ts';
import { backUp } from './sqlite-backup.ts';
import { loadSqlite, rollBack } from './sqlite-load.ts';
import { examine, statusOf } from './sqlite-place.ts';
import { MIGRATIONS, migrate, versionOf } from './sqlite-schema.ts';

export interface FileOptions {
  readonly path: string;
  readonly waitMs: number;
  readonly busyTimeoutMs: number;
  /** For tests alone: the file cannot grow beyond so many pages, and fails as a full disk does. */
  readonly maxPages?: number;
  /** For tests alone: how long the thread has nothing to do before it folds. */
  readonly idleMs?: number;
}

export interface OwnedFile {
  readonly db: DatabaseSync;
  /** Closes the store first, then the lock, so that nothing writes to the file when the next owner opens it. */
  close(): void;
}

/** An `inspect` that asks whether the lock is held has it for an instant; only a lock held for longer has an owner. */
const GRACE_MS = 100;
const POLL_MS = 20;
/** Larger than SQLite's 1,000 pages: scattered updates dirty many pages, and a checkpoint in every commit doubles the writing. */
const CHECKPOINT_PAGES = 4000;
const CACHE_KIB = 65_536;
/** The log grows with a burst of commits; it is cut back to this afterwards. */
const LOG_BYTES = 64 * 2 ** 20;

export async function ownFile(options: FileOptions): Promise<OwnedFile> {
  const { path } = options;
  const { DatabaseSync } = loadSqlite();
  examine(path, options.busyTimeoutMs);
  const db = new DatabaseSync(path, { timeout: options.busyTimeoutMs });
  let lock: DatabaseSync | undefined;
  try {
    lock = await takeLock(db.location() ?? path, options);
    const version = versionOf(db, path);
    prepareConnection(db, options);
    if (version > 0 && version < MIGRATIONS.length) await backUp(db, path, Date.now());
    migrate(db, path);
    proveWritable(db);
    if (options.maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${options.maxPages}`);
  } catch (error) {
    db.close();
    lock?.close();
    throw error;
  }
  const held = lock;
  return {
    db,
    close() {
      try {
        db.close();
      } finally {
        held.close();
      }
    },
  };
}

async function takeLock(location: string, { path, waitMs }: FileOptions): Promise<DatabaseSync> {
  const lockPath = `${location}.lock`;
  if ((statusOf(lockPath)?.size ?? 0) > 0) {
    throw new StoreForeignFileError({
      path: lockPath,
      reason: 'is where the lock of the store has to be, and is not empty',
    });
  }
  const deadline = performance.now() + Math.max(waitMs, GRACE_MS);
  for (;;) {
    try {
      return tryLock(lockPath);
    } catch (error) {
      if (resultCode(error) !== 5) throw storeErrorOf(error, lockPath, 'opening');
      if (performance.now() >= deadline) throw new StoreLockedError({ path, waitedMs: waitMs }, error);
    }
    await delay(POLL_MS);
  }
}

function tryLock(lockPath: string): DatabaseSync {
  const { DatabaseSync } = loadSqlite();
  const lock = new DatabaseSync(lockPath, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY');
    lock.exec('BEGIN EXCLUSIVE');
    lock.exec('PRAGMA user_version = 1');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

function prepareConnection(db: DatabaseSync, { path }: FileOptions): void {
  const mode = db.prepare('PRAGMA journal_mode = WAL').get()?.journal_mode;
  if (mode !== 'wal')
    throw new StoreFailedError({ path, reason: 'its file system does not support write-ahead logging' });
  db.exec('PRAGMA synchronous = FULL');
  db.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  db.exec(`PRAGMA cache_size = -${CACHE_KIB}`);
  db.exec(`PRAGMA journal_size_limit = ${LOG_BYTES}`);
}

/** A read-only file opens without an error; it is better to find out now than at the first start. */
function proveWritable(db: DatabaseSync): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = db.prepare('PRAGMA user_version').get()?.user_version;
    db.exec(`PRAGMA user_version = ${version}`);
  } finally {
    rollBack(db);
  }
}

/**
 * Taking hold of a file, on the store's thread. Its lock is held by then (`sqlite-lock.ts`).
 *
 *     looked at ──▶ opened ──▶ copied, if it is of an older version ──▶ brought up to date ──▶ marked as ours: owned
 *
 * A thread that takes the place of a dead one finds the same file, with the mark of the dead one. It changes nothing.
 *
 * A file that is not ours is only ever opened for reading, so that it stays as it is byte by byte.
 */
import type { DatabaseSync } from 'node:sqlite';
import { StoreFailedError } from './errors.ts';
import { backUp } from './sqlite-backup.ts';
import { loadSqlite, makePrivately, rollBack } from './sqlite-load.ts';
import { takeLock } from './sqlite-lock.ts';
import { examine, identityOf, realLocationOf } from './sqlite-place.ts';
import { type Mark, mustBeAt, Possession, renewPlace, takePossession } from './sqlite-possession.ts';
import { MIGRATIONS, migrate, versionOf } from './sqlite-schema.ts';

export interface FileOptions {
  readonly path: string;
  readonly busyTimeoutMs: number;
  /** For tests alone: the file cannot grow beyond so many pages, and fails as a full disk does. */
  readonly maxPages?: number;
  /** For tests alone: how long the thread has nothing to do before it folds. */
  readonly idleMs?: number;
}

/** By what an owner knows its file again. */
export interface Ownership {
  readonly mark: Mark;
  /** The file that the mark was made in; absent at the first opening. */
  readonly identity?: string;
}

export interface HeldFile {
  readonly db: DatabaseSync;
  close(): void;
}

export interface OwnedFile extends HeldFile {
  readonly possession: Possession;
}

/** Larger than SQLite's 1,000 pages: scattered updates dirty many pages, and a checkpoint in every commit doubles the writing. */
export const CHECKPOINT_PAGES = 4000;
const CACHE_KIB = 65_536;
/** The log grows with a burst of commits; it is cut back to this afterwards. */
const LOG_BYTES = 64 * 2 ** 20;

/**
 * Takes the lock and the file, both in this thread, and does not mark it yet: a damaged file is not changed before it was copied.
 * Closing closes the file first, so that nothing writes to it when the next owner opens it.
 */
export async function holdFile(options: FileOptions & { readonly waitMs: number }): Promise<HeldFile> {
  const { path, waitMs, busyTimeoutMs } = options;
  examine(path, busyTimeoutMs);
  const lock = await takeLock({ path, location: realLocationOf(path), waitMs });
  try {
    const db = await openLocked(options);
    const close = (): void => {
      try {
        db.close();
      } finally {
        lock.close();
      }
    };
    return { db, close };
  } catch (error) {
    lock.close();
    throw error;
  }
}

/** Takes a file whose lock is held. */
export async function ownFile(options: FileOptions, { mark, identity }: Ownership): Promise<OwnedFile> {
  const { path } = options;
  if (identity !== undefined) mustBeAt(path, identity);
  const db = await openLocked(options);
  let possession: Possession | undefined;
  const close = (): void => {
    possession?.close();
    db.close();
  };
  try {
    if (identity === undefined) takePossession(db, path, mark);
    else renewPlace(db, path, mark);
    possession = new Possession(db, path, mark, identity ?? identityOf(path) ?? '');
    possession.mustBeOurs();
    if (options.maxPages !== undefined) db.exec(`PRAGMA max_page_count = ${options.maxPages}`);
    return { db, possession, close };
  } catch (error) {
    close();
    throw error;
  }
}

async function openLocked(options: FileOptions): Promise<DatabaseSync> {
  const { path, busyTimeoutMs } = options;
  examine(path, busyTimeoutMs);
  makePrivately(realLocationOf(path));
  const db = new (loadSqlite().DatabaseSync)(path, { timeout: busyTimeoutMs });
  try {
    const version = versionOf(db, path);
    prepareConnection(db, options);
    if (version > 0 && version < MIGRATIONS.length) await backUp(db, path, Date.now());
    migrate(db, path);
    proveWritable(db);
    return db;
  } catch (error) {
    db.close();
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

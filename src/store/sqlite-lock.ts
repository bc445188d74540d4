/**
 * The lock of a store's file (E6): an exclusive transaction, never committed, on a companion database, `<file>.lock`, an empty
 * file. The operating system drops it when the process dies, even by SIGKILL, and readers of the store itself are not shut out.
 * The lock's name comes from the resolved path, so that two paths to one file are one store.
 *
 * The lock is held by the thread of the scheduler and not by that of the store, which may die alone: while callbacks run, no other
 * process may get the file. Taking it is a few system calls and no sync, so it does not hold the event loop. While another owner has
 * it, it is asked for again on the same connection: a scheduler that waits for hours takes neither threads nor time.
 *
 * Hazards, each of them measured. These locks belong to the process: reading the lock file through `fs` anywhere in this process,
 * closing that descriptor, drops them silently. So only `stat` is ever used on it, which opens nothing, and an existing one is never
 * opened but by SQLite. It is never deleted: deleting a held one would let a second owner in. An exclusive transaction on a file that
 * may not be written is silently a shared one; the write inside the transaction, rolled back by the end of it, finds that out.
 */
import { rmSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { StoreForeignFileError, StoreLockedError, StoreUnwritableError } from './errors.ts';
import { resultCode, storeErrorOf } from './failure.ts';
import { loadSqlite, makePrivately } from './sqlite-load.ts';
import { identityOf, statusOf } from './sqlite-place.ts';
import { ownerAt } from './sqlite-possession.ts';

/** An `inspect` that asks whether the lock is held has it for an instant; only a lock held for longer has an owner. */
const GRACE_MS = 100;
const FIRST_POLL_MS = 20;
const POLL_MS = 200;

export interface LockRequest {
  /** As the user has given it, for messages. */
  readonly path: string;
  /** The file, with all links resolved. */
  readonly location: string;
  readonly waitMs: number;
}

export class FileLock {
  readonly path: string;
  readonly #identity: string | undefined;
  readonly #db: DatabaseSync;

  constructor(path: string, identity: string | undefined, db: DatabaseSync) {
    this.path = path;
    this.#identity = identity;
    this.#db = db;
  }

  /** Whether the lock file is still the one that is locked. If it was deleted, another process can lock the next one. */
  get isInPlace(): boolean {
    return identityOf(this.path) === this.#identity;
  }

  close(): void {
    this.#db.close();
  }
}

/** Takes the lock, as soon as nobody else has it. */
export async function takeLock({ path, location, waitMs }: LockRequest): Promise<FileLock> {
  const lockPath = `${location}.lock`;
  const startedAt = performance.now();
  let waiting: WaitingLock | undefined;
  let hasLocks = false;
  try {
    for (;;) {
      waiting ??= openLock(lockPath, path);
      const failure = waiting.tryToLock();
      if (failure === undefined) {
        const taken = waiting;
        waiting = undefined;
        // While it waited, the file may have been deleted, and another one locked.
        if (taken.lock.isInPlace) return taken.lock;
        taken.lock.close();
        continue;
      }
      const waitedMs = performance.now() - startedAt;
      if (waitedMs >= GRACE_MS && !hasLocks) hasLocks = mustHaveLocks(lockPath, path);
      if (waitedMs >= Math.max(waitMs, GRACE_MS)) throw lockedError(path, location, waitMs, failure);
      await delay(waitedMs < GRACE_MS ? FIRST_POLL_MS : POLL_MS);
    }
  } finally {
    waiting?.lock.close();
  }
}

/**
 * SQLite takes a file system without locks (ENOLCK) for a lock that somebody else has. So before that is believed, a lock is tried on
 * a file that nobody else can know.
 */
function mustHaveLocks(lockPath: string, path: string): true {
  const probe = `${lockPath}-test-${crypto.randomUUID()}`;
  let db: DatabaseSync | undefined;
  try {
    db = new (loadSqlite().DatabaseSync)(probe, { timeout: 0 });
    if (tryToLock(db, probe) === undefined) return true;
  } finally {
    db?.close();
    rmSync(probe, { force: true });
  }
  throw new StoreUnwritableError({
    path,
    reason: 'its file system has no locks (ENOLCK): keep the store on a local disk',
  });
}

function lockedError(path: string, location: string, waitedMs: number, cause: Error): StoreLockedError {
  const ownedBy = ownerAt(location);
  return new StoreLockedError({ path, waitedMs, ...(ownedBy === undefined ? {} : { ownedBy }) }, cause);
}

/** Takes the lock if nobody has it; undefined if somebody has. */
export function takeFreeLock(location: string): FileLock | undefined {
  const { lock, tryToLock } = openLock(`${location}.lock`, location);
  try {
    if (tryToLock() === undefined) return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
  lock.close();
  return undefined;
}

interface WaitingLock {
  readonly lock: FileLock;
  /** Answers what the database said, if another owner has it. */
  tryToLock(): Error | undefined;
}

function openLock(lockPath: string, path: string): WaitingLock {
  if ((statusOf(lockPath)?.size ?? 0) > 0) {
    throw new StoreForeignFileError({
      path: lockPath,
      reason: 'is where the lock of the store has to be, and is not empty',
    });
  }
  const { DatabaseSync } = loadSqlite();
  let db: DatabaseSync;
  try {
    makePrivately(lockPath);
    db = new DatabaseSync(lockPath, { timeout: 0 });
  } catch (error) {
    // Without a lock file it is the folder that cannot be written, and so the store.
    throw storeErrorOf(error, statusOf(lockPath) === undefined ? path : lockPath, 'opening');
  }
  const lock = new FileLock(lockPath, identityOf(lockPath), db);
  return { lock, tryToLock: () => tryToLock(db, lockPath) };
}

function tryToLock(db: DatabaseSync, lockPath: string): Error | undefined {
  try {
    db.exec('PRAGMA journal_mode = MEMORY');
    db.exec('BEGIN EXCLUSIVE');
    db.exec('PRAGMA user_version = 1');
    return undefined;
  } catch (error) {
    if (resultCode(error) === 5 && error instanceof Error) return error;
    throw storeErrorOf(error, lockPath, 'opening');
  }
}

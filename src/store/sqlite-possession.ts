/**
 * Whether a file is still the one that was opened, and still ours, on the store's thread.
 *
 * *In place.* Device and inode of the path are compared with those of the opening, after each commit and before it is answered. A file
 * that was deleted, moved or replaced takes commits as before, because it is still open; but the next scheduler would not find them. The same
 * holds of the log next to it (`-wal`), in which the newest commits lie alone. A checkpoint may empty the log, and then SQLite begins it anew,
 * with a header. If somebody else has emptied it, SQLite goes on behind a hole, where the header was.
 *
 * *Ours.* The lock keeps other owners out (E6). A lock can fail: its file is deleted, or this process reads it and so drops it. So each
 * opening also writes a mark of its own into the file, and every transaction looks whether the mark is still there. If it is not, a
 * second scheduler has opened the file, and this one writes nothing any more. The row of the mark also says who the owner is, for people.
 *
 * *From outside.* The row also says which file and which log the owner has, for as long as it has them. Whoever looks while the lock is held
 * compares: a copy has the row of the file that it was made of. After an orderly close the row names none, so that the next opening, which
 * has the lock before it has written its row, is not taken for one that has lost its file.
 *
 * The table is not part of the schema's version: it says nothing about tasks, and a version that does not know it leaves it alone.
 */
import { closeSync, openSync, readSync } from 'node:fs';
import { hostname } from 'node:os';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ownerText } from '../text/owner.ts';
import { StoreLostError, StoreMovedError } from './errors.ts';
import type { OwnedBy } from './port.ts';
import { loadSqlite, rollBack } from './sqlite-load.ts';
import { identityOf } from './sqlite-place.ts';
import { renewRowMark } from './sqlite-row-mark.ts';

/** A mark that no other opening has, and who made it. */
export interface Mark extends OwnedBy {
  readonly token: string;
}

/** By the global `crypto`: to load `node:crypto` would take the store's thread longer than to load itself. */
export const newMark = (): Mark => ({
  token: crypto.randomUUID(),
  pid: process.pid,
  host: hostname(),
  since: Date.now(),
});

export class Possession {
  readonly identity: string;
  readonly #path: string;
  readonly #log: Log;
  readonly #mark: Mark;
  readonly #db: DatabaseSync;
  readonly #read: StatementSync;

  constructor(db: DatabaseSync, path: string, mark: Mark, identity: string) {
    this.#db = db;
    this.#path = path;
    this.#mark = mark;
    this.identity = identity;
    this.#log = new Log(logOf(db, path));
    this.#read = db.prepare('SELECT token FROM owner');
  }

  mustBeInPlace(): void {
    mustBeAt(this.#path, this.identity);
    this.#log.mustBeInPlace();
  }

  /** The file is about to be closed. If the row cannot be written, it names a file that nobody holds, and nobody compares. */
  close(): void {
    this.#log.close();
    try {
      this.#db.exec('PRAGMA synchronous = NORMAL');
      this.#db.prepare('UPDATE owner SET file = NULL, log = NULL WHERE token = ?').run(this.#mark.token);
    } catch {
      // The trouble was reported by the last batch.
    }
  }

  /** To be asked within a transaction. */
  mustBeOurs(): void {
    if (this.#read.get()?.token === this.#mark.token) return;
    const owner = ownerIn(this.#db);
    throw new StoreLostError({
      path: this.#path,
      ...(owner === undefined ? {} : { owner: ownerText(owner) }),
    });
  }
}

/**
 * The log of an open file: the first transaction after an opening makes it, and it stays until the last connection is closed. It is opened once, not at
 * each commit: a process that has no descriptor left still commits. To close it drops no lock: those are on the file and on `-shm`.
 */
class Log {
  readonly #path: string;
  #opened: { readonly file: number; readonly identity: string } | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#open(identityOf(path));
  }

  mustBeInPlace(): void {
    if (this.#opened === undefined) this.#open(identityOf(this.#path));
    if (this.#opened !== undefined) mustBeLog(this.#path, this.#opened.identity, this.#opened.file);
  }

  close(): void {
    if (this.#opened !== undefined) closeSync(this.#opened.file);
    this.#opened = undefined;
  }

  #open(identity: string | undefined): void {
    if (identity !== undefined) this.#opened = { file: openSync(this.#path, 'r'), identity };
  }
}

function mustBeLog(path: string, identity: string, file: number): void {
  mustBeAt(path, identity);
  if (!isLog(file)) throw new StoreMovedError({ path, found: 'another file' });
}

/** SQLite follows links, and puts the log next to the file itself. */
const logOf = (db: DatabaseSync, path: string): string => `${db.location() ?? path}-wal`;

/** What a log of SQLite begins with, but for its last bit. */
const LOG_MAGIC = 0x377f0682;

/** Whether a log is empty, as a checkpoint leaves it, or begins as SQLite begins it. */
function isLog(file: number): boolean {
  const head = Buffer.alloc(4);
  return readSync(file, head, { position: 0 }) === 0 || (head.readUInt32BE() & ~1) === LOG_MAGIC;
}

export function mustBeAt(path: string, identity: string): void {
  const found = identityOf(path);
  if (found !== identity)
    throw new StoreMovedError({ path, found: found === undefined ? 'nothing' : 'another file' });
}

/** Writes the mark. From here on every other owner finds out that it is none any more. */
export function takePossession(db: DatabaseSync, path: string, { token, pid, host, since }: Mark): void {
  db.exec('BEGIN IMMEDIATE');
  try {
    // Another version may have made it with other columns, and its row is over.
    db.exec(`DROP TABLE IF EXISTS owner; CREATE TABLE owner (
      only  INTEGER PRIMARY KEY CHECK (only = 1),
      token TEXT    NOT NULL,
      pid   INTEGER NOT NULL,
      host  TEXT    NOT NULL,
      since INTEGER NOT NULL,
      file  TEXT,
      log   TEXT
    ) STRICT`);
    db.prepare('INSERT INTO owner VALUES (1, ?, ?, ?, ?, ?, ?)').run(
      token,
      pid,
      host,
      since,
      identityOf(path) ?? null,
      identityOf(logOf(db, path)) ?? null,
    );
    renewRowMark(db);
    db.exec('COMMIT');
    // A log that is deleted takes its rows with it. This one is in the file from here on.
    db.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (error) {
    rollBack(db);
    throw error;
  }
}

/** A thread that takes the place of a dead one may have begun another log: the last connection to a file removes the log that it had. */
export function renewPlace(db: DatabaseSync, path: string, { token }: Mark): void {
  db.prepare('UPDATE owner SET log = ? WHERE token = ?').run(identityOf(logOf(db, path)) ?? null, token);
}

/** For whoever looks from outside while the lock is held: throws if this file or its log is not the one that the owner has. */
export function mustBeHeld(db: DatabaseSync, path: string): void {
  const { file, log } = placeIn(db);
  if (typeof file === 'string') mustBeAt(path, file);
  if (typeof log !== 'string') return;
  mustBeAt(logOf(db, path), log);
  const opened = openSync(logOf(db, path), 'r');
  try {
    mustBeLog(logOf(db, path), log, opened);
  } finally {
    closeSync(opened);
  }
}

function placeIn(db: DatabaseSync): Readonly<Record<string, unknown>> {
  try {
    return db.prepare('SELECT file, log FROM owner').get() ?? {};
  } catch {
    return {}; // an older version has no such columns
  }
}

/** Who has opened the file at a path last; undefined if that cannot be read. */
export function ownerAt(path: string): OwnedBy | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new (loadSqlite().DatabaseSync)(path, { readOnly: true, timeout: 0 });
    return ownerIn(db);
  } catch {
    return undefined;
  } finally {
    db?.close();
  }
}

/** Who has opened the file last; undefined if that was a version that leaves no mark. */
export function ownerIn(db: DatabaseSync): OwnedBy | undefined {
  try {
    const { pid, host, since } = db.prepare('SELECT pid, host, since FROM owner').get() ?? {};
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof since !== 'number') return undefined;
    if (Number.isNaN(new Date(since).getTime())) return undefined;
    return { pid, host, since };
  } catch {
    return undefined; // no such table
  }
}

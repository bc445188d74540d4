/**
 * What can go wrong between a scheduler and the place where its records live. Each error names the place as `path`, says the way out
 * (`wayOut`) where there is one, and has what the database said as `cause` (with SQLite's `errcode`).
 *
 * All of them are made in the same way, from their details and a cause, so that an error of the store's thread can be made again on
 * the main thread.
 */
import { StoreError } from './store-error.ts';

export * from './ownership-errors.ts';
export { StoreError } from './store-error.ts';

/** What was given as the path of a store cannot be one. */
export class StorePathError extends StoreError<{ path: string; reason: string }> {
  declare readonly reason: string;

  constructor(details: { path: string; reason: string }, cause?: unknown) {
    const { path, reason } = details;
    super('StorePathError', details, cause, `Store path "${path}" ${reason}`);
  }
}

/** The file holds something that is not ours; it was left as it is. */
export class StoreForeignFileError extends StoreError<{ path: string; reason: string }> {
  declare readonly reason: string;

  constructor(details: { path: string; reason: string }, cause?: unknown) {
    const { path, reason } = details;
    super(
      'StoreForeignFileError',
      details,
      cause,
      `Store file "${path}" ${reason}; it was left as it is`,
      'give the scheduler a file of its own',
    );
  }
}

/** The file was written by a newer version of the library. */
export class StoreVersionError extends StoreError<{ path: string; found: number; supported: number }> {
  declare readonly found: number;
  declare readonly supported: number;

  constructor(details: { path: string; found: number; supported: number }, cause?: unknown) {
    const { path, found, supported } = details;
    super(
      'StoreVersionError',
      details,
      cause,
      `Store file "${path}" has schema version ${found}, newer than ${supported}, the newest this version of obbligato knows`,
      'update obbligato, or use another file',
    );
  }
}

/** There is no file to look into. */
export class StoreMissingError extends StoreError<{ path: string; lock?: 'held' }> {
  /** Given if a scheduler has the lock of the file that is not there. */
  declare readonly lock?: 'held';

  constructor(details: { path: string; lock?: 'held' }, cause?: unknown) {
    const { path, lock } = details;
    const problem = `There is no store at "${path}"`;
    super(
      'StoreMissingError',
      details,
      cause,
      lock === 'held' ? `${problem}, but a scheduler runs on it: it was deleted or moved away` : problem,
      lock === 'held'
        ? 'put the same file back, or stop that scheduler and put a backup there'
        : 'a scheduler makes it, so start "obbligato run" or your program first; is the path right?',
    );
  }
}

/** The path cannot be opened for writing: a directory, a missing folder, a read-only file or place. */
export class StoreUnwritableError extends StoreError<{ path: string; reason: string }> {
  declare readonly reason: string;

  constructor(details: { path: string; reason: string }, cause?: unknown) {
    const { path, reason } = details;
    super('StoreUnwritableError', details, cause, `Store file "${path}" cannot be written`, reason);
  }
}

/** The path cannot be opened for a look: a directory, or a file that this user may not read. */
export class StoreUnreadableError extends StoreError<{ path: string; reason: string }> {
  declare readonly reason: string;

  constructor(details: { path: string; reason: string }, cause?: unknown) {
    const { path, reason } = details;
    super('StoreUnreadableError', details, cause, `Store file "${path}" cannot be read`, reason);
  }
}

/** No room is left where the file lives. Nothing of the commit was kept. */
export class StoreFullError extends StoreError<{ path: string }> {
  constructor(details: { path: string }, cause?: unknown) {
    const { path } = details;
    super(
      'StoreFullError',
      details,
      cause,
      `Store file "${path}" cannot grow, the disk is full`,
      'make room, nothing of what was stored is lost',
    );
  }
}

/** Another program holds a lock on the file for longer than the store waits. */
export class StoreBusyError extends StoreError<{ path: string }> {
  constructor(details: { path: string }, cause?: unknown) {
    const { path } = details;
    super(
      'StoreBusyError',
      details,
      cause,
      `Store file "${path}" is being written by another program`,
      'close whatever else has it open for writing',
    );
  }
}

/** The file is ours, but what it holds makes no sense as a database any more. */
export class StoreDamagedError extends StoreError<{ path: string; reason?: string }> {
  /** What `obbligato repair` can do something about; absent if the file itself is damaged. */
  declare readonly reason?: string;

  constructor(details: { path: string; reason?: string }, cause?: unknown) {
    const { path, reason } = details;
    super(
      'StoreDamagedError',
      details,
      cause,
      `Store file "${path}" is damaged${reason === undefined ? '' : ` (${reason})`}`,
      reason === undefined
        ? 'put back a copy, or move the file (with its -wal and -shm) away to begin with an empty one'
        : 'run "obbligato repair", which makes a copy first, or put back a copy',
    );
  }
}

/** The disk or the file system failed under the file. */
export class StoreIoError extends StoreError<{ path: string; reason: string }> {
  declare readonly reason: string;

  constructor(details: { path: string; reason: string }, cause?: unknown) {
    const { path, reason } = details;
    super(
      'StoreIoError',
      details,
      cause,
      `Store file "${path}" cannot be read or written (${reason})`,
      'check the disk and the file system it is on',
    );
  }
}

/** The store failed in a way it does not know: its thread died, or the database said something unexpected. */
export class StoreFailedError extends StoreError<{ path: string; reason: string }> {
  declare readonly reason: string;

  constructor(details: { path: string; reason: string }, cause?: unknown) {
    const { path, reason } = details;
    super('StoreFailedError', details, cause, `Store "${path}" failed: ${reason}`);
  }
}

/** The store takes long to answer. What was asked of it may still take effect. */
export class StoreSlowError extends StoreError<{ path: string; waitedMs: number }> {
  declare readonly waitedMs: number;

  constructor(details: { path: string; waitedMs: number }, cause?: unknown) {
    const { path, waitedMs } = details;
    super(
      'StoreSlowError',
      details,
      cause,
      `Store "${path}" has not answered for ${waitedMs} ms`,
      'see whether its disk hangs; its thread, its lock and this process stay until the call returns, which nothing can end',
    );
  }
}

/** The session was closed before this was asked of it. */
export class StoreClosedError extends StoreError<{ path: string }> {
  constructor(details: { path: string }, cause?: unknown) {
    const { path } = details;
    super(
      'StoreClosedError',
      details,
      cause,
      `The session of store "${path}" is closed`,
      'open the store again',
    );
  }
}

/** A change names a record that the store does not have. Nothing of its batch was written. */
export class StoreRecordMissingError extends StoreError<{ path: string; taskName: string; change: string }> {
  declare readonly taskName: string;
  declare readonly change: string;

  constructor(details: { path: string; taskName: string; change: string }, cause?: unknown) {
    const { path, taskName, change } = details;
    super(
      'StoreRecordMissingError',
      details,
      cause,
      `Store "${path}" has no record of task "${taskName}" to ${change}`,
      'nothing of the batch was written; does another program write to this store?',
    );
  }
}

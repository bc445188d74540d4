/**
 * What can go wrong between a scheduler and the place where its records live. Each error names the place as `path`, says the way out
 * (`wayOut`) where there is one, and has what the database said as `cause` (with SQLite's `errcode`).
 */
import { storeErrorClass } from './store-error.ts';

export * from './ownership-errors.ts';
export { StoreError } from './store-error.ts';

/** What was given as the path of a store cannot be one. */
export class StorePathError extends storeErrorClass(
  'StorePathError',
  ({ path, reason }: { path: string; reason: string }) => `Store path "${path}" ${reason}`,
) {}

/** The file holds something that is not ours; it was left as it is. */
export class StoreForeignFileError extends storeErrorClass(
  'StoreForeignFileError',
  ({ path, reason }: { path: string; reason: string }) => [
    `Store file "${path}" ${reason}; it was left as it is`,
    'give the scheduler a file of its own',
  ],
) {}

/** The file was written by a newer version of the library. */
export class StoreVersionError extends storeErrorClass(
  'StoreVersionError',
  ({ path, found, supported }: { path: string; found: number; supported: number }) => [
    `Store file "${path}" has schema version ${found}, newer than ${supported}, the newest this version of obbligato knows`,
    'update obbligato, or use another file',
  ],
) {}

/** There is no file to look into, or no schema in the database. */
export class StoreMissingError extends storeErrorClass(
  'StoreMissingError',
  ({
    path,
    lock,
    schema,
  }: {
    path: string;
    /** Given if there is a lock of the file that is not there: a scheduler has it, or an earlier one has left it behind. */
    lock?: 'held' | 'left behind';
    /** Given if the store is a database: the schema that it does not have. */
    schema?: string;
  }) => {
    if (schema !== undefined)
      return [
        `Database "${path}" has no schema "${schema}"`,
        'nothing has run in it yet, or the schema has another name; "obbligato run" makes it',
      ];
    const [sign, wayOut] = SIGNS[lock ?? 'none'];
    return [`There is no store at "${path}"${sign}`, wayOut];
  },
) {}

const SIGNS = {
  none: ['', 'nothing has run here yet, or the path is wrong; "obbligato run" makes it'],
  held: [
    ', but a scheduler runs on it: it was deleted or moved away',
    'put the same file back, or stop that scheduler and put a backup there',
  ],
  'left behind': [
    ', but its .lock is there: it was deleted or moved away',
    'put it back, or a backup of it; a scheduler that starts now makes an empty one',
  ],
} as const;

/** The path cannot be opened for writing: a directory, a missing folder, a read-only file or place. */
export class StoreUnwritableError extends storeErrorClass(
  'StoreUnwritableError',
  ({ path, reason }: { path: string; reason: string }) => [`Store file "${path}" cannot be written`, reason],
) {}

/** The path cannot be opened for a look: a directory, or a file that this user may not read. */
export class StoreUnreadableError extends storeErrorClass(
  'StoreUnreadableError',
  ({ path, reason }: { path: string; reason: string }) => [`Store file "${path}" cannot be read`, reason],
) {}

/** No room is left where the file lives. Nothing of the commit was kept. */
export class StoreFullError extends storeErrorClass('StoreFullError', ({ path }: { path: string }) => [
  `Store file "${path}" cannot grow, the disk is full`,
  'make room, nothing of what was stored is lost',
]) {}

/** Another program holds a lock on the file for longer than the store waits. */
export class StoreBusyError extends storeErrorClass('StoreBusyError', ({ path }: { path: string }) => [
  `Store file "${path}" is being written by another program`,
  'close whatever else has it open for writing',
]) {}

/** The file is ours, but what it holds makes no sense as a database any more. */
export class StoreDamagedError extends storeErrorClass(
  'StoreDamagedError',
  ({
    path,
    reason,
  }: {
    path: string;
    /** What `obbligato repair` can do something about; absent if the file itself is damaged. */
    reason?: string;
  }) =>
    reason === undefined
      ? [
          `Store file "${path}" is damaged`,
          'put back a copy, or move the file (with its -wal and -shm) away to begin with an empty one',
        ]
      : [
          `Store file "${path}" is damaged (${reason})`,
          'run "obbligato repair", which makes a copy first, or put back a copy',
        ],
) {}

/** The disk or the file system failed under the file. */
export class StoreIoError extends storeErrorClass(
  'StoreIoError',
  ({ path, reason }: { path: string; reason: string }) => [
    `Store file "${path}" cannot be read or written (${reason})`,
    'check the disk and the file system it is on',
  ],
) {}

/** The store failed in a way it does not know: its thread died, or the database said something unexpected. */
export class StoreFailedError extends storeErrorClass(
  'StoreFailedError',
  ({ path, reason }: { path: string; reason: string }) => `Store "${path}" failed: ${reason}`,
) {}

/** The store takes long to answer. What was asked of it may still take effect. */
export class StoreSlowError extends storeErrorClass(
  'StoreSlowError',
  ({ path, waitedMs }: { path: string; waitedMs: number }) => [
    `Store "${path}" has not answered for ${waitedMs} ms`,
    'see whether its disk hangs; its thread, its lock and this process stay until the call returns, which nothing can end',
  ],
) {}

/** The session was closed before this was asked of it. */
export class StoreClosedError extends storeErrorClass('StoreClosedError', ({ path }: { path: string }) => [
  `The session of store "${path}" is closed`,
  'open the store again',
]) {}

/** A change names a record that the store does not have. Nothing of its batch was written. */
export class StoreRecordMissingError extends storeErrorClass(
  'StoreRecordMissingError',
  ({ path, taskName, change }: { path: string; taskName: string; change: string }) => [
    `Store "${path}" has no record of task "${taskName}" to ${change}`,
    'nothing of the batch was written; does another program write to this store?',
  ],
) {}

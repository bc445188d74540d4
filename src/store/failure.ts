/**
 * Errors across threads. A structured clone keeps of an error only its message, so the store's thread sends the particulars and
 * the main thread makes the error again, with what the database said as its cause.
 */
import * as errors from './errors.ts';
import {
  StoreBusyError,
  StoreDamagedError,
  StoreError,
  StoreFailedError,
  StoreForeignFileError,
  StoreFullError,
  StoreIoError,
  StoreUnwritableError,
} from './errors.ts';
import { whyNotOpened } from './sqlite-place.ts';

interface Cause {
  readonly message: string;
  readonly stack: string | undefined;
  readonly code: unknown;
  readonly errcode: unknown;
  readonly errstr: unknown;
}

export interface Failure {
  readonly name: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly cause: Cause | undefined;
}

/** Whether the file was already known to be ours when the trouble came: then "not a database" means damage. */
export type Phase = 'opening' | 'open';

const field = (error: unknown, name: string): unknown =>
  typeof error === 'object' && error !== null ? Reflect.get(error, name) : undefined;

/** SQLite's primary result code, 0 for an error that is none of its own. */
export function resultCode(error: unknown): number {
  const errcode = field(error, 'errcode');
  return typeof errcode === 'number' ? errcode & 0xff : 0;
}

/** Whether another program is writing. */
export const isBusy = (error: unknown): boolean => resultCode(error) === 5;

/** Any error of the store's thread as one of the store's classes, which names the file and the way out. */
export function storeErrorOf(error: unknown, path: string, phase: Phase): StoreError {
  if (error instanceof StoreError) return error;
  const said = error instanceof Error ? error.message : String(error);
  switch (resultCode(error)) {
    case 5: // SQLITE_BUSY
    case 6: // SQLITE_LOCKED
      return new StoreBusyError({ path }, error);
    case 8: // SQLITE_READONLY
      return new StoreUnwritableError(
        { path, reason: 'it is read-only: make it and its folder writable' },
        error,
      );
    case 10: // SQLITE_IOERR
      return new StoreIoError({ path, reason: said }, error);
    case 11: // SQLITE_CORRUPT
      return new StoreDamagedError({ path, reason: said }, error);
    case 13: // SQLITE_FULL
      return new StoreFullError({ path }, error);
    case 14: // SQLITE_CANTOPEN
      return new StoreUnwritableError({ path, reason: whyNotOpened(path) }, error);
    case 26: // SQLITE_NOTADB
      return phase === 'open'
        ? new StoreDamagedError({ path }, error)
        : new StoreForeignFileError({ path, reason: 'is not a database' }, error);
    default:
      return new StoreFailedError({ path, reason: said }, error);
  }
}

/** What of an error can be posted. */
export function failureOf(error: StoreError): Failure {
  const { cause, ...details } = error.details;
  return { name: error.name, details, cause: cause === undefined ? undefined : causeOf(cause) };
}

const causeOf = (cause: unknown): Cause => ({
  message: cause instanceof Error ? cause.message : String(cause),
  stack: cause instanceof Error ? cause.stack : undefined,
  code: field(cause, 'code'),
  errcode: field(cause, 'errcode'),
  errstr: field(cause, 'errstr'),
});

/** The class of an error by its name. All of them are made from details and a cause. */
const { StoreError: _base, ...concrete } = errors;
const classes: Readonly<Record<string, new (details: never, cause?: unknown) => StoreError>> = concrete;

/** The error that a failure was made from. */
export function revive({ name, details, cause: said }: Failure): StoreError {
  const cause = said === undefined ? undefined : Object.assign(new Error(said.message), said);
  const ErrorClass = classes[name];
  // The one cast: `failureOf` has taken the details from an error of this very class.
  return new ErrorClass(details as never, cause);
}

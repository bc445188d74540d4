/** What can go wrong with the file of a trace. Each error names it as `path` and says the way out. */
import { errorClass, ObbligatoError } from '../errors.ts';

/** Any error of a trace file: it cannot be opened, read or written. */
export class TraceFileError extends errorClass(
  'TraceFileError',
  ObbligatoError,
  (path: string, reason: string, cause?: unknown) => ({
    message: `Trace file "${path}" ${reason}`,
    details: { path, reason },
    cause,
  }),
) {}

/** The file holds something that is no trace; it was left as it is. */
export class TraceForeignFileError extends errorClass(
  'TraceForeignFileError',
  ObbligatoError,
  (path: string, reason: string) => ({
    message: [
      `File "${path}" is not a trace (${reason}); it was left as it is`,
      'give the trace a file of its own',
    ],
    details: { path, reason },
  }),
) {}

/** Another live recorder writes to the file: another process, or this one. */
export class TraceLockedError extends errorClass(
  'TraceLockedError',
  ObbligatoError,
  (path: string, waitedMs: number, cause?: unknown) => ({
    message: [
      `Trace file "${path}" is being written by another recorder${waitedMs > 0 ? ` (waited ${waitedMs} ms)` : ''}`,
      'close that one, give this one a file of its own, or let it wait longer',
    ],
    details: { path, waitedMs },
    cause,
  }),
) {}

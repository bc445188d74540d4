/** What can go wrong with the file of a trace. Each error names it as `path` and says the way out. */
import { ObbligatoError } from '../errors.ts';

/** Any error of a trace file: it cannot be opened, read or written. */
export class TraceFileError extends ObbligatoError<{ path: string; reason: string }> {
  declare readonly path: string;
  declare readonly reason: string;

  constructor(path: string, reason: string, cause?: unknown) {
    super('TraceFileError', `Trace file "${path}" ${reason}`, { path, reason }, cause);
  }
}

/** The file holds something that is no trace; it was left as it is. */
export class TraceForeignFileError extends ObbligatoError<{ path: string; reason: string }> {
  declare readonly path: string;
  declare readonly reason: string;

  constructor(path: string, reason: string) {
    super(
      'TraceForeignFileError',
      [
        `File "${path}" is not a trace (${reason}); it was left as it is`,
        ': ',
        'give the trace a file of its own',
      ],
      { path, reason },
    );
  }
}

/** Another live recorder writes to the file: another process, or this one. */
export class TraceLockedError extends ObbligatoError<{ path: string; waitedMs: number }> {
  declare readonly path: string;
  declare readonly waitedMs: number;

  constructor(path: string, waitedMs: number, cause?: unknown) {
    super(
      'TraceLockedError',
      [
        `Trace file "${path}" is being written by another recorder${waitedMs > 0 ? ` (waited ${waitedMs} ms)` : ''}`,
        ': ',
        'close that one, give this one a file of its own, or let it wait longer',
      ],
      { path, waitedMs },
      cause,
    );
  }
}

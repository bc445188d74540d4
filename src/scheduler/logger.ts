/** Where a scheduler writes its lines. */
import type { EndOutcome } from '../core/history.ts';

/** A run that failed. */
export interface TaskFailure {
  readonly task: string;
  readonly attempt: number;
  readonly outcome: Exclude<EndOutcome, 'success' | 'cancelled' | 'interrupted'>;
  /** What the callback threw. */
  readonly error: unknown;
  /** How many runs of the task have failed in a row, this one included. */
  readonly failures: number;
  /** When it is tried again, in epoch milliseconds; `null` if its next due is waited for. */
  readonly nextTryAt: number | null;
}

/** Four methods; pino fits, and so does `console`. */
export interface Logger {
  /** Gets each failure of a task, instead of a line at `error` (H8). */
  failure?(failure: TaskFailure): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

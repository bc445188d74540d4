/** What each task owes to its failures, as columns: when to retry, since when it fails, and how often in a row (A6, J3). */
import { MAX_INSTANT } from '../time/zone.ts';
import { deadlineAfterStep } from './clock-step.ts';
import type { TaskRecord } from './record.ts';
import { orNone, orNull, ROW } from './rows.ts';

type Fields = Pick<TaskRecord, 'lastFailureAt' | 'pendingRetryUntil' | 'failures' | 'failingSince'>;

export class FailureColumns {
  readonly #lastFailureAt: Float64Array;
  readonly #retryAt: Float64Array;
  readonly #failures: Int32Array;
  readonly #failingSince: Float64Array;

  constructor(count: number) {
    this.#lastFailureAt = new Float64Array(count).fill(Number.NaN);
    this.#retryAt = new Float64Array(count).fill(Number.NaN);
    this.#failures = new Int32Array(count);
    this.#failingSince = new Float64Array(count).fill(Number.NaN);
  }

  set(task: number, record: Fields): void {
    this.#lastFailureAt[task] = orNone(record.lastFailureAt);
    this.#retryAt[task] = orNone(record.pendingRetryUntil);
    this.#failures[task] = record.failures;
    this.#failingSince[task] = orNone(record.failingSince);
  }

  get(task: number): Fields {
    return {
      lastFailureAt: orNull(this.#lastFailureAt[task]),
      pendingRetryUntil: orNull(this.#retryAt[task]),
      failures: this.#failures[task],
      failingSince: orNull(this.#failingSince[task]),
    };
  }

  /** When to retry, or `NaN` if no retry waits. */
  retryAt(task: number): number {
    return this.#retryAt[task];
  }

  setRetry(task: number, retryAt: number): void {
    this.#retryAt[task] = retryAt;
  }

  /** A call discharges a retry (A3). */
  called(task: number): void {
    this.#retryAt[task] = Number.NaN;
  }

  succeeded(task: number): void {
    this.#failures[task] = 0;
    this.#failingSince[task] = Number.NaN;
  }

  failed(task: number, endedAt: number, retryDelayMs: number): void {
    this.#lastFailureAt[task] = endedAt;
    this.#retryAt[task] = Math.min(endedAt + retryDelayMs, MAX_INSTANT);
    if (this.#failures[task]++ === 0) this.#failingSince[task] = endedAt;
  }

  /** The deadline after a step of the clock that was seen at `now` (B5); `NaN` if no retry waits. */
  retryAfterStep(task: number, retryDelayMs: number, now: number): number {
    const retryAt = this.#retryAt[task];
    return Number.isNaN(retryAt)
      ? retryAt
      : deadlineAfterStep(retryAt, this.#lastFailureAt[task], retryDelayMs, now);
  }

  /** Into the row of an end. */
  write(task: number, cells: Float64Array, row: number): void {
    cells[row + ROW.retryAt] = this.#retryAt[task];
    cells[row + ROW.failures] = this.#failures[task];
    cells[row + ROW.failingSince] = this.#failingSince[task];
  }
}

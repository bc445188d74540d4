/** What each task owes to its failures: when to retry, since when it fails, and how often in a row (A6, J3). */
import { MAX_INSTANT } from '../time/zone.ts';
import { deadlineAfterStep } from './clock-step.ts';
import type { TaskRecord } from './record.ts';
import { orNone, orNull, ROW } from './rows.ts';
import { INTEGER, integersOf, NUMBER, numbersOf, type TaskCells } from './task-cells.ts';

type Fields = Pick<TaskRecord, 'lastFailureAt' | 'pendingRetryUntil' | 'failures' | 'failingSince'>;

export class FailureColumns {
  #numbers: Float64Array;
  #integers: Int32Array;
  #waiting = 0;

  constructor(cells: TaskCells) {
    this.#numbers = cells.numbers;
    this.#integers = cells.integers;
    cells.onGrowth(() => {
      this.#numbers = cells.numbers;
      this.#integers = cells.integers;
    });
  }

  set(task: number, record: Fields): void {
    this.#numbers[numbersOf(task) + NUMBER.lastFailureAt] = orNone(record.lastFailureAt);
    this.setRetry(task, orNone(record.pendingRetryUntil));
    this.#integers[integersOf(task) + INTEGER.failures] = record.failures;
    this.#numbers[numbersOf(task) + NUMBER.failingSince] = orNone(record.failingSince);
  }

  get(task: number): Fields {
    return {
      lastFailureAt: orNull(this.#numbers[numbersOf(task) + NUMBER.lastFailureAt]),
      pendingRetryUntil: orNull(this.#numbers[numbersOf(task) + NUMBER.retryAt]),
      failures: this.#integers[integersOf(task) + INTEGER.failures],
      failingSince: orNull(this.#numbers[numbersOf(task) + NUMBER.failingSince]),
    };
  }

  /** When to retry, or `NaN` if no retry waits. */
  retryAt(task: number): number {
    return this.#numbers[numbersOf(task) + NUMBER.retryAt];
  }

  /** How many in a row. */
  count(task: number): number {
    return this.#integers[integersOf(task) + INTEGER.failures];
  }

  setRetry(task: number, retryAt: number): void {
    const numbers = this.#numbers;
    const at = numbersOf(task) + NUMBER.retryAt;
    if (!Number.isNaN(numbers[at])) this.#waiting--;
    if (!Number.isNaN(retryAt)) this.#waiting++;
    numbers[at] = retryAt;
  }

  /** How many tasks wait for a retry. */
  get waiting(): number {
    return this.#waiting;
  }

  /** A call discharges a retry (A3). */
  called(task: number): void {
    this.setRetry(task, Number.NaN);
  }

  succeeded(task: number): void {
    this.#integers[integersOf(task) + INTEGER.failures] = 0;
    this.#numbers[numbersOf(task) + NUMBER.failingSince] = Number.NaN;
  }

  /** The count stays as it is. The instant is kept as that of a failure, since the end is known by it if it comes again (E9). */
  cancelled(task: number, endedAt: number): void {
    this.#numbers[numbersOf(task) + NUMBER.lastFailureAt] = endedAt;
    this.setRetry(task, Number.NaN);
  }

  /** `delayMs` is until the next attempt; infinite if there is none. */
  failed(task: number, endedAt: number, delayMs: number): void {
    this.#numbers[numbersOf(task) + NUMBER.lastFailureAt] = endedAt;
    const isOver = delayMs === Number.POSITIVE_INFINITY;
    this.setRetry(task, isOver ? Number.NaN : Math.min(endedAt + delayMs, MAX_INSTANT));
    if (this.#integers[integersOf(task) + INTEGER.failures]++ === 0)
      this.#numbers[numbersOf(task) + NUMBER.failingSince] = endedAt;
  }

  /** The deadline after a step of the clock that was seen at `now` (B5); `NaN` if no retry waits. */
  retryAfterStep(task: number, retryDelayMs: number, now: number, aheadMs: number): number {
    const retryAt = this.#numbers[numbersOf(task) + NUMBER.retryAt];
    const failedAt = this.#numbers[numbersOf(task) + NUMBER.lastFailureAt];
    return Number.isNaN(retryAt) ? retryAt : deadlineAfterStep(retryAt, failedAt, retryDelayMs, now, aheadMs);
  }

  /** Into the row of an end. */
  write(task: number, cells: Float64Array, row: number): void {
    const numbers = this.#numbers;
    const at = numbersOf(task);
    cells[row + ROW.retryAt] = numbers[at + NUMBER.retryAt];
    cells[row + ROW.failures] = this.#integers[integersOf(task) + INTEGER.failures];
    cells[row + ROW.failingSince] = numbers[at + NUMBER.failingSince];
  }
}

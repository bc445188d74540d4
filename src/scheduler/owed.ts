/**
 * Since when each task has been owed a start, and where the time went until it was called. Its numbers are in the cells
 * of the task: this is on the way of every start.
 *
 *               noticed, with a reason                 called
 *     nothing ─────────────────────────▶ owed since ────────────▶ nothing
 *        ▲                                   │
 *        └────────────── forget ─────────────┘   (no reason is left, or the claim is taken back)
 *
 * The first instant counts: a task due every minute that has waited for three hours is three hours late, though the due that its
 * start serves is the last one. While its own run goes on, or a pause, a task cannot start, so nothing is counted before the end of that (A5, I3).
 */
import { NUMBER, numbersOf } from '../core/task-cells.ts';
import type { Tasks } from '../core/tasks.ts';
import type { Lateness } from './events.ts';

/** Nothing is owed. */
const NOTHING = Number.NaN;

export class Owed {
  readonly #tasks: Tasks;
  readonly #hasBound: boolean;
  /** `freeAt` is the end of the task's last run, or pause, in this life; 0 before. It could not start earlier, nor before this life began. */
  #numbers: Float64Array;
  #lifeBegan = 0;

  constructor(tasks: Tasks, workers: number) {
    this.#tasks = tasks;
    this.#hasBound = Number.isFinite(workers);
    this.#numbers = tasks.cells.numbers;
    tasks.cells.onGrowth(() => {
      this.#numbers = tasks.cells.numbers;
    });
  }

  /** Nothing was owed before: the life that could start anything begins. */
  begin(at: number): void {
    this.#lifeBegan = at;
  }

  /** A task comes, or is another one from now on: it could not start earlier, nor is it owed what it was before. */
  beginAnew(task: number, at: number): void {
    this.#numbers[numbersOf(task) + NUMBER.freeAt] = at;
    this.forget(task);
  }

  /** A task was looked at, which may be owed something: `firstDue` came first since the look before, `lastDue` is its last one. */
  noticed(task: number, at: number, firstDue: number, lastDue: number): void {
    const numbers = this.#numbers;
    const cells = numbersOf(task);
    // What is known stands, but for an instant that lies ahead: the clock has been set back, and it is owed no more.
    if (numbers[cells + NUMBER.owedAt] <= at) return;
    const reason = this.#tasks.reasonToRun(task, at, lastDue);
    if (reason === undefined) return;
    let owedAt = at;
    if (reason === 'due') {
      // After a step back of the clock the first ones may have been served already.
      const isUnserved = firstDue === lastDue || this.#tasks.reasonToRun(task, at, firstDue) === 'due';
      owedAt = isUnserved ? firstDue : lastDue;
    }
    const retryAt = this.#tasks.retryOf(task);
    if (retryAt < owedAt) owedAt = retryAt;
    const freeAt = numbers[cells + NUMBER.freeAt] || this.#lifeBegan;
    numbers[cells + NUMBER.owedAt] = owedAt < freeAt && freeAt <= at ? freeAt : owedAt;
    numbers[cells + NUMBER.noticedAt] = at;
  }

  taken(task: number, at: number, lastDue: number): void {
    // It may have come due after the look of this turn.
    this.noticed(task, at, lastDue, lastDue);
  }

  /** Its run has ended, or its pause: it could not start before. */
  freed(task: number, at: number): void {
    const numbers = this.#numbers;
    const cells = numbersOf(task);
    numbers[cells + NUMBER.freeAt] = at;
    if (numbers[cells + NUMBER.owedAt] < at) numbers[cells + NUMBER.owedAt] = at;
  }

  forget(task: number): void {
    this.#numbers[numbersOf(task) + NUMBER.owedAt] = NOTHING;
  }

  /** How long a task has been owed a start; 0 if nothing is owed. */
  lateMsOf(task: number, calledAt: number): number {
    return Math.max(0, calledAt - this.#numbers[numbersOf(task) + NUMBER.owedAt]) || 0;
  }

  /**
   * Where the time went of a start that was claimed, became durable and is called; undefined if it was no more than `lateAfterMs`. The parts
   * follow each other and never overlap.
   */
  latenessOf(
    task: number,
    claimedAt: number,
    durableAt: number,
    calledAt: number,
    lateAfterMs: number,
  ): Lateness | undefined {
    const owedAt = this.#numbers[numbersOf(task) + NUMBER.owedAt];
    const lateMs = calledAt - owedAt;
    if (!(lateMs > lateAfterMs)) return undefined;
    const noticedAt = within(this.#numbers[numbersOf(task) + NUMBER.noticedAt], owedAt, calledAt);
    // Without a bound a worker is always free: what waits to be taken waits for the batch before it to be durable.
    const takenAt = this.#hasBound ? within(claimedAt, noticedAt, calledAt) : noticedAt;
    return {
      lateMs,
      unnoticedMs: noticedAt - owedAt,
      queuedMs: takenAt - noticedAt,
      storeMs: within(durableAt, takenAt, calledAt) - takenAt,
    };
  }
}

/** A clock that was set meanwhile makes no part negative. */
const within = (at: number, from: number, to: number): number => Math.min(Math.max(at, from), to);

/**
 * Since when each task has been owed a start, and where the time went until it was called. Columns, as in `Tasks`: this is on the
 * way of every start.
 *
 *               noticed, with a reason                 called
 *     nothing ─────────────────────────▶ owed since ────────────▶ nothing
 *        ▲                                   │
 *        └────────────── forget ─────────────┘   (no reason is left, or the claim is taken back)
 *
 * The first instant counts: a task due every minute that has waited for three hours is three hours late, though the due that its
 * start serves is the last one. While its own run goes on a task cannot start, so nothing is counted before the end of that (A5).
 */
import type { Tasks } from '../core/tasks.ts';
import type { Lateness } from './events.ts';

/** Nothing is owed. */
const NOTHING = Number.NaN;

export class Owed {
  readonly #tasks: Tasks;
  readonly #hasBound: boolean;
  readonly #owedAt: Float64Array;
  readonly #noticedAt: Float64Array;
  readonly #takenAt: Float64Array;
  /** The end of the task's last run in this life; 0 before. It could not start earlier, nor before this life began. */
  readonly #freeAt: Float64Array;
  readonly #lifeBegan: number;

  constructor(tasks: Tasks, workers: number, lifeBegan: number) {
    this.#tasks = tasks;
    this.#hasBound = Number.isFinite(workers);
    this.#owedAt = new Float64Array(tasks.count).fill(NOTHING);
    this.#noticedAt = new Float64Array(tasks.count);
    this.#takenAt = new Float64Array(tasks.count);
    this.#freeAt = new Float64Array(tasks.count);
    this.#lifeBegan = lifeBegan;
  }

  /** A task was looked at, which may be owed something: `firstDue` came first since the look before, `lastDue` is its last one. */
  noticed(task: number, at: number, firstDue: number, lastDue: number): void {
    // What is known stands, but for an instant that lies ahead: the clock has been set back, and it is owed no more.
    if (this.#owedAt[task] <= at) return;
    const reason = this.#tasks.reasonToRun(task, at, lastDue);
    if (reason === undefined) return;
    let owedAt = at;
    if (reason === 'due') {
      // After a step back of the clock the first ones may have been served already.
      const isUnserved = this.#tasks.reasonToRun(task, at, firstDue) === 'due';
      owedAt = isUnserved ? firstDue : lastDue;
    }
    const retryAt = this.#tasks.retryOf(task);
    if (retryAt < owedAt) owedAt = retryAt;
    const freeAt = this.#freeAt[task] || this.#lifeBegan;
    this.#owedAt[task] = owedAt < freeAt && freeAt <= at ? freeAt : owedAt;
    this.#noticedAt[task] = at;
  }

  taken(task: number, at: number, lastDue: number): void {
    // It may have come due after the look of this turn.
    this.noticed(task, at, lastDue, lastDue);
    this.#takenAt[task] = at;
  }

  ended(task: number, endedAt: number): void {
    this.#freeAt[task] = endedAt;
    if (this.#owedAt[task] < endedAt) this.#owedAt[task] = endedAt;
  }

  forget(task: number): void {
    this.#owedAt[task] = NOTHING;
  }

  /** Where the time went; undefined if it was no more than `lateAfterMs`. The parts follow each other and never overlap. */
  latenessOf(task: number, calledAt: number, durableAt: number, lateAfterMs: number): Lateness | undefined {
    const owedAt = this.#owedAt[task];
    const lateMs = calledAt - owedAt;
    if (!(lateMs > lateAfterMs)) return undefined;
    const noticedAt = within(this.#noticedAt[task], owedAt, calledAt);
    // Without a bound a worker is always free: what waits to be taken waits for the batch before it to be durable.
    const takenAt = this.#hasBound ? within(this.#takenAt[task], noticedAt, calledAt) : noticedAt;
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

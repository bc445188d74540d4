/**
 * All tasks of a running scheduler, as columns: one slot per task, in the order of the registrations. A million of them are a few
 * typed arrays, not a graph of objects. The columns hold what decisions are made by; what is only shown (the last success, say) is
 * in the store alone.
 *
 * A task goes through these states. Which tasks are queued is not here: the executor's `phase` says it.
 *
 *              claim                    call                         end
 *     idle ────────────▶ claimed ────────────────▶ running ────────────────────▶ idle
 *       ▲                   │
 *       └───── unclaim ─────┘   (stop came before the call: what was there before comes back, A4)
 *
 * - *idle*: pending or not, as `reasonToRun` says: one rule, asked with the clock of that moment (A1).
 * - *claimed*: the start is on its way to the store, or durable and not yet called. Nothing is discharged yet: if the process
 *   dies here, the task is orphaned and all reasons still stand.
 * - *running*: the callback was called at `servedThrough`, which discharged all reasons at once (A3).
 *
 * No instant is ever compared to find out whether a task runs (B5): the executor's phase is a flag.
 */
import type { MoveChange, UnstartChange } from './changes.ts';
import { cursorAfterStep } from './clock-step.ts';
import { FailureColumns } from './failure-columns.ts';
import type { RunError } from './history.ts';
import type { Reason, RunRecord, TaskRecord, WorkRecord } from './record.ts';
import type { CheckedRegistration } from './registration.ts';
import {
  type Ends,
  type Naming,
  OUTCOMES,
  orNone,
  orNull,
  REASONS,
  ROW,
  SpareCells,
  type Starts,
} from './rows.ts';
import { RunNames } from './run-names.ts';
import { RunColumn, WorkColumn } from './work-columns.ts';

/** What a record says that decisions are made by. */
export type TaskState = Omit<
  TaskRecord,
  'name' | 'cron' | 'retryDelayMs' | 'firstSeenAt' | 'lastSuccessAt' | 'lastError' | 'lastDurationMs'
>;

const ORPHANED = 1;
const CLAIMED = 2;
const RUNNING = 4;

export class Tasks implements Naming {
  readonly count: number;
  readonly runNames = new RunNames();
  readonly spareCells = new SpareCells();
  readonly #registrations: readonly CheckedRegistration[];
  /** The place of this life's instance among the names of runs. */
  readonly #instance: number;
  readonly #servedThrough: Float64Array;
  readonly #lastAttemptAt: Float64Array;
  readonly #failures: FailureColumns;
  /** What is being worked on, until it succeeds. */
  readonly #work: WorkColumn;
  /** The run that is claimed, called, or was cut off; the last kind is what makes a task orphaned. */
  readonly #run: RunColumn;
  readonly #flags: Uint8Array;
  /** What claimed tasks had before, if they had anything, to be given back if they are not called. */
  readonly #beforeClaim = new Map<number, { work: WorkRecord | null; run: RunRecord | null }>();

  constructor(registrations: readonly CheckedRegistration[], instanceId: string) {
    const count = registrations.length;
    this.count = count;
    this.#registrations = registrations;
    this.#instance = this.runNames.place(instanceId);
    this.#servedThrough = new Float64Array(count);
    this.#lastAttemptAt = new Float64Array(count).fill(Number.NaN);
    this.#failures = new FailureColumns(count);
    this.#work = new WorkColumn(count, this.runNames);
    this.#run = new RunColumn(count, this.runNames);
    this.#flags = new Uint8Array(count);
  }

  /** Takes over what is stored of a task. */
  fill(task: number, record: TaskState): void {
    this.#servedThrough[task] = record.servedThrough;
    this.#lastAttemptAt[task] = orNone(record.lastAttemptAt);
    this.#failures.set(task, record);
    this.#work.set(task, record.work);
    this.#run.set(task, record.run);
    this.#flags[task] = record.run === null ? 0 : ORPHANED;
  }

  /** Nothing is stored of a task: nothing up to `cursor` is owed (E2). */
  firstComing(task: number, cursor: number): void {
    this.#servedThrough[task] = cursor;
  }

  /** The unfinished run of a task is known to be cut off from now on (J1). */
  cutOff(task: number, at: number): void {
    const run = this.#run.get(task);
    if (run !== null) this.#run.set(task, { ...run, cutOffAt: at });
  }

  nameOf(task: number): string {
    return this.#registrations[task].name;
  }

  registrationOf(task: number): CheckedRegistration {
    return this.#registrations[task];
  }

  runOf(task: number): RunRecord | null {
    return this.#run.get(task);
  }

  workOf(task: number): WorkRecord | null {
    return this.#work.get(task);
  }

  isClaimed(task: number): boolean {
    return (this.#flags[task] & CLAIMED) !== 0;
  }

  /** When to retry, or `NaN` if no retry waits. */
  retryOf(task: number): number {
    return this.#failures.retryAt(task);
  }

  /** Why an idle task is to be started, or undefined if it is not (A1); orphaned before due before retry (F4). */
  reasonToRun(task: number, now: number, lastDue: number): Reason | undefined {
    if ((this.#flags[task] & ORPHANED) !== 0) return 'orphaned';
    if (lastDue > this.#servedThrough[task]) return 'due';
    return this.#failures.retryAt(task) <= now ? 'retry' : undefined;
  }

  /** idle → claimed. A newer due is new work; otherwise the work goes on under its key, one attempt further (F4). */
  claim(task: number, runCount: number, at: number, reason: Reason, lastDue: number, into: Starts): void {
    const isOrphaned = (this.#flags[task] & ORPHANED) !== 0;
    const hasWork = this.#work.has(task);
    if (hasWork || isOrphaned)
      this.#beforeClaim.set(task, { work: this.#work.get(task), run: this.#run.get(task) });
    this.#flags[task] |= CLAIMED;
    // An orphan's cursor is still from before its run, so the due it was serving lies after it, and is not newer.
    const ownDue = isOrphaned && hasWork ? this.#work.scheduledFor(task) : Number.NEGATIVE_INFINITY;
    const isNewer = lastDue > Math.max(this.#servedThrough[task], ownDue);
    if (!hasWork || isNewer) this.#work.begin(task, this.#instance, runCount, lastDue);
    else this.#work.again(task);
    this.#run.begin(task, this.#instance, runCount, at, REASONS.indexOf(reason));
    const row = into.add();
    into.cells[row] = task;
    this.#work.write(task, into.cells, row);
    this.#run.write(task, into.cells, row);
    into.cells[row + ROW.startedAt] = at;
  }

  /** claimed → idle: the callback was not called and will not be. */
  unclaim(task: number): UnstartChange {
    const run = this.#run.get(task);
    if (!this.isClaimed(task) || run === null)
      throw new Error(`Only a claimed task is unclaimed (${this.nameOf(task)})`);
    const before = this.#beforeClaim.get(task) ?? { work: null, run: null };
    this.#beforeClaim.delete(task);
    this.#flags[task] &= ~CLAIMED;
    this.#work.set(task, before.work);
    this.#run.set(task, before.run);
    return { name: this.nameOf(task), runId: run.runId, ...before };
  }

  /** claimed → running, at the instant of the call: all three reasons are discharged (A3). */
  call(task: number, calledAt: number): void {
    if (!this.isClaimed(task)) throw new Error(`Only a claimed task is called (${this.nameOf(task)})`);
    if (this.#beforeClaim.size > 0) this.#beforeClaim.delete(task);
    this.#flags[task] = RUNNING;
    this.#servedThrough[task] = calledAt;
    this.#lastAttemptAt[task] = calledAt;
    this.#failures.called(task);
  }

  /** running → idle (A6). Answers when to retry, or `NaN`. */
  end(task: number, error: RunError | null, endedAt: number, into: Ends): number {
    if ((this.#flags[task] & RUNNING) === 0)
      throw new Error(`Only a running task ends (${this.nameOf(task)})`);
    this.#flags[task] = 0;
    const row = into.add(error);
    const { cells } = into;
    cells[row] = task;
    this.#work.write(task, cells, row);
    this.#run.write(task, cells, row);
    this.#run.set(task, null);
    if (error === null) {
      this.#work.set(task, null);
      this.#failures.succeeded(task);
    } else this.#failures.failed(task, endedAt, this.#registrations[task].retryDelayMs);
    cells[row + ROW.calledAt] = this.#servedThrough[task];
    cells[row + ROW.endedAt] = endedAt;
    cells[row + ROW.outcome] = OUTCOMES.indexOf(error === null ? 'success' : 'failure');
    this.#failures.write(task, cells, row);
    return this.#failures.retryAt(task);
  }

  /**
   * What a clock that was set back moves of an idle task (B5), or undefined if nothing. `landedAt` is what the clock showed right
   * after the step, at the earliest: dues since then stand. A retry delay that begins again begins at `seenAt`, when the step was seen.
   */
  afterStep(
    task: number,
    landedAt: number,
    seenAt: number,
    retryDelayMs = this.#registrations[task].retryDelayMs,
  ): MoveChange | undefined {
    return this.#stepped(task, landedAt, this.#failures.retryAfterStep(task, retryDelayMs, seenAt));
  }

  /** The same for a step during a run that has just ended: a deadline was set by that end, after the step, and stands. */
  afterStepDuringRun(task: number, landedAt: number): MoveChange | undefined {
    return this.#stepped(task, landedAt, this.#failures.retryAt(task));
  }

  #stepped(task: number, landedAt: number, deadline: number): MoveChange | undefined {
    const { cron } = this.#registrations[task];
    const servedThrough = cursorAfterStep(this.#servedThrough[task], landedAt, cron);
    const isSame =
      servedThrough === this.#servedThrough[task] && Object.is(deadline, this.#failures.retryAt(task));
    if (isSame) return undefined;
    this.#failures.setRetry(task, deadline);
    return this.moveCursor(task, servedThrough);
  }

  /** Moves the cursor of an idle task: of one that came for the first time, when the minute rolled over under `initialize` (D6). */
  moveCursor(task: number, servedThrough: number): MoveChange {
    this.#servedThrough[task] = servedThrough;
    return {
      name: this.nameOf(task),
      runId: this.#run.get(task)?.runId ?? null,
      lastAttemptAt: orNull(this.#lastAttemptAt[task]),
      servedThrough,
      pendingRetryUntil: orNull(this.#failures.retryAt(task)),
    };
  }

  /** What decisions are made by, as it is stored. */
  stateOf(task: number): TaskState {
    return {
      servedThrough: this.#servedThrough[task],
      lastAttemptAt: orNull(this.#lastAttemptAt[task]),
      ...this.#failures.get(task),
      work: this.#work.get(task),
      run: this.#run.get(task),
    };
  }
}

/**
 * All tasks of a running scheduler, as columns: one slot per task, in the order of the registrations. A million of them are a few
 * typed arrays, not a graph of objects.
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
import type { Schedule } from '../cron/schedule.ts';
import { MAX_INSTANT } from '../time/zone.ts';
import type { EndChange, MoveChange, StartChange, UnstartChange } from './changes.ts';
import { cursorAfterStep, deadlineAfterStep } from './clock-step.ts';
import type { RunRecord, TaskRecord, WorkRecord } from './record.ts';
import type { CheckedRegistration } from './registration.ts';

export type Reason = 'due' | 'retry' | 'orphaned';

/** No instant: the value of an optional column that is empty. */
const NONE = Number.NaN;

const orNone = (instant: number | null): number => instant ?? NONE;
const orNull = (instant: number): number | null => (Number.isNaN(instant) ? null : instant);

export class Tasks {
  readonly count: number;
  readonly #registrations: readonly CheckedRegistration[];
  readonly #firstSeenAt: Float64Array;
  readonly #servedThrough: Float64Array;
  readonly #lastAttemptAt: Float64Array;
  readonly #lastSuccessAt: Float64Array;
  readonly #lastFailureAt: Float64Array;
  readonly #pendingRetryUntil: Float64Array;
  /** What is being worked on, until it succeeds. */
  readonly #work: (WorkRecord | null)[];
  /** The run that is claimed, called, or was cut off; the last kind is what makes a task orphaned. */
  readonly #run: (RunRecord | null)[];
  readonly #orphaned: Uint8Array;
  /** What claimed tasks had before, to be given back if they are not called. */
  readonly #beforeClaim = new Map<number, { work: WorkRecord | null; run: RunRecord | null }>();

  constructor(registrations: readonly CheckedRegistration[], records: readonly TaskRecord[]) {
    const count = records.length;
    this.count = count;
    this.#registrations = registrations;
    this.#firstSeenAt = new Float64Array(count);
    this.#servedThrough = new Float64Array(count);
    this.#lastAttemptAt = new Float64Array(count);
    this.#lastSuccessAt = new Float64Array(count);
    this.#lastFailureAt = new Float64Array(count);
    this.#pendingRetryUntil = new Float64Array(count);
    this.#work = new Array(count).fill(null);
    this.#run = new Array(count).fill(null);
    this.#orphaned = new Uint8Array(count);
    for (let task = 0; task < count; task++) this.#fill(task, records[task]);
  }

  #fill(task: number, record: TaskRecord): void {
    this.#firstSeenAt[task] = record.firstSeenAt;
    this.#servedThrough[task] = record.servedThrough;
    this.#lastAttemptAt[task] = orNone(record.lastAttemptAt);
    this.#lastSuccessAt[task] = orNone(record.lastSuccessAt);
    this.#lastFailureAt[task] = orNone(record.lastFailureAt);
    this.#pendingRetryUntil[task] = orNone(record.pendingRetryUntil);
    this.#work[task] = record.work;
    this.#run[task] = record.run;
    this.#orphaned[task] = record.run === null ? 0 : 1;
  }

  nameOf(task: number): string {
    return this.#registrations[task].name;
  }

  registrationOf(task: number): CheckedRegistration {
    return this.#registrations[task];
  }

  schedules(): readonly Schedule[] {
    return this.#registrations.map(({ schedule }) => schedule);
  }

  runOf(task: number): RunRecord | null {
    return this.#run[task];
  }

  workOf(task: number): WorkRecord | null {
    return this.#work[task];
  }

  isClaimed(task: number): boolean {
    return this.#beforeClaim.has(task);
  }

  /** When to retry, or `NaN` if no retry waits. */
  retryOf(task: number): number {
    return this.#pendingRetryUntil[task];
  }

  /** Why an idle task is to be started, or undefined if it is not (A1); orphaned before due before retry (F4). */
  reasonToRun(task: number, now: number, lastDue: number): Reason | undefined {
    if (this.#orphaned[task] === 1) return 'orphaned';
    if (lastDue > this.#servedThrough[task]) return 'due';
    return this.#pendingRetryUntil[task] <= now ? 'retry' : undefined;
  }

  /** idle → claimed. A newer due is new work; otherwise the work goes on under its key, one attempt further (F4). */
  claim(task: number, run: RunRecord, lastDue: number): StartChange {
    const before = { work: this.#work[task], run: this.#run[task] };
    this.#beforeClaim.set(task, before);
    // An orphan's cursor is still from before its run, so the due it was serving lies after it, and is not newer.
    const ownDue = this.#orphaned[task] === 1 ? (before.work?.scheduledFor ?? -Infinity) : -Infinity;
    const isNewer = lastDue > Math.max(this.#servedThrough[task], ownDue);
    const work =
      before.work === null || isNewer
        ? { key: run.runId, scheduledFor: lastDue, attempt: 1 }
        : { ...before.work, attempt: before.work.attempt + 1 };
    this.#work[task] = work;
    this.#run[task] = run;
    return { name: this.nameOf(task), work, run };
  }

  /** claimed → idle: the callback was not called and will not be. */
  unclaim(task: number): UnstartChange {
    const before = this.#beforeClaim.get(task);
    const run = this.#run[task];
    if (before === undefined || run === null)
      throw new Error(`Only a claimed task is unclaimed (${this.nameOf(task)})`);
    this.#beforeClaim.delete(task);
    this.#work[task] = before.work;
    this.#run[task] = before.run;
    return { name: this.nameOf(task), runId: run.runId, ...before };
  }

  /** claimed → running, at the instant of the call: all three reasons are discharged (A3). */
  call(task: number, calledAt: number): void {
    if (!this.#beforeClaim.delete(task))
      throw new Error(`Only a claimed task is called (${this.nameOf(task)})`);
    this.#servedThrough[task] = calledAt;
    this.#lastAttemptAt[task] = calledAt;
    this.#pendingRetryUntil[task] = NONE;
    this.#orphaned[task] = 0;
  }

  /** running → idle (A6). */
  end(task: number, outcome: EndChange['outcome'], endedAt: number): EndChange {
    const run = this.#run[task];
    if (run === null) throw new Error(`Only a running task ends (${this.nameOf(task)})`);
    this.#run[task] = null;
    if (outcome === 'success') {
      this.#lastSuccessAt[task] = endedAt;
      this.#work[task] = null;
    } else {
      this.#lastFailureAt[task] = endedAt;
      const retryAt = endedAt + this.#registrations[task].retryDelayMs;
      this.#pendingRetryUntil[task] = Math.min(retryAt, MAX_INSTANT);
    }
    return {
      name: this.nameOf(task),
      runId: run.runId,
      calledAt: this.#servedThrough[task],
      endedAt,
      outcome,
      pendingRetryUntil: orNull(this.#pendingRetryUntil[task]),
      work: this.#work[task],
    };
  }

  /**
   * What a clock that was set back moves of an idle task (B5), or undefined if nothing. `landedAt` is what the clock showed right
   * after the step, at the earliest: dues since then stand. A retry delay that begins again begins at `seenAt`, when the step was seen.
   */
  afterStep(task: number, landedAt: number, seenAt: number): MoveChange | undefined {
    const retry = this.#pendingRetryUntil[task];
    const { retryDelayMs } = this.#registrations[task];
    const deadline = Number.isNaN(retry)
      ? retry
      : deadlineAfterStep(retry, this.#lastFailureAt[task], retryDelayMs, seenAt);
    return this.#stepped(task, landedAt, deadline);
  }

  /** The same for a step during a run that has just ended: a deadline was set by that end, after the step, and stands. */
  afterStepDuringRun(task: number, landedAt: number): MoveChange | undefined {
    return this.#stepped(task, landedAt, this.#pendingRetryUntil[task]);
  }

  #stepped(task: number, landedAt: number, deadline: number): MoveChange | undefined {
    const { cron } = this.#registrations[task];
    const servedThrough = cursorAfterStep(this.#servedThrough[task], landedAt, cron);
    const isSame =
      servedThrough === this.#servedThrough[task] && Object.is(deadline, this.#pendingRetryUntil[task]);
    if (isSame) return undefined;
    this.#pendingRetryUntil[task] = deadline;
    return this.moveCursor(task, servedThrough);
  }

  /** Moves the cursor of an idle task: of one that came for the first time, when the minute rolled over under `initialize` (D6). */
  moveCursor(task: number, servedThrough: number): MoveChange {
    this.#servedThrough[task] = servedThrough;
    return {
      name: this.nameOf(task),
      runId: this.#run[task]?.runId ?? null,
      lastAttemptAt: orNull(this.#lastAttemptAt[task]),
      servedThrough,
      pendingRetryUntil: orNull(this.#pendingRetryUntil[task]),
    };
  }

  /** The whole record, as it is to be stored. */
  recordOf(task: number): TaskRecord {
    const { name, cron, retryDelayMs } = this.#registrations[task];
    return {
      name,
      cron,
      retryDelayMs,
      firstSeenAt: this.#firstSeenAt[task],
      servedThrough: this.#servedThrough[task],
      lastAttemptAt: orNull(this.#lastAttemptAt[task]),
      lastSuccessAt: orNull(this.#lastSuccessAt[task]),
      lastFailureAt: orNull(this.#lastFailureAt[task]),
      pendingRetryUntil: orNull(this.#pendingRetryUntil[task]),
      work: this.#work[task],
      run: this.#run[task],
    };
  }
}

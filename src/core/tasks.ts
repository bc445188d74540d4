/**
 * All tasks of a running scheduler: one stretch of numbers per task (`task-cells.ts`), in the order of the registrations. A million of
 * them are one typed array, not a graph of objects. It holds what decisions are made by; what is only shown (the last success, say) is
 * in the store alone.
 *
 * A task goes through these states. Which tasks are queued is not here: the executor's `phase` says it.
 *
 *              claim                    call                         end
 *     idle ────────────▶ claimed ────────────────▶ running ────────────────────▶ idle
 *       ▲                   │
 *       └───── unclaim ─────┘   (stop came before the call: what was there before comes back, A4)
 *
 * A run that a stop has interrupted leaves an orphan (A13): its task is idle, and nothing but the next scheduler starts it.
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
import type { EndOutcome, RunError } from './history.ts';
import { leftByStop } from './interrupted-run.ts';
import { delayAfter, offsetOf } from './policy.ts';
import type { Reason, RunRecord, TaskRecord, WorkRecord } from './record.ts';
import {
  Ends,
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
import { BYTE, bytesOf, NUMBER, numbersOf } from './task-cells.ts';
import { FLAG, TaskTable } from './task-table.ts';
import { RunColumn, WorkColumn } from './work-columns.ts';

/** What a record says that decisions are made by. */
export type TaskState = Omit<
  TaskRecord,
  | 'name'
  | 'cron'
  | 'retryDelayMs'
  | 'policy'
  | 'firstSeenAt'
  | 'lastSuccessAt'
  | 'lastError'
  | 'lastDurationMs'
>;

const {
  orphaned: ORPHANED,
  claimed: CLAIMED,
  running: RUNNING,
  paused: PAUSED,
  manual: MANUAL,
  unlisted: UNLISTED,
  gone: GONE,
} = FLAG;

export class Tasks extends TaskTable implements Naming {
  readonly runNames = new RunNames();
  readonly spareCells = new SpareCells();
  /** How far ahead of the clock a deadline may have been set: other instances measure that clock too (K6). */
  aheadMs = 0;
  /** The place of this life's instance among the names of runs. */
  readonly #instance: number;
  #numbers: Float64Array;
  /** The flags of a task are a byte of its cells. */
  #bytes: Uint8Array;
  readonly #failures: FailureColumns;
  /** What is being worked on, until it succeeds. */
  readonly #work: WorkColumn;
  /** The run that is claimed, called, or was cut off; the last kind is what makes a task orphaned. */
  readonly #run: RunColumn;
  /** What claimed tasks had before, if they had anything, to be given back if they are not called. */
  readonly #beforeClaim = new Map<number, { work: WorkRecord | null; run: RunRecord | null }>();
  /** By task that is or was paused: since when. */
  readonly #pausedSince = new Map<number, number>();

  constructor(registrations: TaskTable['registrations'], instanceId: string) {
    super(registrations);
    this.#instance = this.runNames.place(instanceId);
    this.#numbers = this.cells.numbers;
    this.#bytes = this.cells.bytes;
    this.cells.onGrowth(() => {
      this.#numbers = this.cells.numbers;
      this.#bytes = this.cells.bytes;
    });
    this.#failures = new FailureColumns(this.cells);
    this.#work = new WorkColumn(this.cells, this.runNames);
    this.#run = new RunColumn(this.cells, this.runNames);
  }

  /** Takes over what is stored of a task. */
  fill(task: number, record: TaskState): void {
    this.#numbers[numbersOf(task) + NUMBER.version] = record.version;
    this.#numbers[numbersOf(task) + NUMBER.servedThrough] = record.servedThrough;
    this.#numbers[numbersOf(task) + NUMBER.lastAttemptAt] = orNone(record.lastAttemptAt);
    this.#failures.set(task, record);
    this.#work.set(task, record.work);
    this.#run.set(task, record.run);
    const flagsAt = bytesOf(task) + BYTE.flags;
    const unlisted = this.#bytes[flagsAt] & UNLISTED;
    this.#bytes[flagsAt] =
      unlisted | (record.run === null ? 0 : ORPHANED) | (record.pausedAt === null ? 0 : PAUSED);
    if (record.pausedAt !== null) this.#pausedSince.set(task, record.pausedAt);
  }

  override free(task: number): void {
    this.#failures.setRetry(task, Number.NaN);
    this.#run.set(task, null);
    this.#beforeClaim.delete(task);
    super.free(task);
  }

  /** An idle task begins with nothing, as a name that is new or was known before (H10). What was asked for stands. */
  startOver(task: number, how: 'new' | 'known'): void {
    const version = how === 'known' ? this.versionOf(task) + 1 : Number.NaN;
    const flags = this.cells.bytes[bytesOf(task) + BYTE.flags] & MANUAL;
    this.#failures.setRetry(task, Number.NaN);
    this.#run.set(task, null);
    this.cells.clear(task);
    this.cells.bytes[bytesOf(task) + BYTE.flags] = flags;
    this.setVersion(task, version);
  }

  /** Where the cursor of a running task will be when its run has ended. Its end says it to the store. */
  serve(task: number, servedThrough: number): void {
    this.#numbers[numbersOf(task) + NUMBER.servedThrough] = servedThrough;
  }

  /** What the store has now of an idle task, which another instance has changed (K2). A run that is not cut off is that instance's. */
  follow(task: number, record: TaskState): void {
    const manual = this.#bytes[bytesOf(task) + BYTE.flags] & MANUAL;
    this.fill(task, record.run?.cutOffAt === null ? { ...record, run: null } : record);
    this.#bytes[bytesOf(task) + BYTE.flags] |= manual;
  }

  /** Whether a record has the configuration of this list (K5). */
  hasConfigurationOf(task: number, { cron, retryDelayMs, policy }: TaskRecord): boolean {
    const own = this.registrations[task];
    return own.cron === cron && own.retryDelayMs === retryDelayMs && own.policy.text === policy;
  }

  /** Nothing is stored of a task: nothing up to `cursor` is owed (E2). */
  firstComing(task: number, cursor: number): void {
    this.#numbers[numbersOf(task) + NUMBER.servedThrough] = cursor;
  }

  /** The unfinished run of a task is known to be cut off from now on (J1). */
  cutOff(task: number, at: number): void {
    const run = this.#run.get(task);
    if (run !== null) this.#run.set(task, { ...run, cutOffAt: at });
  }

  runOf(task: number): RunRecord | null {
    return this.#run.get(task);
  }

  workOf(task: number): WorkRecord | null {
    return this.#work.get(task);
  }

  isClaimed(task: number): boolean {
    return (this.#bytes[bytesOf(task) + BYTE.flags] & CLAIMED) !== 0;
  }

  /** Every due instant up to here is served. */
  cursorOf(task: number): number {
    return this.#numbers[numbersOf(task) + NUMBER.servedThrough];
  }

  /** When to retry, or `NaN` if no retry waits. */
  retryOf(task: number): number {
    return this.#failures.retryAt(task);
  }

  /** How many tasks wait for a retry. */
  get retriesWaiting(): number {
    return this.#failures.waiting;
  }

  /** Why an idle task is to be started, or undefined if it is not (A1); orphaned before due before manual before retry (F4, I2). */
  reasonToRun(task: number, now: number, lastDue: number): Reason | undefined {
    const flags = this.#bytes[bytesOf(task) + BYTE.flags];
    if ((flags & (UNLISTED | GONE)) !== 0) return undefined;
    if ((flags & PAUSED) === 0) {
      if ((flags & ORPHANED) !== 0) return 'orphaned';
      const isUnserved = lastDue > this.#numbers[numbersOf(task) + NUMBER.servedThrough];
      if (isUnserved && this.#isInTime(task, now, lastDue)) return 'due';
    }
    if ((flags & MANUAL) !== 0) return 'manual';
    return this.#failures.retryAt(task) <= now && (flags & PAUSED) === 0 ? 'retry' : undefined;
  }

  /** Whether the policy of a task still lets a due be served (H4). */
  #isInTime(task: number, now: number, dueAt: number): boolean {
    return this.areAllPlain || now - dueAt <= this.registrations[task].policy.startWithinMs;
  }

  /** Whether an idle task has a due that it has not served, and will not serve because that is too old (H4). What an orphan was serving is not touched. */
  isTooOld(task: number, now: number, lastDue: number): boolean {
    return !this.#isInTime(task, now, lastDue) && this.#isNewer(task, lastDue);
  }

  /** An orphan's cursor is still from before its run, so what that run was serving when it was claimed lies after it, and is not newer. */
  #isNewer(task: number, lastDue: number): boolean {
    const served = this.#numbers[numbersOf(task) + NUMBER.servedThrough];
    if (lastDue <= served || this.isPaused(task)) return false;
    if ((this.#bytes[bytesOf(task) + BYTE.flags] & ORPHANED) === 0 || !this.#work.has(task)) return true;
    const { startedAt = Number.NEGATIVE_INFINITY } = this.#run.get(task) ?? {};
    return lastDue > Math.max(this.#work.scheduledFor(task) + this.#offset(task), startedAt);
  }

  isPaused(task: number): boolean {
    return (this.#bytes[bytesOf(task) + BYTE.flags] & PAUSED) !== 0;
  }

  /** Since when it is paused; `null` if it is not, or only another instance knows. */
  pausedSince(task: number): number | null {
    return this.isPaused(task) ? (this.#pausedSince.get(task) ?? null) : null;
  }

  pause(task: number, at?: number): void {
    if (at !== undefined) this.#pausedSince.set(task, at);
    this.#bytes[bytesOf(task) + BYTE.flags] |= PAUSED;
  }

  resume(task: number): void {
    this.#bytes[bytesOf(task) + BYTE.flags] &= ~PAUSED;
  }

  /** Somebody has asked for a run (I2); the next start discharges that. */
  request(task: number): void {
    this.#bytes[bytesOf(task) + BYTE.flags] |= MANUAL;
  }

  /** idle → claimed. A newer due is new work; otherwise the work goes on under its key, one attempt further (F4). */
  claim(task: number, runCount: number, at: number, reason: Reason, lastDue: number, into: Starts): void {
    const bytes = this.#bytes;
    const flagsAt = bytesOf(task) + BYTE.flags;
    const isOrphaned = (bytes[flagsAt] & ORPHANED) !== 0;
    const hasWork = this.#work.has(task);
    if (hasWork || isOrphaned)
      this.#beforeClaim.set(task, { work: this.#work.get(task), run: this.#run.get(task) });
    bytes[flagsAt] |= CLAIMED;
    const isDue = this.#isInTime(task, at, lastDue);
    if (hasWork && !(isDue && this.#isNewer(task, lastDue))) this.#work.again(task);
    else {
      // Work that was asked for serves no due: it is for now.
      const scheduledFor = reason === 'manual' ? at : lastDue - this.#offset(task);
      this.#work.begin(task, this.#instance, runCount, scheduledFor);
    }
    this.#run.begin(task, this.#instance, runCount, at, REASONS.indexOf(reason));
    const row = into.add();
    const { cells } = into;
    cells[row] = task;
    this.#work.write(task, cells, row);
    this.#run.write(task, cells, row);
    cells[row + ROW.startedAt] = at;
    cells[row + ROW.version] = this.#numbers[numbersOf(task) + NUMBER.version]++;
  }

  /** By how much the due instants of a task are moved (H5). */
  #offset(task: number): number {
    if (this.areAllPlain) return 0;
    const { name, policy } = this.registrations[task];
    return offsetOf(name, policy);
  }

  /** claimed → idle: the callback was not called and will not be. The claim has raised the version, and stays in it if it was durable. */
  unclaim(task: number): UnstartChange {
    const run = this.#run.get(task);
    if (!this.isClaimed(task) || run === null)
      throw new Error(`Only a claimed task is unclaimed (${this.nameOf(task)})`);
    const before = this.#beforeClaim.get(task) ?? { work: null, run: null };
    this.#beforeClaim.delete(task);
    this.#bytes[bytesOf(task) + BYTE.flags] &= ~CLAIMED;
    this.#work.set(task, before.work);
    this.#run.set(task, before.run);
    this.begunUnder.delete(task);
    return { name: this.nameOf(task), runId: run.runId, ...before };
  }

  /** claimed → running, at the instant of the call: all reasons are discharged (A3). */
  call(task: number, calledAt: number): void {
    const bytes = this.#bytes;
    const flagsAt = bytesOf(task) + BYTE.flags;
    if ((bytes[flagsAt] & CLAIMED) === 0)
      throw new Error(`Only a claimed task is called (${this.nameOf(task)})`);
    if (this.#beforeClaim.size > 0) this.#beforeClaim.delete(task);
    bytes[flagsAt] = (bytes[flagsAt] & (PAUSED | UNLISTED)) | RUNNING;
    this.#numbers[numbersOf(task) + NUMBER.servedThrough] = calledAt;
    this.#numbers[numbersOf(task) + NUMBER.lastAttemptAt] = calledAt;
    this.#failures.called(task);
  }

  /** When the run of a task was called. */
  calledAt(task: number): number {
    return this.#numbers[numbersOf(task) + NUMBER.lastAttemptAt];
  }

  /** Where the cursor of a running task will be if the run ends at this instant: the end may serve what came due meanwhile (H9). */
  servedByEnd(task: number, endedAt: number): number {
    const served = this.#numbers[numbersOf(task) + NUMBER.servedThrough];
    return this.skipsWhileRunning(task) ? Math.max(served, endedAt) : served;
  }

  /** Whether the end of its run serves what came due meanwhile (H9). */
  skipsWhileRunning(task: number): boolean {
    return !this.areAllPlain && this.runsUnder(task).policy.whileRunning === 'skip';
  }

  /**
   * running → idle (A6). The cursor is where the end says (H9). Answers how it ended: a failure of the last attempt that the policy allows is
   * given up (H2).
   */
  end(task: number, ended: EndOutcome, error: RunError | null, endedAt: number, into: Ends): EndOutcome {
    const bytes = this.#bytes;
    const flagsAt = bytesOf(task) + BYTE.flags;
    if ((bytes[flagsAt] & RUNNING) === 0) throw new Error(`Only a running task ends (${this.nameOf(task)})`);
    bytes[flagsAt] &= ~RUNNING;
    this.#numbers[numbersOf(task) + NUMBER.version]++;
    const row = into.add(error);
    const { cells } = into;
    cells[row] = task;
    this.#work.write(task, cells, row);
    this.#run.write(task, cells, row);
    const { policy, retryDelayMs } = this.runsUnder(task);
    const attempt = this.#work.attempt(task);
    const isLast = attempt >= policy.maxAttempts;
    const outcome = isLast && (ended === 'failure' || ended === 'timed out') ? 'gave up' : ended;
    const delayMs =
      outcome === 'gave up' ? Number.POSITIVE_INFINITY : delayAfter(policy, retryDelayMs, attempt);
    if (outcome === 'interrupted') this.#interrupted(task, endedAt);
    else {
      this.#run.set(task, null);
      if (outcome === 'success') this.#failures.succeeded(task);
      // Cancelled work counts as no failure, and is not retried (I4).
      else if (outcome === 'cancelled') this.#failures.cancelled(task, endedAt);
      else this.#failures.failed(task, endedAt, delayMs);
      if (Number.isNaN(this.#failures.retryAt(task))) this.#work.set(task, null);
    }
    const calledAt = this.#numbers[numbersOf(task) + NUMBER.lastAttemptAt];
    const served = this.servedByEnd(task, endedAt);
    this.#numbers[numbersOf(task) + NUMBER.servedThrough] = served;
    if (this.begunUnder.size > 0) this.begunUnder.delete(task);
    cells[row + ROW.calledAt] = calledAt;
    cells[row + ROW.servedThrough] = served === calledAt ? Number.NaN : served;
    cells[row + ROW.endedAt] = endedAt;
    cells[row + ROW.outcome] = OUTCOMES.indexOf(outcome);
    this.#failures.write(task, cells, row);
    return outcome;
  }

  /** A stop has ended the run of a task: the task is orphaned, and neither failure nor attempt is counted (A13). */
  #interrupted(task: number, endedAt: number): void {
    const [run, work, calledAt] = [this.#run.get(task), this.#work.get(task), this.calledAt(task)];
    if (run === null || work === null) throw new Error(`A task that runs has a run (${this.nameOf(task)})`);
    const left = leftByStop({ ...run, work, calledAt, endedAt });
    this.#work.set(task, left.work);
    this.#run.set(task, left.run);
    this.#bytes[bytesOf(task) + BYTE.flags] |= ORPHANED;
  }

  /** running → idle, by an end that is durable already (K8). */
  completed(task: number, endedAt: number): EndOutcome {
    const written = new Ends(this);
    const outcome = this.end(task, 'success', null, endedAt, written);
    written.release();
    return outcome;
  }

  /** How long after a failure of what it works on the next attempt comes. */
  retryDelayOf(task: number): number {
    const { policy, retryDelayMs } = this.registrations[task];
    return delayAfter(policy, retryDelayMs, this.#work.attempt(task));
  }

  /** How many runs of a task have failed in a row. */
  failuresOf(task: number): number {
    return this.#failures.count(task);
  }

  /**
   * What a clock that was set back moves of an idle task (B5), or undefined if nothing. `now` is what the clock showed when the step was
   * seen: it decides, and a retry delay that begins again begins there.
   */
  afterStep(task: number, now: number, retryDelayMs?: number): MoveChange | undefined {
    // Most wait for no retry, and have a cursor that lies behind.
    if (
      this.#numbers[numbersOf(task) + NUMBER.servedThrough] <= now &&
      Number.isNaN(this.#failures.retryAt(task))
    )
      return undefined;
    const delayMs = retryDelayMs ?? this.retryDelayOf(task);
    return this.#stepped(task, now, this.#failures.retryAfterStep(task, delayMs, now, this.aheadMs));
  }

  #stepped(task: number, now: number, deadline: number): MoveChange | undefined {
    const { cron } = this.registrations[task];
    const servedThrough = cursorAfterStep(this.#numbers[numbersOf(task) + NUMBER.servedThrough], now, cron);
    const isSame =
      servedThrough === this.#numbers[numbersOf(task) + NUMBER.servedThrough] &&
      Object.is(deadline, this.#failures.retryAt(task));
    if (isSame) return undefined;
    this.#failures.setRetry(task, deadline);
    return this.moveCursor(task, servedThrough);
  }

  /** Moves the cursor of an idle task. Whoever writes that raises the version. */
  moveCursor(task: number, servedThrough: number): MoveChange {
    this.#numbers[numbersOf(task) + NUMBER.servedThrough] = servedThrough;
    return {
      name: this.nameOf(task),
      version: this.versionOf(task),
      servedThrough,
      pendingRetryUntil: orNull(this.#failures.retryAt(task)),
    };
  }

  /** What decisions are made by, as it is stored. */
  stateOf(task: number): Omit<TaskState, 'pausedAt' | 'version'> {
    return {
      servedThrough: this.#numbers[numbersOf(task) + NUMBER.servedThrough],
      lastAttemptAt: orNull(this.#numbers[numbersOf(task) + NUMBER.lastAttemptAt]),
      ...this.#failures.get(task),
      work: this.#work.get(task),
      run: this.#run.get(task),
    };
  }
}

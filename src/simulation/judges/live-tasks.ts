/**
 * The tasks of one living process, as the semantics want them.
 *
 *     idle ──its start is handed to the store──▶ claimed ──called──▶ running ──▶ idle
 *       ▲                                           │
 *       └── stop came first: taken back; or refused ┘
 *
 * Each transition is checked against rule A1 when it happens, and so is the content of each write that follows from it. A run ends when
 * the scheduler records its end, right after its callback has ended; or, where its policy says so, without that (H6).
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch, EndChange, StartChange, UnstartChange } from '../../store/port.ts';
import type { WrittenRecord } from '../../trace/record.ts';
import { isSameRun, type RunDetails, type RunEnd, type SeenContext, type WorldTime } from './judge.ts';
import { control, type RequestRecord } from './live-controls.ts';
import { LiveEnds } from './live-ends.ts';
import { setBack } from './live-steps.ts';
import { begun, elapsed, type LastEnd, type LiveTask, type Retry } from './live-task.ts';
import type { Promptness } from './promptness.ts';
import { isTooOld, newestDue, nextRun } from './rules.ts';
import { recordText } from './texts.ts';
import { Unwritten } from './unwritten.ts';
import type { Blame } from './violations.ts';

/** What does not change while a process lives. */
export interface LifeFacts {
  readonly instance: string;
  readonly timeZone: string;
  readonly workers: number;
}

/** Another list, and what its plan has written. */
export interface EditedLive {
  readonly plan: Batch;
  readonly names: ReadonlySet<string>;
  readonly timeZone: string;
  readonly plannedAt: number;
}

export class LiveTasks {
  readonly instance: string;
  readonly unwritten: Unwritten;
  /** From the call of `stop` on nothing may be claimed or called. */
  isStopping = false;
  readonly #time: WorldTime;
  readonly #blame: Blame;
  readonly #promptness: Promptness;
  #timeZone: string;
  readonly #workers: number;
  readonly #tasks = new Map<string, LiveTask>();
  /** No list has these any more; they go when their runs have ended (I5). */
  readonly #leaving = new Set<string>();
  readonly #ends: LiveEnds;
  readonly #lastEnds = new Map<string, LastEnd>();
  #busy = 0;

  constructor(
    time: WorldTime,
    blame: Blame,
    promptness: Promptness,
    { instance, timeZone, workers }: LifeFacts,
  ) {
    this.#time = time;
    this.#blame = blame;
    this.#promptness = promptness;
    this.unwritten = new Unwritten(blame);
    this.#ends = new LiveEnds(time, blame, this.unwritten, timeZone);
    this.instance = instance;
    this.#timeZone = timeZone;
    this.#workers = workers;
  }

  /** A task as it begins. */
  add(record: TaskRecord): void {
    const { passed: idleSince } = this.#time;
    const orphaned = record.run !== null;
    const nothing = { requestedSince: undefined, claim: undefined, run: undefined };
    this.#tasks.set(record.name, { record, orphaned, phase: 'idle', ...nothing, idleSince });
  }

  /** `stop` was called. */
  stop(): void {
    this.isStopping = true;
    for (const { run } of this.#tasks.values())
      if (run !== undefined) run.atStop ??= elapsed(run, this.#time);
  }

  /**
   * Another list is in force (I5). What its plan has written is followed: `reload.ts` holds the plan against the rules. What the list brings or changes
   * is judged by a clock that was set back, as by an `initialize` (B5).
   */
  edit({ plan, names, timeZone, plannedAt }: EditedLive): void {
    this.#timeZone = timeZone;
    const { removes = [], puts = [], configures = [] } = plan;
    for (const name of removes) this.#forget(name);
    for (const [name, task] of this.#tasks) {
      if (!names.has(name)) this.#leaving.add(name);
      else if (this.#leaving.delete(name)) this.#judge(task, plannedAt);
    }
    for (const put of puts)
      this.add({ ...put, pausedAt: this.#tasks.get(put.name)?.record.pausedAt ?? put.pausedAt });
    for (const { name, cron, retryDelayMs, policy } of configures) {
      const task = this.#tasks.get(name);
      if (task === undefined) continue;
      const before = task.record;
      task.record = { ...before, cron, retryDelayMs, policy };
      if (task.claim !== undefined)
        task.claim = { ...task.claim, before: { ...task.claim.before, cron, retryDelayMs, policy } };
      if (task.phase === 'idle') task.idleSince = this.#time.passed;
      this.#judge(task, plannedAt, before);
    }
  }

  /** `before` has the delay by which it failed. */
  #judge(task: LiveTask, plannedAt: number, before: TaskRecord = task.record): void {
    const { retryDelayMs, policy } = task.record;
    task.record = { ...task.record, retryDelayMs: before.retryDelayMs, policy: before.policy };
    setBack(task, plannedAt, plannedAt, this.unwritten);
    task.record = { ...task.record, retryDelayMs, policy };
  }

  /** The store has forgotten these names. */
  removed(names: readonly string[]): void {
    for (const name of names) if (this.#leaving.has(name)) this.#forget(name);
  }

  #forget(name: string): void {
    this.#tasks.delete(name);
    this.#leaving.delete(name);
    this.unwritten.forget(name);
  }

  /** Whether a list has the name. */
  has(name: string): boolean {
    return this.#tasks.has(name) && !this.#leaving.has(name);
  }

  /** A task, if a list has it, or has had it and its run goes on. */
  get(name: string): LiveTask | undefined {
    return this.#tasks.get(name);
  }

  /** Each task as it is known now. A claim that was not called counts as never made. */
  *known(): Iterable<Pick<LiveTask, 'record' | 'phase' | 'claim' | 'overtaken'>> {
    for (const task of this.#tasks.values()) yield { ...task, record: task.claim?.before ?? task.record };
  }

  /** The store has refused an end, an unstart or a move of the task. */
  overtaken(name: string): void {
    const task = this.#tasks.get(name);
    if (task !== undefined) task.overtaken = true;
  }

  retryOf(name: string): Retry {
    const task = this.#tasks.get(name);
    const { pendingRetryUntil = null } = task?.claim?.before ?? task?.record ?? {};
    return { at: pendingRetryUntil, isMoved: task?.claim?.isMoved ?? false };
  }

  /** How the last run of a task ended. */
  lastEndOf(name: string): LastEnd | undefined {
    return this.#lastEnds.get(name);
  }

  claimed({ name, work, run }: StartChange): void {
    const { now } = this.#time;
    const task = this.#tasks.get(name);
    if (task === undefined || this.#leaving.has(name))
      return void this.#blame('A2', `${name} was claimed, but is not registered`);
    this.#mayBeClaimed(name, task);
    const { record } = task;
    const { reason, work: expected } = nextRun(task, run.runId, this.#timeZone, now);
    if (reason === undefined)
      this.#blame(
        record.pausedAt === null ? 'A1' : 'I3',
        `${name} was not pending, and was claimed because it was ${run.reason}: ${recordText(record)}`,
      );
    const same =
      work.key === expected.key &&
      work.scheduledFor === expected.scheduledFor &&
      work.attempt === expected.attempt;
    if (!same) this.#blame('F4', `${name} works on ${JSON.stringify(work)}, not ${JSON.stringify(expected)}`);
    if (reason !== undefined && run.reason !== reason)
      this.#blame('F4', `${name} was claimed because it was ${run.reason}, not ${reason}`);
    if (run.startedAt !== now)
      this.#blame('A4', `${name} was claimed at ${now}, but ${run.startedAt} was written`);
    const promised = { runId: run.runId, reason: reason ?? 'retry', ...expected };
    const { cron, retryDelayMs, policy } = record;
    task.claim = { promised, before: record, isMoved: false, began: { cron, retryDelayMs, policy } };
    task.record = { ...record, work, run };
    task.phase = 'claimed';
    if (Number.isFinite(this.#workers))
      this.#promptness.mustBeInOrder(name, { ...task, record, phase: 'idle' }, this.#tasks, this.#timeZone);
    task.mayBeQueued = false;
    this.#busy++;
    if (this.#busy > this.#workers)
      this.#blame('X4', `${this.#busy} tasks at once, with ${this.#workers} workers`);
  }

  #mayBeClaimed(name: string, task: LiveTask): void {
    const { now } = this.#time;
    if (this.isStopping) this.#blame('D7', `${name} was claimed after stop`);
    if (task.phase !== 'idle') this.#blame('F2', `${name} was claimed while ${task.phase}`);
    const newest = newestDue(task, this.#timeZone, now);
    if (newest !== undefined && isTooOld(task.record, newest, now) && task.toldTooOld !== newest)
      this.#blame('H4', `${name} was claimed, and nobody said that its due of ${newest} is too old`);
    this.unwritten.mayBeStarted(name);
  }

  takenBack({ name, runId, work, run }: UnstartChange): void {
    const task = this.#tasks.get(name);
    if (task?.claim === undefined || task.phase !== 'claimed')
      return void this.#blame('A4', `${name} was taken back, but was not claimed`);
    if (!this.isStopping) this.#blame('A4', `${name} was taken back without a stop`);
    const { before, isMoved, promised } = task.claim;
    if (runId !== promised.runId)
      this.#blame('A4', `${runId} of ${name} was taken back, but ${promised.runId} was claimed`);
    if (recordText({ ...before, work, run }) !== recordText(before))
      this.#blame('A4', `${name} was taken back to something else than it was`);
    task.record = before;
    if (isMoved) this.unwritten.move(before);
    this.#becomesIdle(task);
  }

  /** The store refuses the start: the task counts as never claimed, and waits until it comes due again. */
  refused(name: string): void {
    const task = this.#tasks.get(name);
    if (task?.claim === undefined) return;
    task.record = task.claim.before;
    task.refusedAt = this.#time.now;
    this.#becomesIdle(task);
  }

  #becomesIdle(task: LiveTask): void {
    if (this.#busy >= this.#workers) this.#promptness.workerFreed();
    this.#busy--;
    task.phase = 'idle';
    task.claim = undefined;
    task.idleSince = this.#time.passed;
  }

  /** `durableRun` is the run that the store shows for the task. */
  called(name: string, given: RunDetails, seen: SeenContext, durableRun: string | undefined): void {
    const { now } = this.#time;
    const task = this.#tasks.get(name);
    if (task === undefined) return void this.#blame('A2', `${name} was called, but is not registered`);
    if (this.isStopping) this.#blame('D7', `${name} was called after stop`);
    if (task.phase === 'running') this.#blame('F2', `${name} overlaps itself`);
    if (durableRun !== given.runId) this.#blame('A4', `${name} was called before its start was durable`);
    const promised = task.claim?.promised;
    if (promised === undefined) return void this.#blame('A4', `${name} was called without a claim`);
    if (!isSameRun(given, promised))
      this.#blame('F4', `${name} was given ${JSON.stringify(given)}, not ${JSON.stringify(promised)}`);
    const waited = { ...task, record: task.claim?.before ?? task.record };
    this.#promptness.mustBePrompt(name, waited, 'started', this.#timeZone);
    task.record = { ...task.record, servedThrough: now, lastAttemptAt: now, pendingRetryUntil: null };
    task.orphaned = false;
    task.requestedSince = undefined;
    task.refusedAt = undefined;
    task.run = begun(given.runId, seen, task.claim?.began ?? task.record, this.#time);
    task.claim = undefined;
    task.phase = 'running';
  }

  /** The callback of a run has ended. If that run was given up, nobody asks for it any more (H6). */
  over(name: string, end: RunEnd): void {
    const run = this.#tasks.get(name)?.run;
    if (run?.runId === end.runId) this.#ends.over(name, run, end);
  }

  /** The scheduler has recorded the end of a run, and said how. */
  ended(name: string, recordedRun: string, said: EndChange['outcome']): void {
    const task = this.#tasks.get(name);
    const run = task?.run;
    if (task === undefined || run?.runId !== recordedRun)
      return void this.#blame('F2', `${recordedRun} of ${name} ended without running`);
    this.#lastEnds.set(name, this.#ends.ended(task, run, said));
    task.orphaned = task.record.run !== null;
    task.run = undefined;
    this.#becomesIdle(task);
  }

  /** The scheduler says that it lets a due pass (H4, H9). */
  skipped(record: Extract<WrittenRecord, { event: 'DueSkipped' }>): void {
    const task = this.#tasks.get(record.task);
    if (task === undefined) this.#blame('A2', `a due of ${record.task} was skipped, which is not registered`);
    else this.#ends.skipped(task, record);
  }

  /** What an operator has asked for takes effect (I2–I4). */
  controlled(record: RequestRecord): void {
    const task = this.#tasks.get(record.task);
    if (task === undefined) this.#blame('I1', `${record.task} is not registered`);
    else control(task, record, this.#time, this.unwritten, this.#blame);
  }

  /** The scheduler has noticed that the clock was set back (B5). */
  setBack(landedAt: number): void {
    // A name that no list has is judged by the list that has it again (I5).
    for (const [name, task] of this.#tasks)
      if (!this.#leaving.has(name)) setBack(task, landedAt, this.#time.now, this.unwritten);
  }

  /** No task may wait for its start longer than the bound, and no end may stay unrecorded. */
  checkPrompt(): void {
    for (const [name, { run }] of this.#tasks)
      if (run?.over !== undefined) this.#blame('A6', `the end of a run of ${name} was not recorded`);
    if (this.#busy >= this.#workers) return;
    for (const [name, task] of this.#tasks) {
      if (task.phase !== 'running' && !this.#leaving.has(name))
        this.#promptness.mustBePrompt(name, task, 'not started', this.#timeZone);
    }
  }
}

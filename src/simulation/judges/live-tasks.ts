/**
 * The tasks of one living process, as the semantics want them.
 *
 *     idle ──its start is handed to the store──▶ claimed ──called──▶ running ──▶ idle
 *       ▲                                           │
 *       └── stop came first: taken back; or refused ┘
 *
 * Each transition is checked against rule A1 when it happens, and so is the content of each write that follows from it.
 */
import type { TaskRecord, WorkRecord } from '../../core/record.ts';
import type { EndChange, MoveChange, StartChange, UnstartChange } from '../../store/port.ts';
import { firstDue, lastDue } from './calendar.ts';
import { isSameRun, type RunDetails, type WorldTime } from './judge.ts';
import type { Promptness } from './promptness.ts';
import { afterStep, moveOf, moveText, recordText } from './rules.ts';
import type { Blame } from './violations.ts';

/** What does not change while a process lives. */
export interface LifeFacts {
  readonly instance: string;
  readonly timeZone: string;
  readonly workers: number;
}

/** When a task is to be tried again, and whether a clock step has moved that or the cursor since the task was claimed. */
export interface Retry {
  readonly at: number | null;
  readonly isMoved: boolean;
}

interface Claim {
  /** What the callback must be given. */
  readonly promised: RunDetails;
  /** The record as it must be if the callback is not called. A clock step changes it. */
  readonly before: TaskRecord;
  /** A clock step has changed it. */
  readonly isMoved: boolean;
}

interface LiveTask {
  record: TaskRecord;
  orphaned: boolean;
  phase: 'idle' | 'claimed' | 'running';
  /** While it is claimed. */
  claim: Claim | undefined;
  /** While it runs: where its cursor will be at the end, if the clock was set back meanwhile. */
  cursorAtEnd?: number | undefined;
  /** When the store refused its start, by the wall clock, until it is called. */
  refusedAt?: number | undefined;
  /** Another scheduler has taken over a run of the task in this life, so what is known here need not be what is stored. */
  overtaken?: boolean;
  /**
   * The clock was set back since the task was last claimed. If it was in the queue then, it has kept its place there, although by
   * the new time nothing is due yet.
   */
  mayBeQueued?: boolean;
  /** When the task last became idle, in `passed`. */
  idleSince: number;
}

export class LiveTasks {
  readonly instance: string;
  /** From the call of `stop` on nothing may be claimed or called. */
  isStopping = false;
  readonly #time: WorldTime;
  readonly #blame: Blame;
  readonly #promptness: Promptness;
  readonly #timeZone: string;
  readonly #workers: number;
  readonly #tasks = new Map<string, LiveTask>();
  /** By task: an end or a move, as text, that must be in a batch before the task's next start, or together with it. */
  readonly #unwrittenEnds = new Map<string, string>();
  readonly #unwrittenMoves = new Map<string, string>();
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
    this.instance = instance;
    this.#timeZone = timeZone;
    this.#workers = workers;
  }

  /** A task as it begins. `unwritten` means that its cursor has moved and the store does not know it. */
  add(record: TaskRecord, cursor: 'written' | 'unwritten'): void {
    const { passed: idleSince } = this.#time;
    const orphaned = record.run !== null;
    this.#tasks.set(record.name, { record, orphaned, phase: 'idle', claim: undefined, idleSince });
    if (cursor === 'unwritten') this.#unwrittenMoves.set(record.name, moveText(moveOf(record)));
  }

  /** Each task as it is known now. A claim that was not called counts as never made. */
  *known(): Iterable<{
    readonly record: TaskRecord;
    readonly phase: LiveTask['phase'];
    readonly overtaken: boolean;
  }> {
    for (const { record, phase, claim, overtaken = false } of this.#tasks.values())
      yield { record: claim?.before ?? record, phase, overtaken };
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

  claimed({ name, work, run }: StartChange): void {
    const { now } = this.#time;
    const task = this.#tasks.get(name);
    if (task === undefined) return void this.#blame('A2', `${name} was claimed, but is not registered`);
    this.#mayBeClaimed(name, task);
    const { record } = task;
    const { reason, work: expected } = this.#nextRun(task, run.runId);
    if (reason === undefined) this.#blame('A1', `${name} was not pending: ${recordText(record)}`);
    const same =
      work.key === expected.key &&
      work.scheduledFor === expected.scheduledFor &&
      work.attempt === expected.attempt;
    if (!same) this.#blame('F4', `${name} works on ${JSON.stringify(work)}, not ${JSON.stringify(expected)}`);
    if (run.startedAt !== now)
      this.#blame('A4', `${name} was claimed at ${now}, but ${run.startedAt} was written`);
    const promised = { runId: run.runId, reason: reason ?? 'retry', ...expected };
    task.claim = { promised, before: record, isMoved: false };
    task.record = { ...record, work, run };
    task.phase = 'claimed';
    if (Number.isFinite(this.#workers)) this.#mustBeInOrder(name, { ...task, record, phase: 'idle' });
    task.mayBeQueued = false;
    this.#busy++;
    if (this.#busy > this.#workers)
      this.#blame('X4', `${this.#busy} tasks at once, with ${this.#workers} workers`);
  }

  /**
   * The process knows something of this task that the store does not: that must be durable before, or together with the start.
   */
  #mayBeClaimed(name: string, { phase }: LiveTask): void {
    if (this.isStopping) this.#blame('D7', `${name} was claimed after stop`);
    if (phase !== 'idle') this.#blame('F2', `${name} was claimed while ${phase}`);
    if (this.#unwrittenEnds.has(name)) this.#blame('A6', `${name} was claimed, and its end not written`);
    if (this.#unwrittenMoves.has(name))
      this.#blame('B5', `${name} was claimed, and the move of its cursor not written`);
  }

  /** Why the task is pending now, if it is, and what its next run works on. */
  #nextRun(
    { record, orphaned }: LiveTask,
    runId: string,
  ): { readonly reason: 'orphaned' | 'due' | 'retry' | undefined; readonly work: WorkRecord } {
    const { now } = this.#time;
    const { cron, servedThrough, pendingRetryUntil, work } = record;
    const dueAt = lastDue(cron, this.#timeZone, now);
    const isDue = dueAt > servedThrough;
    const isRetry = pendingRetryUntil !== null && pendingRetryUntil <= now;
    const reason = orphaned ? 'orphaned' : isDue ? 'due' : isRetry ? 'retry' : undefined;
    const isNewer = isDue && !(orphaned && work !== null && dueAt <= work.scheduledFor);
    if (work === null || isNewer) return { reason, work: { key: runId, scheduledFor: dueAt, attempt: 1 } };
    return { reason, work: { ...work, attempt: work.attempt + 1 } };
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
    if (isMoved) this.#unwrittenMoves.set(name, moveText(moveOf(before)));
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
  called(name: string, given: RunDetails, durableRun: string | undefined): void {
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
    this.#mustBePrompt(name, { ...task, record: task.claim?.before ?? task.record }, 'started');
    task.record = { ...task.record, servedThrough: now, lastAttemptAt: now, pendingRetryUntil: null };
    task.orphaned = false;
    task.refusedAt = undefined;
    task.claim = undefined;
    task.phase = 'running';
  }

  ended(name: string, outcome: EndChange['outcome']): void {
    const { now } = this.#time;
    const task = this.#tasks.get(name);
    if (task === undefined || task.phase !== 'running')
      return void this.#blame('F2', `${name} ended without running`);
    const calledAt = task.record.servedThrough;
    const { retryDelayMs, run } = task.record;
    task.record =
      outcome === 'success'
        ? { ...task.record, lastSuccessAt: now, work: null, run: null }
        : { ...task.record, lastFailureAt: now, pendingRetryUntil: now + retryDelayMs, run: null };
    const { work, pendingRetryUntil } = task.record;
    const end = { name, runId: run?.runId ?? '', calledAt, endedAt: now, outcome, pendingRetryUntil, work };
    this.#unwrittenEnds.set(name, endText(end));
    // If the scheduler has not noticed a step yet, it does so right after this, and then the task is idle.
    const servedThrough = task.cursorAtEnd ?? calledAt;
    task.cursorAtEnd = undefined;
    task.record = { ...task.record, servedThrough };
    if (servedThrough !== calledAt) this.#unwrittenMoves.set(name, moveText(moveOf(task.record)));
    this.#becomesIdle(task);
  }

  endWritten(end: EndChange): void {
    const expected = this.#unwrittenEnds.get(end.name);
    this.#unwrittenEnds.delete(end.name);
    if (expected !== endText(end)) this.#blame('A6', `written: ${endText(end)}; expected: ${expected}`);
  }

  moveWritten(move: MoveChange): void {
    const text = moveText(move);
    const expected = this.#unwrittenMoves.get(move.name);
    this.#unwrittenMoves.delete(move.name);
    if (expected !== text) this.#blame('B5', `written: ${text}; expected: ${expected}`);
  }

  /** The scheduler has noticed that the clock was set back (B5). */
  setBack(landedAt: number): void {
    for (const task of this.#tasks.values()) {
      if (task.refusedAt !== undefined) task.refusedAt = Math.min(task.refusedAt, landedAt);
      task.mayBeQueued = true;
      this.#stepped(task, landedAt);
    }
  }

  #stepped(task: LiveTask, landedAt: number): void {
    const moved = (record: TaskRecord): TaskRecord => afterStep(record, record, landedAt, this.#time.now);
    if (task.phase === 'running') {
      const servedThrough = task.cursorAtEnd ?? task.record.servedThrough;
      task.cursorAtEnd = moved({ ...task.record, servedThrough }).servedThrough;
      return;
    }
    const before = task.claim?.before ?? task.record;
    const after = moved(before);
    if (moveText(moveOf(before)) === moveText(moveOf(after))) return;
    if (task.claim !== undefined) task.claim = { ...task.claim, before: after, isMoved: true };
    else {
      task.record = after;
      this.#unwrittenMoves.set(after.name, moveText(moveOf(after)));
    }
  }

  /** No task may wait for its start longer than the bound. */
  checkPrompt(): void {
    if (this.#busy >= this.#workers) return;
    for (const [name, task] of this.#tasks) {
      if (task.phase !== 'running') this.#mustBePrompt(name, task, 'not started');
    }
  }

  #mustBePrompt(name: string, task: LiveTask, what: string): void {
    const { now, passed } = this.#time;
    const { boundMs, calmFrom } = this.#promptness;
    const earliest = Math.max(task.idleSince, calmFrom);
    if (passed - earliest <= boundMs) return;
    const lateMs = passed - Math.max(passed - (now - this.#owedAt(task)), earliest);
    if (lateMs > boundMs)
      this.#blame('A2', `${name} was owed and ${what} for ${lateMs} ms: ${recordText(task.record)}`);
  }

  /** From when on, by the wall clock, a task that does not run is owed a start. That may lie ahead. */
  #owedAt({ record, orphaned, refusedAt }: LiveTask): number {
    const due = (after: number): number => firstDue(record.cron, this.#timeZone, after);
    if (refusedAt !== undefined) return due(Math.max(refusedAt, record.servedThrough));
    if (orphaned) return Number.NEGATIVE_INFINITY;
    return Math.min(due(record.servedThrough), record.pendingRetryUntil ?? Infinity);
  }

  /**
   * With few workers, the tasks that wait must start in the order in which they came (X4), as far as the model can see that
   * order.
   */
  #mustBeInOrder(name: string, task: LiveTask): void {
    const { now, passed } = this.#time;
    const { steadyFrom, boundMs } = this.#promptness;
    if (task.mayBeQueued) return;
    if (task.refusedAt !== undefined) return; // it may be back for its retry, or because the clock was set
    const waitsSince = (each: LiveTask): number =>
      Math.max(passed - (now - this.#owedAt(each)), each.idleSince, steadyFrom);
    const since = waitsSince(task);
    for (const [other, each] of this.#tasks) {
      if (other === name || each.phase !== 'idle' || each.refusedAt !== undefined) continue;
      const waitedMs = since - waitsSince(each);
      if (waitedMs > boundMs)
        this.#blame('X4', `${name} was claimed, and ${other} had waited ${waitedMs} ms longer`);
    }
  }
}

const endText = ({ name, runId, calledAt, endedAt, outcome, pendingRetryUntil, work }: EndChange): string =>
  `${outcome} of ${name}, run ${runId}, called ${calledAt}, ended ${endedAt}, retry ${pendingRetryUntil}, ` +
  `work ${work?.key} ${work?.scheduledFor} ${work?.attempt}`;

/**
 * The tasks of one living process, as the semantics want them.
 *
 *     idle ──its start is handed to the store──▶ claimed ──called──▶ running ──▶ idle
 *       ▲                                           │
 *       └── stop came first: taken back; or refused ┘
 *
 * Each transition is checked against rule A1 when it happens, and so is the content of each write that follows from it.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { EndChange, MoveChange, StartChange, UnstartChange } from '../../store/port.ts';
import { afterEnd, endText } from './ends.ts';
import { isSameRun, type RunDetails, type WorldTime } from './judge.ts';
import type { LiveTask, Retry } from './live-task.ts';
import type { Promptness } from './promptness.ts';
import { afterStep, moveOf, moveText, nextRun, recordText } from './rules.ts';
import type { Blame } from './violations.ts';

/** What does not change while a process lives. */
export interface LifeFacts {
  readonly instance: string;
  readonly timeZone: string;
  readonly workers: number;
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
    const { reason, work: expected } = nextRun(task, run.runId, this.#timeZone, now);
    if (reason === undefined) this.#blame('A1', `${name} was not pending: ${recordText(record)}`);
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
    task.claim = { promised, before: record, isMoved: false };
    task.record = { ...record, work, run };
    task.phase = 'claimed';
    if (Number.isFinite(this.#workers))
      this.#promptness.mustBeInOrder(name, { ...task, record, phase: 'idle' }, this.#tasks, this.#timeZone);
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
    const waited = { ...task, record: task.claim?.before ?? task.record };
    this.#promptness.mustBePrompt(name, waited, 'started', this.#timeZone);
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
    const { work, run } = task.record;
    const lastDurationMs = Math.max(0, now - calledAt);
    task.record = { ...afterEnd(task.record, outcome, now), lastDurationMs, run: null };
    const { pendingRetryUntil, failures, failingSince } = task.record;
    const { runId = '', reason = 'due' } = run ?? {};
    const end = { name, runId, reason, calledAt, endedAt: now, outcome, pendingRetryUntil, work };
    this.#unwrittenEnds.set(name, endText({ ...end, failures, failingSince }));
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
      if (task.phase !== 'running') this.#promptness.mustBePrompt(name, task, 'not started', this.#timeZone);
    }
  }
}

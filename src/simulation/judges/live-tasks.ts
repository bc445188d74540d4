/**
 * The tasks of one living process, as the semantics say they must be.
 *
 *     idle ──its start is handed to the store──▶ claimed ──called──▶ running ──▶ idle
 *       ▲                                           │
 *       └───────── stop came first: taken back ─────┘
 *
 * Each transition is held against rule A1 as it happens, and so is the content of each write that it leads to.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { EndChange, MoveChange, StartChange, UnstartChange } from '../../store/port.ts';
import { dueDaysOf } from './due.ts';
import { afterStep, moveText, recordText } from './rules.ts';
import type { Verdicts } from './violations.ts';

/** What a callback was given, beside its name. */
export interface Given {
  readonly runId: string;
  readonly key: string;
  readonly attempt: number;
  readonly reason: string;
  readonly scheduledFor: number;
}

interface LiveTask {
  record: TaskRecord;
  orphaned: boolean;
  phase: 'idle' | 'claimed' | 'running';
  /** While claimed: what the callback must be given, and what comes back if it is not called; a step of the clock moves that. */
  claim:
    | { readonly given: Given; readonly before: TaskRecord; readonly cursor: 'as it was' | 'moved' }
    | undefined;
  /** While running: where the cursor will be at the end, if the clock was set back meanwhile. */
  cursorAtEnd?: number | undefined;
  /** When its start was refused, by the wall clock, until it is called. */
  refusedAt?: number | undefined;
  /** The clock was set back since it was last claimed: if it was queued then, it has kept its place, though by the new time it is not owed yet. */
  mayHaveAPlace?: boolean;
  /** When the task last became idle, by the clock that does not step. */
  idleSince: number;
}

export class LiveTasks {
  /** From the call of `stop` on nothing is claimed or called. */
  isStopping = false;
  readonly instance: string;
  readonly #verdicts: Verdicts;
  readonly #timeZone: string;
  readonly #workers: number;
  readonly #tasks = new Map<string, LiveTask>();
  readonly #unwrittenEnds = new Map<string, string>();
  readonly #unwrittenMoves = new Map<string, string>();
  #busy = 0;

  constructor(verdicts: Verdicts, instance: string, timeZone: string, workers: number) {
    this.#verdicts = verdicts;
    this.instance = instance;
    this.#timeZone = timeZone;
    this.#workers = workers;
  }

  /** A task as it begins; `unwritten` if its cursor has moved and the store does not know. */
  add(record: TaskRecord, cursor: 'written' | 'unwritten'): void {
    const { passed: idleSince } = this.#verdicts.timeline;
    const orphaned = record.run !== null;
    this.#tasks.set(record.name, { record, orphaned, phase: 'idle', claim: undefined, idleSince });
    if (cursor === 'unwritten') this.#unwrittenMoves.set(record.name, moveText(record));
  }

  /** What is known of each task now. A claim that was not called counts as never made. */
  *known(): Iterable<{ readonly record: TaskRecord; readonly phase: LiveTask['phase'] }> {
    for (const { record, phase, claim } of this.#tasks.values())
      yield { record: claim?.before ?? record, phase };
  }

  claimed({ name, work, run }: StartChange): void {
    const now = this.#verdicts.timeline.now;
    const task = this.#tasks.get(name);
    if (task === undefined)
      return void this.#verdicts.blame('A2', `${name} was claimed, but is not registered`);
    if (this.isStopping) this.#verdicts.blame('D7', `${name} was claimed after stop`);
    if (task.phase !== 'idle') this.#verdicts.blame('F2', `${name} was claimed while ${task.phase}`);
    // What is known of a task is durable before it is started again, or at least together with that.
    if (this.#unwrittenEnds.has(name))
      this.#verdicts.blame('A6', `${name} was claimed, and its end not written`);
    if (this.#unwrittenMoves.has(name))
      this.#verdicts.blame('B5', `${name} was claimed, and the move of its cursor not written`);
    const { record, orphaned } = task;
    const dueAt = dueDaysOf(record.cron, this.#timeZone).last(now);
    const isDue = dueAt > record.servedThrough;
    const isRetry = record.pendingRetryUntil !== null && record.pendingRetryUntil <= now;
    if (!orphaned && !isDue && !isRetry)
      this.#verdicts.blame('A1', `${name} was not pending: ${recordText(record)}`);
    const reason = orphaned ? 'orphaned' : isDue ? 'due' : 'retry';
    const isNewer = isDue && !(orphaned && record.work !== null && dueAt <= record.work.scheduledFor);
    const expected =
      record.work === null || isNewer
        ? { key: run.runId, scheduledFor: dueAt, attempt: 1 }
        : { ...record.work, attempt: record.work.attempt + 1 };
    const same =
      work.key === expected.key &&
      work.scheduledFor === expected.scheduledFor &&
      work.attempt === expected.attempt;
    if (!same)
      this.#verdicts.blame('F4', `${name} works on ${JSON.stringify(work)}, not ${JSON.stringify(expected)}`);
    if (run.startedAt !== now)
      this.#verdicts.blame('A4', `${name} was claimed at ${now}, but ${run.startedAt} was written`);
    const { runId } = run;
    task.claim = { given: { runId, reason, ...expected }, before: record, cursor: 'as it was' };
    task.record = { ...record, work, run };
    task.phase = 'claimed';
    if (Number.isFinite(this.#workers)) this.#mustBeInOrder(name, { ...task, record, phase: 'idle' });
    task.mayHaveAPlace = false;
    this.#busy++;
    if (this.#busy > this.#workers)
      this.#verdicts.blame('X4', `${this.#busy} tasks at once, with ${this.#workers} workers`);
  }

  /** When a task that is not running is to be tried again, and whether a step of the clock has moved that since it was claimed. */
  retryOf(name: string): { readonly at: number | null; readonly since: 'as it was' | 'moved' } {
    const task = this.#tasks.get(name);
    const { pendingRetryUntil = null } = task?.claim?.before ?? task?.record ?? {};
    return { at: pendingRetryUntil, since: task?.claim?.cursor ?? 'as it was' };
  }

  takenBack({ name, work, run }: UnstartChange): void {
    const task = this.#tasks.get(name);
    if (task?.claim === undefined || task.phase !== 'claimed')
      return void this.#verdicts.blame('A4', `${name} was taken back, but was not claimed`);
    if (!this.isStopping) this.#verdicts.blame('A4', `${name} was taken back without a stop`);
    const { before, cursor } = task.claim;
    if (recordText({ ...before, work, run }) !== recordText(before))
      this.#verdicts.blame('A4', `${name} was taken back to something else than it was`);
    task.record = before;
    if (cursor === 'moved') this.#unwrittenMoves.set(name, moveText(before));
    this.#becomesIdle(task);
  }

  /** The store does not grant the start: as if it had never been claimed, until the task comes due again. */
  refused(name: string): void {
    const task = this.#tasks.get(name);
    if (task?.claim === undefined) return;
    task.record = task.claim.before;
    task.refusedAt = this.#verdicts.timeline.now;
    this.#becomesIdle(task);
  }

  #becomesIdle(task: LiveTask): void {
    if (this.#busy >= this.#workers) this.#verdicts.workerFreed();
    this.#busy--;
    task.phase = 'idle';
    task.claim = undefined;
    task.idleSince = this.#verdicts.timeline.passed;
  }

  /** `durableRun` is the run that the store shows for the task. */
  called(name: string, given: Given, durableRun: string | undefined): void {
    const { now } = this.#verdicts.timeline;
    const task = this.#tasks.get(name);
    if (task === undefined)
      return void this.#verdicts.blame('A2', `${name} was called, but is not registered`);
    if (this.isStopping) this.#verdicts.blame('D7', `${name} was called after stop`);
    if (task.phase === 'running') this.#verdicts.blame('F2', `${name} overlaps itself`);
    if (durableRun !== given.runId)
      this.#verdicts.blame('A4', `${name} was called before its start was durable`);
    const promised = task.claim?.given;
    if (promised === undefined) return void this.#verdicts.blame('A4', `${name} was called without a claim`);
    const { runId, key, attempt, reason, scheduledFor } = promised;
    const same =
      given.runId === runId &&
      given.key === key &&
      given.attempt === attempt &&
      given.reason === reason &&
      given.scheduledFor === scheduledFor;
    if (!same)
      this.#verdicts.blame(
        'F4',
        `${name} was given ${JSON.stringify(given)}, not ${JSON.stringify(promised)}`,
      );
    this.#mustBePrompt(name, { ...task, record: task.claim?.before ?? task.record }, 'started');
    task.record = { ...task.record, servedThrough: now, lastAttemptAt: now, pendingRetryUntil: null };
    task.orphaned = false;
    task.refusedAt = undefined;
    task.claim = undefined;
    task.phase = 'running';
  }

  ended(name: string, outcome: EndChange['outcome']): void {
    const { now } = this.#verdicts.timeline;
    const task = this.#tasks.get(name);
    if (task === undefined || task.phase !== 'running')
      return void this.#verdicts.blame('F2', `${name} ended without running`);
    const calledAt = task.record.servedThrough;
    const { retryDelayMs } = task.record;
    task.record =
      outcome === 'success'
        ? { ...task.record, lastSuccessAt: now, work: null, run: null }
        : { ...task.record, lastFailureAt: now, pendingRetryUntil: now + retryDelayMs, run: null };
    const { work, pendingRetryUntil } = task.record;
    const end = { name, calledAt, endedAt: now, outcome, pendingRetryUntil, work };
    this.#unwrittenEnds.set(name, endText(end));
    // A step that nobody has noticed yet is told of right after, and then the task is idle.
    const servedThrough = task.cursorAtEnd ?? calledAt;
    task.cursorAtEnd = undefined;
    task.record = { ...task.record, servedThrough };
    if (servedThrough !== calledAt) this.#unwrittenMoves.set(name, moveText(task.record));
    this.#becomesIdle(task);
  }

  endWritten(end: EndChange): void {
    const expected = this.#unwrittenEnds.get(end.name);
    this.#unwrittenEnds.delete(end.name);
    if (expected !== endText(end)) this.#verdicts.blame('A6', `written: ${endText(end)}; owed: ${expected}`);
  }

  moveWritten(move: MoveChange): void {
    const text = moveText(move);
    const owed = this.#unwrittenMoves.get(move.name);
    this.#unwrittenMoves.delete(move.name);
    if (owed !== text) this.#verdicts.blame('B5', `written: ${text}; owed: ${owed}`);
  }

  #stepped(task: LiveTask, landedAt: number): void {
    const moved = (record: TaskRecord): TaskRecord =>
      afterStep(record, record, landedAt, this.#verdicts.timeline.now);
    if (task.phase === 'running') {
      const servedThrough = task.cursorAtEnd ?? task.record.servedThrough;
      task.cursorAtEnd = moved({ ...task.record, servedThrough }).servedThrough;
      return;
    }
    const before = task.claim?.before ?? task.record;
    const after = moved(before);
    if (moveText(before) === moveText(after)) return;
    if (task.claim !== undefined) task.claim = { ...task.claim, before: after, cursor: 'moved' };
    else {
      task.record = after;
      this.#unwrittenMoves.set(after.name, moveText(after));
    }
  }

  #mustBePrompt(name: string, task: LiveTask, what: string): void {
    const { now, passed } = this.#verdicts.timeline;
    const earliest = Math.max(task.idleSince, this.#verdicts.calmFrom);
    if (passed - earliest <= this.#verdicts.boundMs) return;
    const lateMs = passed - Math.max(passed - (now - this.#owedAt(task)), earliest);
    if (lateMs > this.#verdicts.boundMs)
      this.#verdicts.blame('A2', `${name} was owed and ${what} for ${lateMs} ms: ${recordText(task.record)}`);
  }

  /** By the wall clock: from when on a task that is not running is owed a start; it may lie ahead. */
  #owedAt({ record, orphaned, refusedAt }: LiveTask): number {
    const days = dueDaysOf(record.cron, this.#timeZone);
    if (refusedAt !== undefined) return days.first(Math.max(refusedAt, record.servedThrough));
    if (orphaned) return Number.NEGATIVE_INFINITY;
    const dueAt = days.first(record.servedThrough);
    return Math.min(dueAt, record.pendingRetryUntil ?? Infinity);
  }

  /** Where workers are few, whoever waits is served in the order in which they came (X4), as far as one can tell. */
  #mustBeInOrder(name: string, task: LiveTask): void {
    const { now, passed } = this.#verdicts.timeline;
    const { steadyFrom, boundMs } = this.#verdicts;
    if (task.mayHaveAPlace) return;
    if (task.refusedAt !== undefined) return; // it may be back for its retry, or because the clock was set
    const waitsSince = (each: LiveTask): number =>
      Math.max(passed - (now - this.#owedAt(each)), each.idleSince, steadyFrom);
    const since = waitsSince(task);
    for (const [other, each] of this.#tasks) {
      if (other === name || each.phase !== 'idle' || each.refusedAt !== undefined) continue;
      const waitedMs = since - waitsSince(each);
      if (waitedMs > boundMs)
        this.#verdicts.blame('X4', `${name} was claimed, and ${other} had waited ${waitedMs} ms longer`);
    }
  }

  /** The scheduler has noticed that the clock was set back (B5). */
  setBack(landedAt: number): void {
    for (const task of this.#tasks.values()) {
      if (task.refusedAt !== undefined) task.refusedAt = Math.min(task.refusedAt, landedAt);
      task.mayHaveAPlace = true;
      this.#stepped(task, landedAt);
    }
  }

  /** Nobody may have been owed a start for longer than the bound. */
  checkPrompt(): void {
    if (this.#busy >= this.#workers) return;
    for (const [name, task] of this.#tasks) {
      if (task.phase !== 'running') this.#mustBePrompt(name, task, 'not started');
    }
  }
}

const endText = ({ name, calledAt, endedAt, outcome, pendingRetryUntil, work }: EndChange): string =>
  `${outcome} of ${name}, called ${calledAt}, ended ${endedAt}, retry ${pendingRetryUntil}, ` +
  `work ${work?.key} ${work?.scheduledFor} ${work?.attempt}`;

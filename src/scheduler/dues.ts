/**
 * What makes tasks pending (A1): a due instant, the deadline of a retry, and everything that was so before somebody looked.
 *
 *     agenda, retries ──the instant has come──▶ triggered        a look at a task finds a reason ──▶ triggered
 *
 * Why no start is lost: every reason to run begins with an event that triggers its task here, or with a look at all tasks (at the beginning, after
 * a clock that was set back, after a list that was refused). A trigger too many does no harm, since a claim asks for the reason again.
 *
 * On a store that several schedulers share, what is due falls to one of them first, and the others look later (K7).
 */
import type { Agenda } from '../core/agenda.ts';
import type { Reason } from '../core/record.ts';
import { Retries } from '../core/retries.ts';
import type { Tasks } from '../core/tasks.ts';
import { trigger } from '../executor/state.ts';
import type { ClusterView, StoreSession } from '../store/port.ts';
import type { Caller } from './caller.ts';
import type { ClockSteps } from './clock-steps.ts';
import type { CursorMoves } from './cursor-moves.ts';
import type { EngineOptions } from './engine-options.ts';
import type { Turns } from './turns.ts';

/** The engine, as far as its dues need it. */
export interface DuesPorts {
  readonly moves: CursorMoves;
  readonly steps: ClockSteps;
  readonly turns: Turns;
  readonly caller: Caller;
  /** Other instances have declared this one dead (K4). */
  isFenced(): boolean;
  /** Whether a pause or a resume of a task was asked for here, and is not durable yet. */
  isTurning(name: string): boolean;
}

/** Who says what is known of a task: this instance, or, just now, the store. */
type Known = 'here' | 'by the store';

export class Dues {
  readonly #options: EngineOptions;
  readonly #ports: DuesPorts;
  readonly #tasks: Tasks;
  readonly #agenda: Agenda;
  readonly #retries: Retries;
  readonly #moves: CursorMoves;
  /** By name: the last due that was told as too old. It is told once in a life of the scheduler. */
  readonly #told = new Map<string, number>();
  /** What the other instances do, if there may be any. */
  readonly cluster: ClusterView | undefined;
  /** The first task that is still to be looked at; none if it is the count. */
  #nextLook: number;

  constructor(options: EngineOptions, ports: DuesPorts) {
    const { tasks, agenda, owed, session, now } = options;
    this.#options = options;
    this.#ports = ports;
    this.#tasks = tasks;
    this.#agenda = agenda;
    agenda.reset(now);
    owed.begin(now);
    this.#retries = new Retries(tasks);
    this.#moves = ports.moves;
    this.#nextLook = tasks.count;
    this.cluster = session.sharing && this.#viewOf(session.sharing);
  }

  #viewOf({ view }: NonNullable<StoreSession['sharing']>): ClusterView {
    const { tasks, clock, instanceId, logger, trace } = this.#options;
    return view({
      tasks,
      clock,
      instanceId,
      warn: (text) => logger.warn(text),
      gone: (gone) => trace?.({ event: 'InstanceGone', at: clock.now(), ...gone }),
      paused: (task, since) => trace?.({ event: 'Paused', at: clock.now(), task, since }),
      isIdle: (task) => !this.#moves.isOut(task),
      isTurning: (task) => this.#ports.isTurning(tasks.nameOf(task)),
      lastDue: (task, now) => this.#agenda.lastDue(task, now),
      isPending: (task, now) => this.#reasonToRun(task, now) !== undefined,
      look: (task) => this.lookAgain(task),
    });
  }

  /** The record of an idle task is another one than before. */
  lookAgain(task: number): void {
    this.#awaitRetry(task);
    this.lookAt(task, 'by the store');
    this.#ports.turns.plan();
  }

  /** When to look next, if nothing happens before. */
  get next(): number {
    return Math.min(this.#agenda.next, this.#retries.next);
  }

  /** Triggers what has come due, or is to be retried, or is still to be looked at. Answers whether that was all that has come due. */
  advance(now: number): boolean {
    if (this.#nextLook < this.#tasks.count)
      this.#ports.turns.inSteps((count) => this.#lookAtSome(now, count));
    const due = (task: number, dueAt: number): void => this.#due(task, now, dueAt);
    const retry = (task: number): void => this.#trigger(task, now);
    const isAllDue = this.#ports.turns.inSteps((count) => this.#agenda.advance(now, count, due));
    this.#ports.turns.inSteps((count) => this.#retries.advance(now, count, retry));
    return isAllDue;
  }

  /** Something may be pending that no event will tell of: every task is looked at, some of them per turn. */
  lookAtAll(): void {
    this.#nextLook = 0;
    this.#ports.turns.plan();
  }

  /** The same, where the deadlines of retries may be others than before, too. */
  beginAgain(): void {
    this.lookAtAll();
    this.#retries.gather();
  }

  /** If a retry of the task waits, its instant is looked out for. */
  #awaitRetry(task: number): void {
    const retryAt = this.#tasks.retryOf(task);
    if (!Number.isNaN(retryAt)) this.#retries.add(retryAt, task);
  }

  /** Something about a task has changed, and it may be pending now. */
  lookAt(task: number, known: Known = 'here'): void {
    this.#ports.steps.judge(task);
    this.#triggerIfPending(task, this.#options.clock.now(), known);
  }

  /** A run is over, and its task waits for the next reason to run. */
  runOver(task: number, now: number): void {
    this.#options.owed.freed(task, now);
    this.#awaitRetry(task);
  }

  /** These tasks are others than before (I5). */
  edited(tasks: readonly number[], now: number): void {
    for (const task of tasks) {
      if (!this.#moves.isOut(task)) this.#options.owed.beginAnew(task, now);
      this.#awaitRetry(task);
      this.lookAt(task);
    }
    this.#ports.turns.plan();
  }

  /**
   * The ends of these runs are durable. Until then the store refused what other instances claimed of their tasks, and they left it to this one
   * (K2): what has come due since the callback ended. And what another instance was asked to let go on may still be paused here, with a retry
   * that waits.
   */
  endsDurable(tasks: readonly number[]): void {
    if (this.cluster === undefined || this.#options.executor.stopped) return;
    for (const task of tasks) this.lookAt(task);
    const paused = tasks.filter((task) => this.#tasks.isPaused(task));
    if (paused.length > 0) void this.cluster.refresh(paused.map((task) => this.#tasks.nameOf(task)));
  }

  /** An idle task is looked at, and its last due may be too old (H4). Another instance may have served that: then the store is asked first. */
  lookForSkip(task: number, now: number, known: Known = 'here'): void {
    const dueAt = this.#agenda.lastDue(task, now);
    const name = this.#tasks.nameOf(task);
    if (!this.#tasks.isTooOld(task, now, dueAt) || this.#told.get(name) === dueAt) return;
    if (this.cluster?.isOthers(task)) return;
    if (this.cluster !== undefined && known === 'here') this.cluster.lookLater(task);
    else {
      this.#told.set(name, dueAt);
      this.#tellSkipped(name, now, dueAt, 'late');
    }
  }

  /** The run of a task ends, and serves what came due meanwhile, by the registration that it began with (H9). */
  skippedByEnd(task: number, endedAt: number, now: number): void {
    const began = this.#tasks.runsUnder(task);
    const isInForce = this.#tasks.isListed(task) && began === this.#tasks.registrationOf(task);
    const dueAt = isInForce ? this.#agenda.lastDue(task, endedAt) : this.#agenda.lastDueUnder(began, endedAt);
    if (dueAt > this.#tasks.cursorOf(task))
      this.#tellSkipped(this.#tasks.nameOf(task), now, dueAt, 'running');
  }

  #tellSkipped(task: string, at: number, dueAt: number, why: 'late' | 'running'): void {
    // An instance that was declared dead decides nothing any more (K4).
    if (this.#ports.isFenced()) return;
    const { emit, trace } = this.#options;
    emit('TaskDueSkipped', at, { task, dueAt, why });
    trace?.({ event: 'DueSkipped', at, task, dueAt, why });
  }

  /** Answers whether those were the last. */
  #lookAtSome(now: number, count: number): boolean {
    const end = Math.min(this.#nextLook + count, this.#tasks.count);
    for (; this.#nextLook < end; this.#nextLook++) this.#triggerIfPending(this.#nextLook, now);
    return end === this.#tasks.count;
  }

  /** A claimed task is about to be called, and that serves everything (A3). */
  #triggerIfPending(task: number, now: number, known: Known = 'here'): void {
    if (this.#tasks.isClaimed(task)) return;
    if (this.#reasonToRun(task, now) !== undefined) this.#trigger(task, now);
    else if (!this.#moves.isOut(task)) this.lookForSkip(task, now, known);
  }

  #reasonToRun(task: number, now: number): Reason | undefined {
    return this.#tasks.reasonToRun(task, now, this.#agenda.lastDue(task, now));
  }

  #trigger(task: number, now: number, firstDue?: number): void {
    trigger(this.#options.executor, task);
    const lastDue = this.#agenda.lastDue(task, now);
    this.#options.owed.noticed(task, now, firstDue ?? lastDue, lastDue);
  }

  /** A due instant has come. While the task runs, it may replace the run (H9). The call has served those before it (A9). */
  #due(task: number, now: number, dueAt: number): void {
    // K7: what falls to another instance is its to start first.
    if (this.cluster?.isOthers(task) && !this.#moves.isRunning(task)) {
      this.cluster.lookLater(task);
      return;
    }
    // Asked for its phase first: of a task that waits, the registration is far away in memory.
    if (this.#moves.isRunning(task)) this.#dueWhileRunning(task, now);
    // X4: what was served before the clock was set back takes no place in the queue. A claim may yet be refused, and is looked at then.
    else if (!this.#tasks.isClaimed(task) && this.#reasonToRun(task, now) === undefined) {
      this.lookForSkip(task, now);
      return;
    }
    this.#trigger(task, now, dueAt);
  }

  #dueWhileRunning(task: number, now: number): void {
    const { name, policy } = this.#tasks.registrationOf(task);
    const lastDue = this.#agenda.lastDue(task, now);
    if (policy.whileRunning !== 'replace' || lastDue <= this.#tasks.cursorOf(task)) return;
    if (!this.#tasks.isPaused(task))
      this.#ports.caller.abort(task, new DOMException(`Task "${name}" is due again`, 'AbortError'));
  }
}

/**
 * One life of the scheduler: from a successful `initialize` to the end of its `stop`. It brings together the tasks (who is
 * owed a run), the agenda (when to look), the executor (who waits, queues, runs), the store and the clock. What a batch claims is in
 * `claims.ts`, what the clock does to cursors in `clock-steps.ts` and `cursor-moves.ts`, what operators ask for in `operator.ts`.
 *
 * Everything happens in *turns*, one macrotask each. A turn looks at the clock, triggers tasks that are due or to be retried,
 * makes a scheduling pass, and hands the next batch to the writer: ends that have gathered, and starts of tasks that the
 * executor gives to its workers now. When the batch is durable the callbacks of its starts are called, in slices, so that a
 * hundred thousand of them do not hold the event loop. A turn is planned by a timer (the next due instant, the next retry,
 * a minute at the most: sleep is not trusted, B5), by an end, and by a durable batch.
 *
 *     task:   waiting ──trigger, pass──▶ queued ──take──▶ claimed ──durable──▶ to be called ──call──▶ running ──end──▶ waiting
 *                                                  │                               │
 *                                                  └── not pending any more (A2)   └── stop came first: taken back (A4)
 *
 * Why no start is lost: every reason to run (A1) begins with an event that triggers its task (a due instant, a deadline, the
 * beginning of this life for what was pending before), a trigger is forgotten only by a take, and a take that does not lead to
 * a call leaves the reason as it was. Why none is invented: a take asks `reasonToRun` again, and nothing else calls callbacks.
 * Why a task never overlaps itself: it is `running` for the executor from its take to its end.
 */
import type { MoveChange } from '../core/changes.ts';
import type { ControlRequest } from '../core/control.ts';
import type { EndOutcome, RunError } from '../core/history.ts';
import type { Undo } from '../core/plan.ts';
import { Ends, Starts } from '../core/rows.ts';
import type { Tasks } from '../core/tasks.ts';
import { type ExecutorState, finish, hasReady, pass, stop } from '../executor/state.ts';
import type { Batch, ClusterView, News } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import { Aside } from './aside.ts';
import type { Ended } from './call-report.ts';
import { Caller } from './caller.ts';
import type { CallerPorts } from './caller-ports.ts';
import { Claims } from './claims.ts';
import { ClockSteps, ClockWatch } from './clock-steps.ts';
import { CursorMoves } from './cursor-moves.ts';
import { Dues } from './dues.ts';
import type { EngineOptions } from './engine-options.ts';
import { FinalWrite } from './final-write.ts';
import {
  Handover,
  type HandoverPorts,
  type Released,
  type ReleasedState,
  retiredBatch,
  type Served,
} from './handover.ts';
import { Operator } from './operator.ts';
import { Outbox } from './outbox.ts';
import { spreadOf } from './sizes.ts';
import { NOTHING_REFUSED, type Refused, refusedBy, StoreReport } from './store-report.ts';
import { Turns } from './turns.ts';
import { type UnwrittenChanges, unwrittenOf } from './unwritten.ts';
import { Writer, type WriterPorts } from './writer.ts';

export class Engine {
  readonly #tasks: Tasks;
  readonly #report: StoreReport;
  readonly #executor: ExecutorState;
  readonly #clock: Clock;
  readonly #turns: Turns;
  readonly #options: EngineOptions;
  readonly #writer: Writer;
  readonly #caller: Caller;
  readonly #outbox: Outbox;
  readonly #moves: CursorMoves;
  readonly #steps: ClockSteps;
  readonly #claims: Claims;
  readonly #dues: Dues;
  /** Made when the first record is missing. */
  #aside: Aside | undefined;
  /** Made when somebody asks for something. */
  #operator: Operator | undefined;
  #stopping: FinalWrite | undefined;
  #hasBegun = false;
  /** Nothing starts while it is there. */
  #handover: Handover | undefined;

  constructor(options: EngineOptions) {
    const { tasks, executor, agenda, session, clock, now, sizes } = options;
    this.#options = options;
    this.#tasks = tasks;
    this.#clock = clock;
    this.#executor = executor;
    this.#outbox = new Outbox(sizes.batch, tasks, session.sharing !== undefined);
    for (const move of options.moves) this.#outbox.moved(move);
    this.#turns = new Turns(clock, sizes, () => this.#turn());
    agenda.reset(now);
    this.#report = new StoreReport({ ...options, isShared: session.sharing !== undefined });
    this.#writer = new Writer(session, clock, this.#writerPorts());
    options.owed.begin(now);
    this.#caller = new Caller(options, tasks, this.#callerPorts());
    this.#moves = new CursorMoves(options, this.#outbox, () => this.#isFenced);
    const shared = { turns: this.#turns, moves: this.#moves };
    this.#steps = new ClockSteps(options, { ...shared, allJudged: () => this.#dues.beginAgain() });
    this.#dues = new Dues(options, {
      ...shared,
      steps: this.#steps,
      abort: (task, reason) => this.#abort(task, reason),
      isExecuting: (task) => this.#isExecuting(task),
      isTurning: (name) => this.#operator?.isTurning(name) ?? false,
    });
    this.#claims = new Claims(
      options,
      this.#outbox,
      this.#moves,
      this.#steps,
      (task) => this.#operator?.answeredBy(task) ?? [],
    );
  }

  #callerPorts(): CallerPorts {
    const { owed, lateAfterMs } = this.#options;
    return {
      lateMsOf: (task, calledAt) => owed.lateMsOf(task, calledAt),
      latenessOf: (task, claimedAt, durableAt, calledAt) => {
        const lateness = owed.latenessOf(task, claimedAt, durableAt, calledAt, lateAfterMs);
        owed.forget(task); // from the call on it is owed nothing
        return lateness;
      },
      called: (task, at) => this.#operator?.called(task, at),
      ended: (task, outcome, error) => this.#ended(task, outcome, error),
      completed: (task, endedAt) => this.#completed(task, endedAt),
      readClock: () => this.readClock(),
    };
  }

  #writerPorts(): WriterPorts {
    return {
      location: this.#options.location,
      spread: spreadOf(this.#options.session, this.#options.sizes),
      collect: () => this.#collect(),
      durable: (batch, { refused }) => this.#durable(batch, refusedBy(refused)),
      troubleStarted: (error) => {
        this.readClock();
        this.#report.troubleStarted(error);
      },
      troubleEnded: () => {
        this.readClock();
        this.#report.troubleEnded(this.#writer.trouble);
      },
      lost: (error) => this.#lost(error),
    };
  }

  /** How many runs this instance has begun. */
  get runCount(): number {
    return this.#claims.runCount;
  }

  /** How many callbacks have been called and not ended. */
  get running(): number {
    return this.#caller.running;
  }

  /** The names that run here. */
  get runningNames(): ReadonlySet<string> {
    const names = new Set<string>();
    for (let task = 0; task < this.#tasks.count; task++)
      if (this.#moves.isCalled(task)) names.add(this.#tasks.nameOf(task));
    return names;
  }

  /** Watches the clock for the next list, from the reading of its plan on. What it holds is the clock alone, not this engine. */
  watchFrom(plannedAt: number): ClockWatch {
    return new ClockWatch(this.#clock, plannedAt);
  }

  /** Reads the clock, and handles a step of it before anything is done by what it shows (B5). */
  readClock(): number {
    return this.#steps.readClock();
  }

  /** Begins. Nothing is called before the code that awaited `initialize` has had its turn (D6). */
  begin(): void {
    this.#hasBegun = true;
    this.#steps.begin();
    this.#dues.beginAgain();
    this.request(this.#options.requests.splice(0));
  }

  /** What a heartbeat of a shared store has found (K3). */
  news(news: News): void {
    this.#dues.cluster?.news(news);
  }

  /** Operators ask for something (I1). What comes after a stop waits for the next scheduler. */
  request(requests: readonly ControlRequest[]): void {
    if (this.#executor.stopped) return;
    this.#options.requests.push(...requests);
    if (this.#hasBegun && this.#handover === undefined) this.#takeRequests();
  }

  /** What other instances may have changed is decided by what the store has now. */
  #takeRequests(): void {
    const names = this.#options.requests.map(({ task }) => task);
    if (names.length === 0) return;
    this.#operator ??= this.#newOperator();
    const operator = this.#operator;
    const stale = names.filter((name) => !operator.isTurning(name));
    const { cluster } = this.#dues;
    if (cluster === undefined || stale.length === 0) this.#applyRequests(operator, names.length);
    else void cluster.refresh(stale).then(() => this.#applyRequests(operator, names.length));
  }

  #applyRequests(operator: Operator, count: number): void {
    if (this.#executor.stopped || this.#handover !== undefined) return;
    const now = this.readClock();
    this.#steps.judgeRest();
    operator.take(this.#options.requests.splice(0, count), now);
    this.#turns.plan();
  }

  #newOperator(): Operator {
    return new Operator({
      ...this.#options,
      outbox: this.#outbox,
      isShared: this.#options.session.sharing !== undefined,
      isCalled: (task) => this.#moves.isRunning(task),
      moveCursor: (task, at) => this.#moves.pass(task, at),
      look: (task) => this.#dues.lookAt(task),
      abort: (task, reason) => this.#abort(task, reason),
    });
  }

  /** Other instances have declared this one dead (K4). */
  get #isFenced(): boolean {
    return this.#writer.isLost && this.#dues.cluster !== undefined;
  }

  /** Whether a run of the task goes on here. */
  hasRun(name: string): boolean {
    const task = this.#tasks.find(name);
    return task >= 0 && this.#moves.isCalled(task);
  }

  /** Aborts the signal of a run, if it runs here. */
  abort(name: string, reason: unknown): void {
    if (this.hasRun(name)) this.#caller.abort(this.#tasks.find(name), reason);
  }

  /**
   * Starts nothing more until `goOn` or `retire` (I5). Resolves once everything but what runs is durable, and answers whether it is; not
   * so if a stop came first.
   */
  hold(): Promise<boolean> {
    // A store that is lost never answers what is on its way.
    if (this.#writer.isLost) return Promise.reject(this.#writer.trouble);
    if (this.#stopping !== undefined) return Promise.resolve(false);
    this.#handover = new Handover(this.#handoverPorts);
    this.#turns.plan();
    return this.#handover.settled;
  }

  get #handoverPorts(): HandoverPorts {
    return { tasks: this.#tasks, steps: this.#steps, moves: this.#moves, outbox: this.#outbox };
  }

  /** The plan of the next list is about to be written. */
  beforePlan(undo: Undo): void {
    this.#handover?.beforePlan(undo);
  }

  /** The list stays: starts go on. If the plan of another one may be stored, it is taken back with the first of them (E5, E9). */
  goOn(): void {
    const handover = this.#handover;
    this.#handover = undefined;
    handover?.goOn();
    this.request(this.#options.requests.splice(0));
    this.#dues.lookAtAll();
  }

  /** Another engine has the list now. What runs goes on here until it has ended; `released` hears of that when it is durable. */
  retire(successor: Engine, served: Served, released: Released): readonly ControlRequest[] {
    this.#handover?.retire(successor.#handoverPorts, served, released);
    this.#startNothing();
    return [...(this.#operator?.open ?? []), ...this.#options.requests.splice(0)];
  }

  /** A run under an earlier list has ended, and its end is durable. A name that this list does not have is forgotten (I5). */
  release(name: string, state: ReleasedState): void {
    const task = this.#tasks.find(name);
    if (task < 0) this.#outbox.removed(name);
    else if (this.#tasks.isBusy(task)) this.#dues.releasedWith(task, state, this.readClock());
    this.#turns.plan();
  }

  /** The store has found trouble by itself. */
  hear(error: Error): void {
    this.#writer.hear(error);
  }

  /** Another scheduler owns the store. Nothing starts here any more, and what runs is asked to end; `stop` says why it could not be written. */
  #lost(error: Error): void {
    this.#startNothing();
    this.#handover?.lose(error);
    this.#caller.takeBack();
    const isFenced = this.#dues.cluster !== undefined;
    this.#caller.stop(isFenced ? error : undefined);
    this.#report.lost(error);
    this.#turns.plan();
    if (isFenced) this.#options.fenced?.(this);
  }

  /**
   * From here on nothing starts (D7). Resolves to undefined when every callback has ended and everything is durable; or, if the
   * store has not managed the last write in `finalWriteMs` after the last end, to what it said. `others` are those of the engines that may
   * release tasks to this one.
   */
  stop(finalWriteMs: number, ...others: readonly Promise<Error | undefined>[]): Promise<Error | undefined> {
    this.#steps.judgeRest();
    this.#handover?.stop();
    this.#startNothing();
    this.#caller.stop();
    for (const task of this.#caller.takeBack()) this.#claims.takeBack(task);
    if (this.#writer.isLost) this.#report.stoppedWithout(this.#writer.trouble);
    const stopping = new FinalWrite(this.#options, finalWriteMs);
    this.#stopping = stopping;
    void Promise.all(others).then(() => {
      stopping.othersOver();
      this.#turns.plan();
    });
    return stopping.over;
  }

  #startNothing(): void {
    stop(this.#executor);
    this.#turns.stopSleeping();
    this.#aside?.stop();
    this.#dues.cluster?.stop();
  }

  /** What has ended here is released, though it is not durable: its end is kept with all that is unwritten. */
  releaseRest(): void {
    this.#handover?.releaseRest();
  }

  /** Gives up on the store: answers what may not be durable, to be kept by the scheduler (D7). */
  abandon(): UnwrittenChanges {
    const batch = this.#writer.abandon() ?? {};
    const claims = this.#claims.abandon();
    // Another instance may bring another list before that is written. The next initialize decides anew what this one has decided (K5).
    const keeps = ({ isByList }: MoveChange): boolean => !isByList || this.#dues.cluster === undefined;
    return unwrittenOf(batch, claims, this.#outbox.takeAll(), keeps);
  }

  #turn(): void {
    if (this.#handover?.isQuiet) {
      this.#writer.pump();
      return;
    }
    let isAllDue = true;
    if (!this.#executor.stopped) {
      const now = this.#steps.readClock();
      if (this.#steps.isWalking) this.#steps.judgeSome();
      isAllDue = this.#dues.advance(now);
      pass(this.#executor);
    }
    // More is due, and comes with the next turn, which is planned: what goes to the store is a whole batch.
    if (isAllDue || this.#executor.queuedCount >= this.#claims.batchSize) this.#writer.pump();
    if (this.#handover?.isHeld) this.#checkQuiet(this.#handover);
    if (!this.#executor.stopped) this.#turns.sleepUntil(this.#dues.next);
    else if (this.#caller.running === 0) this.#stopping?.settle(this.#writer);
  }

  #checkQuiet(handover: Handover): void {
    const isBegun =
      !this.#claims.isEmpty || this.#caller.hasCalls || !this.#outbox.isEmpty || !this.#writer.isIdle;
    if (!isBegun && !this.#steps.isWalking) handover.becomeQuiet();
  }

  /** Whether the callback of a task has not ended, wherever it was called. */
  #isExecuting(task: number): boolean {
    const isElsewhere = this.#tasks.isBusy(task);
    return isElsewhere
      ? this.#options.elsewhere.hasRun(this.#tasks.nameOf(task))
      : this.#moves.isCalled(task);
  }

  /** Of a run that began under an earlier list, somebody else has the signal. */
  #abort(task: number, reason: unknown): void {
    if (this.#tasks.isBusy(task)) this.#options.elsewhere.abort(this.#tasks.nameOf(task), reason);
    else this.#caller.abort(task, reason);
  }

  /** The next batch: what has ended, what a clock step moved, what is taken back, and who may start now. */
  #collect(): Batch | undefined {
    const returning = this.#aside?.take() ?? [];
    const now = this.#clock.now();
    const starts = this.#handover === undefined ? this.#claims.take(now) : [];
    if (starts instanceof Starts) this.#operator?.claimed(starts, now);
    if (!this.#executor.stopped && hasReady(this.#executor) && this.#handover === undefined)
      this.#turns.plan();
    const changes = this.#outbox.take();
    const puts = [...changes.puts, ...returning];
    // The numbers of its tasks are not those of the list that the store knows.
    if (this.#handover?.isRetired) return retiredBatch(changes);
    const isEmpty =
      puts.length + starts.length === 0 && Object.values(changes).every(({ length }) => length === 0);
    return isEmpty ? undefined : { ...changes, puts, starts };
  }

  #durable(batch: Batch, refused: Refused): void {
    const now = this.#steps.readClock();
    if (this.#dues.cluster !== undefined) this.#decided(this.#dues.cluster, batch, refused, now);
    this.#report.durable(batch, refused, now);
    if (refused !== NOTHING_REFUSED) this.#report.refused(batch, refused, now);
    if (refused.missing.size > 0) {
      this.#aside ??= new Aside(this.#options, () => this.#turns.plan());
      this.#aside.add(refused.missing);
    }
    if (this.#aside?.written(batch.puts ?? [])) this.#dues.lookAtAll();
    this.#operator?.answered(batch.answers ?? [], refused.start, now);
    if (this.#handover !== undefined) for (const { name } of batch.ends ?? []) this.#handover.ended(name);
    const granted = this.#claims.durable(refused.start, (task) =>
      this.#dues.cluster?.refused(task, refused.records.get(this.#tasks.nameOf(task))),
    );
    this.#caller.add({ ...granted, durableAt: now });
    if (batch.ends instanceof Ends) {
      if (this.#dues.cluster !== undefined) this.#dues.endsDurable(batch.ends.tasks);
      batch.ends.release();
    }
    this.#writer.pump();
    this.#caller.callSome();
    this.#turns.plan();
  }

  /** The store has decided between the instances, and what operators have asked for begins with the starts that it grants. */
  #decided(cluster: ClusterView, { moves = [] }: Batch, refused: Refused, now: number): void {
    this.#moves.answered(moves);
    this.#claims.reportSkipped(moves, refused.move, now);
    cluster.movesRefused(
      Array.from(moves).filter(({ name }) => refused.move.has(name)),
      refused.records,
    );
    if (this.#operator === undefined || this.#executor.stopped) return;
    for (const task of this.#claims.granted(refused.start)) this.#operator.granted(task, now);
  }

  #ended(task: number, ended: EndOutcome, error: RunError | null): Ended {
    const now = this.#steps.readClock();
    if (this.#isFenced) this.#report.fenced(this.#tasks, task, now);
    const outcome = this.#tasks.end(task, ended, error, now, this.#outbox.ends);
    this.#idle(task, now);
    return { at: now, outcome };
  }

  /** The end is durable already (K8): nothing of it is written. */
  #completed(task: number, endedAt: number): Ended {
    const now = this.#steps.readClock();
    const written = new Ends(this.#tasks);
    const outcome = this.#tasks.end(task, 'success', null, endedAt, written);
    written.release();
    this.#idle(task, now);
    this.#handover?.ended(this.#tasks.nameOf(task));
    this.#dues.endsDurable([task]);
    return { at: now, outcome };
  }

  /** A run is over, and its task waits for the next reason to run. */
  #idle(task: number, now: number): void {
    // After a reload the engine of the new list says what is skipped.
    this.#dues.runOver(task, now, this.#handover?.isRetired ? 'retired' : 'own');
    this.#handover?.runOver(this.#tasks.nameOf(task), now);
    finish(this.#executor, task);
    this.#turns.plan();
  }
}

/**
 * One life of the scheduler: from a successful `initialize` to the end of its `stop`. It brings together the tasks (who is
 * owed a run), the agenda (when to look), the executor (who waits, queues, runs), the store and the clock. What makes tasks pending is in
 * `dues.ts`, what goes to the store and comes back in `batches.ts` and `claims.ts`, what the clock does to cursors in `clock-steps.ts` and
 * `cursor-moves.ts`, what operators ask for in `operator.ts`, how the list goes to the next engine in `handover.ts`.
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
import type { ControlRequest } from '../core/control.ts';
import type { EndOutcome, RunError } from '../core/history.ts';
import type { Tasks } from '../core/tasks.ts';
import { type ExecutorState, finish, pass, stop } from '../executor/state.ts';
import type { EndChange, News } from '../store/port.ts';
import { Batches } from './batches.ts';
import type { Ended } from './call-report.ts';
import { Caller, type CallerPorts } from './caller.ts';
import { Claims } from './claims.ts';
import { ClockSteps } from './clock-steps.ts';
import { ClockWatch } from './clock-watch.ts';
import { CursorMoves } from './cursor-moves.ts';
import { Dues } from './dues.ts';
import type { EngineOptions } from './engine-options.ts';
import { FinalWrite } from './final-write.ts';
import {
  Handover,
  type HandoverPorts,
  type ListInForce,
  type ReleasedState,
  type Served,
} from './handover.ts';
import { Operator, type OperatorPorts } from './operator.ts';
import { Outbox } from './outbox.ts';
import { StoreReport } from './store-report.ts';
import { Turns } from './turns.ts';
import type { Writer } from './writer.ts';

export class Engine {
  readonly #tasks: Tasks;
  readonly #report: StoreReport;
  readonly #executor: ExecutorState;
  readonly #turns: Turns;
  readonly #options: EngineOptions;
  readonly #batches: Batches;
  readonly #writer: Writer;
  readonly #caller: Caller;
  readonly #outbox: Outbox;
  readonly #moves: CursorMoves;
  readonly #steps: ClockSteps;
  readonly #claims: Claims;
  readonly #dues: Dues;
  /** What other parts know of these. */
  readonly #parts: HandoverPorts & Omit<OperatorPorts, 'isHandingOver'>;
  /** Made when somebody asks for something. */
  #operator: Operator | undefined;
  #stopping: FinalWrite | undefined;
  #hasBegun = false;
  /** Nothing starts while it is there. */
  #handover: Handover | undefined;

  constructor(options: EngineOptions) {
    const { tasks, executor, clock, sizes } = options;
    this.#options = options;
    this.#tasks = tasks;
    this.#executor = executor;
    this.#outbox = new Outbox(sizes.batch, tasks);
    this.#turns = new Turns(clock, sizes, () => this.#turn());
    this.#report = new StoreReport(options);
    this.#caller = new Caller(options, this.#callerPorts());
    this.#moves = new CursorMoves(options, this.#outbox);
    const first = {
      tasks,
      outbox: this.#outbox,
      turns: this.#turns,
      caller: this.#caller,
      moves: this.#moves,
    };
    this.#steps = new ClockSteps(options, { ...first, allJudged: () => this.#dues.beginAgain() });
    this.#dues = new Dues(options, {
      ...first,
      steps: this.#steps,
      isFenced: () => this.isFenced,
      isTurning: (name) => this.#operator?.isTurning(name) ?? false,
    });
    this.#parts = { ...first, steps: this.#steps, dues: this.#dues };
    this.#claims = new Claims(options, {
      ...this.#parts,
      answeredBy: (task) => this.#operator?.answeredBy(task) ?? [],
    });
    this.#batches = new Batches(options, {
      ...this.#parts,
      claims: this.#claims,
      report: this.#report,
      operator: () => this.#operator,
      handover: () => this.#handover,
      lost: (error) => this.#lost(error),
    });
    this.#writer = this.#batches.writer;
  }

  #callerPorts(): CallerPorts {
    return {
      called: (task, at) => this.#operator?.called(task, at),
      ended: (task, outcome, error) => this.#ended(task, outcome, error),
      completed: (task, end) => this.#completed(task, end),
      readClock: () => this.readClock(),
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

  /** Watches the clock for the next list, from the reading of its plan on. What it holds is the clock alone, not this engine. */
  watchFrom(plannedAt: number): ClockWatch {
    return new ClockWatch(this.#options.clock, plannedAt);
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
    this.request([]);
  }

  /** What a heartbeat of a shared store has found (K3). */
  news(news: News): void {
    this.#dues.cluster?.news(news);
  }

  /** Another list has come, which changes nothing here: its instance may have left retries (K5). */
  lookForLeft(): void {
    this.#dues.cluster?.lookForLeft();
  }

  /** Operators ask for something (I1). What comes after a stop waits for the next scheduler. */
  request(requests: readonly ControlRequest[]): void {
    if (this.#executor.stopped) return;
    this.#options.requests.push(...requests);
    const mayTake = this.#hasBegun && this.#handover === undefined;
    if (!mayTake || this.#options.requests.length === 0) return;
    const isHandingOver = (): boolean => this.#handover !== undefined;
    this.#operator ??= new Operator(this.#options, { ...this.#parts, isHandingOver });
    this.#operator.takeWaiting();
  }

  /** Other instances have declared this one dead (K4). */
  get isFenced(): boolean {
    return this.#writer.isLost && this.#dues.cluster !== undefined;
  }

  /**
   * Starts nothing more until `goOn` or `retire` (I5). Resolves once everything but what runs is durable; to `undefined` if a stop came
   * first.
   */
  hold(): Promise<Handover | undefined> {
    // A store that is lost never answers what is on its way.
    if (this.#writer.isLost) return Promise.reject(this.#writer.trouble);
    if (this.#stopping !== undefined) return Promise.resolve(undefined);
    this.#handover = new Handover(this.#parts);
    this.#turns.plan();
    return this.#handover.settled;
  }

  /** Given from `hold` on, unless the list has stayed. */
  get handover(): Handover | undefined {
    return this.#handover;
  }

  /** The list stays: starts go on. If the plan of another one may be stored, it is taken back with the first of them (E5, E9). */
  goOn(): void {
    const handover = this.#handover;
    this.#handover = undefined;
    handover?.goOn();
    this.request([]);
    this.#dues.lookAtAll();
  }

  /** Another engine has the list now. What runs goes on here until it has ended; `inForce` hears of that when it is durable. */
  retire(successor: Engine, served: Served, inForce: ListInForce): readonly ControlRequest[] {
    this.#handover?.retire(successor.#parts, served, inForce);
    this.#startNothing();
    return this.#operator?.open ?? [];
  }

  /** Whether its list has a name. */
  has(name: string): boolean {
    return this.#tasks.find(name) >= 0;
  }

  /** The callback of a run under an earlier list has ended. Answers where this list has its cursor, if it has the name. */
  cursorOfBusy(name: string): number | undefined {
    const task = this.#tasks.find(name);
    return task >= 0 && this.#tasks.isBusy(task) ? this.#tasks.cursorOf(task) : undefined;
  }

  /** Where that end has brought the cursor. */
  servedElsewhere(name: string, servedThrough: number): void {
    const task = this.#tasks.find(name);
    if (task >= 0 && this.#tasks.isBusy(task)) this.#tasks.serve(task, servedThrough);
  }

  /** A run under an earlier list has ended, and its end is durable. A name that this list does not have is forgotten (I5). */
  release(name: string, state: ReleasedState): void {
    const task = this.#tasks.find(name);
    // One that a stop has interrupted stays for the next initialize, which finds it or forgets it.
    if (task < 0) {
      if (state.run === null) this.#outbox.removed(name);
    } else if (this.#tasks.isBusy(task)) this.#dues.releasedWith(task, state, this.readClock());
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
    // No stop of this scheduler: what ends from here on is not interrupted, but lost (A13, K4).
    this.#caller.stop(error);
    this.#report.lost(error);
    this.#turns.plan();
    if (this.#dues.cluster !== undefined) this.#options.fenced?.();
  }

  /**
   * From here on nothing starts (D7). Resolves to undefined when every callback has ended and everything is durable; or, if the
   * store has not managed the last write in `finalWriteMs` after the last end, to what it said. `others` are those of the engines that may
   * release tasks to this one. An engine stops once: whoever stops it again waits for the same end, by the time that the first one gave.
   */
  stop(finalWriteMs: number, ...others: readonly Promise<Error | undefined>[]): Promise<Error | undefined> {
    if (this.#stopping !== undefined) return this.#stopping.over;
    this.#steps.judgeRest();
    this.#handover?.stop();
    this.#startNothing();
    this.#caller.stop();
    for (const task of this.#caller.takeBack()) this.#claims.takeBack(task);
    if (this.#writer.isLost) this.#report.stoppedWithout(this.#writer.trouble);
    const othersOver = Promise.all(others);
    this.#stopping = new FinalWrite(this.#options, finalWriteMs, othersOver, () => this.#turns.plan());
    // What waited for the store until it was given up waited for nothing else.
    void this.#stopping.over.then(() => {
      const { trouble, isLost } = this.#writer;
      if (trouble !== undefined && !isLost) this.#report.stoppedWithout(trouble);
    });
    return this.#stopping.over;
  }

  #startNothing(): void {
    stop(this.#executor);
    this.#turns.stopSleeping();
    this.#dues.cluster?.stop();
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
    if (this.#handover?.isHeld && this.#batches.isAllDurable && !this.#steps.isWalking)
      this.#handover.becomeQuiet();
    if (!this.#executor.stopped) this.#turns.sleepUntil(this.#dues.next);
    else if (this.#caller.running === 0) this.#stopping?.settle(this.#writer);
  }

  #ended(task: number, ended: EndOutcome, error: RunError | null): Ended {
    const now = this.#steps.readClock();
    if (this.isFenced) this.#report.fenced(this.#tasks, task, now);
    this.#ends(task, now, now);
    const outcome = this.#tasks.end(task, ended, error, now, this.#outbox.ends);
    this.#idle(task, now);
    return { at: now, outcome };
  }

  /** The end is durable already (K8). The cursor may have moved since. */
  #completed(task: number, { calledAt, servedThrough = calledAt, endedAt }: EndChange): Ended {
    const now = this.#steps.readClock();
    this.#ends(task, endedAt, now);
    const outcome = this.#tasks.completed(task, endedAt);
    if (this.#tasks.cursorOf(task) !== servedThrough) this.#moves.write(task);
    this.#idle(task, now);
    this.#handover?.ended(this.#tasks.nameOf(task));
    this.#dues.endsDurable([task]);
    return { at: now, outcome };
  }

  /** A run is about to end. The list in force has its cursor. */
  #ends(task: number, endedAt: number, now: number): void {
    const servedThrough = this.#handover?.servedBefore(this.#tasks.nameOf(task));
    if (servedThrough !== undefined) this.#tasks.serve(task, servedThrough);
    if (this.#tasks.skipsWhileRunning(task)) this.#dues.skippedByEnd(task, endedAt, now);
  }

  /** A run is over, and its task waits for the next reason to run. */
  #idle(task: number, now: number): void {
    this.#dues.runOver(task, now);
    this.#handover?.runOver(task);
    finish(this.#executor, task);
    this.#turns.plan();
  }
}

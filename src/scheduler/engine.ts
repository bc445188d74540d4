/**
 * One life of the scheduler: from a successful `initialize` to the end of its `stop`. It brings together the tasks (who is
 * owed a run), the agenda (when to look), the executor (who waits, queues, runs), the store and the clock. What makes tasks pending is in
 * `dues.ts`, what goes to the store and comes back in `batches.ts` and `claims.ts`, what the clock does to cursors in `clock-steps.ts` and
 * `cursor-moves.ts`, what operators ask for in `operator.ts`, how its list changes in `edits.ts`.
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
import { CursorMoves } from './cursor-moves.ts';
import { Dues } from './dues.ts';
import type { Edit, EditsPorts } from './edit-effects.ts';
import { Edits } from './edits.ts';
import type { EngineOptions } from './engine-options.ts';
import { FinalWrite } from './final-write.ts';
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
  /** Made when another list comes. */
  #edits: Edits | undefined;
  /** What other parts know of these. */
  readonly #parts: OperatorPorts;
  /** Made when somebody asks for something. */
  #operator: Operator | undefined;
  #stopping: FinalWrite | undefined;
  #hasBegun = false;

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
    const living = this.#editsPorts();
    const [claims, report] = [this.#claims, this.#report];
    const edits = (): Edits | undefined => this.#edits;
    const lost = (error: Error): void => this.#lost(error);
    this.#batches = new Batches(options, { ...this.#parts, ...living, claims, edits, report, lost });
    this.#writer = this.#batches.writer;
  }

  #editsPorts(): EditsPorts {
    const operator = (): Operator | undefined => this.#operator;
    return { ...this.#parts, operator, mustBeOpen: () => this.#writer.mustBeOpen() };
  }

  #callerPorts(): CallerPorts {
    return {
      called: (task, at) => this.#operator?.called(task, at),
      ended: (task, outcome, error) => this.#ended(task, outcome, error),
      completed: (task, end) => this.#completed(task, end),
      readClock: () => this.readClock(),
    };
  }

  /** How many callbacks have been called and not ended. */
  get running(): number {
    return this.#caller.running;
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
    if (!this.#hasBegun || this.#options.requests.length === 0) return;
    this.#operator ??= new Operator(this.#options, this.#parts);
    this.#operator.takeWaiting();
  }

  /** Other instances have declared this one dead (K4). */
  get isFenced(): boolean {
    return this.#writer.isLost && this.#dues.cluster !== undefined;
  }

  /** Puts another list in force, or a part of one (I5). If it rejects, nothing has changed. */
  edit(edit: Edit): Promise<void> {
    this.#edits ??= new Edits(this.#options, this.#editsPorts());
    return this.#edits.make(edit);
  }

  /** The store has found trouble by itself. */
  hear(error: Error): void {
    this.#writer.hear(error);
  }

  /** Another scheduler owns the store. Nothing starts here any more, and what runs is asked to end; `stop` says why it could not be written. */
  #lost(error: Error): void {
    this.#startNothing();
    this.#edits?.failed(error);
    this.#caller.takeBack();
    // No stop of this scheduler: what ends from here on is not interrupted, but lost (A13, K4).
    this.#caller.stop(error);
    this.#report.lost(error);
    this.#turns.plan();
    if (this.#dues.cluster !== undefined) this.#options.fenced?.();
  }

  /**
   * From here on nothing starts (D7). Resolves to undefined when every callback has ended and everything is durable; or, if the
   * store has not managed the last write in `finalWriteMs` after the last end, to what it said. `edits` are over when the lists that came before
   * the stop are in force (I5). An engine stops once: whoever stops it again waits for the same end, by the time that the first one gave.
   */
  stop(finalWriteMs: number, edits: Promise<unknown> = Promise.resolve()): Promise<Error | undefined> {
    if (this.#stopping !== undefined) return this.#stopping.over;
    this.#steps.judgeRest();
    this.#startNothing();
    this.#caller.stop();
    for (const task of this.#caller.takeBack()) this.#claims.takeBack(task);
    if (this.#writer.isLost) this.#report.stoppedWithout(this.#writer.trouble);
    this.#stopping = new FinalWrite(this.#options, finalWriteMs, edits, () => this.#turns.plan());
    // What waited for the store until it was given up waited for nothing else.
    void this.#stopping.over.then((error) => {
      const { trouble, isLost } = this.#writer;
      if (trouble !== undefined && !isLost) this.#report.stoppedWithout(trouble);
      this.#edits?.failed(error);
    });
    return this.#stopping.over;
  }

  #startNothing(): void {
    stop(this.#executor);
    this.#turns.stopSleeping();
    this.#dues.cluster?.stop();
  }

  #turn(): void {
    // An edit may come before anything starts.
    if (!this.#hasBegun && !this.#executor.stopped) {
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
    this.#edits?.durable([]);
    this.#dues.endsDurable([task]);
    return { at: now, outcome };
  }

  /** A run is about to end. */
  #ends(task: number, endedAt: number, now: number): void {
    if (this.#tasks.skipsWhileRunning(task)) this.#dues.skippedByEnd(task, endedAt, now);
  }

  /** A run is over, and its task waits for the next reason to run. */
  #idle(task: number, now: number): void {
    this.#dues.runOver(task, now);
    finish(this.#executor, task);
    this.#turns.plan();
  }
}

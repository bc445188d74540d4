/**
 * One life of the scheduler: from a successful `initialize` to the end of its `stop`. It brings together the tasks (who is
 * owed a run), the agenda (when to look), the executor (who waits, queues, runs), the store and the clock.
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
 *
 * What the store refuses is not written and not sent again. A refused start is a claim that was never made: the task is idle, and
 * waits for its next trigger. A refused end, unstart or move says that another scheduler has taken the task over, since an embedded
 * store never refuses its only owner. It is reported, and changes nothing here: the run is over in this process too, the task is
 * idle, its next due or retry claims it again, and the store decides on that claim. So there is no loop, because every claim takes
 * a trigger, and a refusal is none; and nothing is lost, because the record of the store stands, and its owner is known there.
 */
import type { Agenda } from '../core/agenda.ts';
import type { Many, MoveChange, UnstartChange } from '../core/changes.ts';
import type { RunError } from '../core/history.ts';
import type { Reason } from '../core/record.ts';
import { Retries } from '../core/retries.ts';
import { Ends, Starts } from '../core/rows.ts';
import type { Tasks } from '../core/tasks.ts';
import {
  addTasks,
  createState,
  type ExecutorState,
  finish,
  hasReady,
  NONE,
  pass,
  RUNNING,
  stop,
  TIMER,
  take,
  trigger,
} from '../executor/state.ts';
import { StoreSlowError } from '../store/errors.ts';
import type { Batch, StoreSession } from '../store/port.ts';
import type { Clock, Timer } from '../time/clock.ts';
import type { TraceSink } from '../trace/record.ts';
import { Caller } from './caller.ts';
import type { ClockWatch, SeenStep } from './clock-watch.ts';
import type { Emit, Lateness } from './events.ts';
import type { Logger } from './options.ts';
import { Outbox } from './outbox.ts';
import { Owed } from './owed.ts';
import { PostponedSteps } from './postponed-steps.ts';
import type { Sizes } from './sizes.ts';
import { NOTHING_REFUSED, type Refused, refusedBy, StoreReport } from './store-report.ts';
import type { UnwrittenChanges } from './unwritten.ts';
import { Writer } from './writer.ts';

const LONGEST_SLEEP_MS = 60_000;
/** How many tasks are looked at or triggered per turn, for each that a batch can start: it is much less work. */
const LOOKS_PER_BATCH = 5;

export interface EngineOptions {
  readonly tasks: Tasks;
  readonly agenda: Agenda;
  readonly session: StoreSession;
  /** Where the store is, for what is said of it. */
  readonly location: string;
  readonly clock: Clock;
  readonly workers: number;
  readonly instanceId: string;
  readonly lateAfterMs: number;
  readonly emit: Emit;
  /** Whether anybody listens to events. */
  readonly isHeard: boolean;
  readonly recordErrors: boolean;
  readonly trace: TraceSink | undefined;
  /** The reading of the clock with which this life begins (D6). */
  readonly now: number;
  readonly logger: Logger;
  /** Sees steps of the clock since the plan of this life was made. */
  readonly watch: ClockWatch;
  /** Cursors that have moved already and are not durable yet; they are before any start is. */
  readonly moves: Many<MoveChange>;
  readonly sizes: Sizes;
}

interface Stopping {
  readonly resolve: (trouble: Error | undefined) => void;
  readonly finalWriteMs: number;
}

export class Engine {
  readonly #tasks: Tasks;
  readonly #agenda: Agenda;
  readonly #retries: Retries;
  readonly #report: StoreReport;
  readonly #executor: ExecutorState;
  readonly #clock: Clock;
  readonly #options: EngineOptions;
  readonly #writer: Writer;
  readonly #caller: Caller;
  readonly #owed: Owed;
  readonly #watch: ClockWatch;
  readonly #steps = new PostponedSteps();
  readonly #outbox: Outbox;
  /** The claims of the batch that is on its way. */
  #claimed: Starts;
  #runCount = 0;
  /** The first task that is still to be looked at; none if it is the count. */
  #nextLook: number;
  readonly #looksPerTurn: number;
  #turnPlanned = false;
  #timer: Timer | undefined;
  #stopping: Stopping | undefined;
  #finalWrite = false;

  constructor(options: EngineOptions) {
    const { tasks, agenda, session, clock, workers, now } = options;
    this.#options = options;
    this.#tasks = tasks;
    this.#clock = clock;
    this.#claimed = new Starts(tasks);
    this.#outbox = new Outbox(options.sizes.batch, tasks);
    this.#nextLook = tasks.count;
    this.#looksPerTurn = LOOKS_PER_BATCH * options.sizes.batch;
    for (const move of options.moves) this.#outbox.moved(move);
    this.#agenda = agenda;
    agenda.reset(now);
    this.#retries = new Retries(tasks);
    this.#report = new StoreReport(options);
    this.#executor = createState(workers, Math.max(tasks.count, 1));
    this.#watch = options.watch;
    this.#writer = new Writer(session, clock, {
      location: options.location,
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
    });
    this.#owed = new Owed(tasks, workers, now);
    this.#caller = new Caller(options, tasks, {
      latenessOf: (task, calledAt, durableAt) => this.#latenessOf(task, calledAt, durableAt),
      ended: (task, error) => this.#ended(task, error),
      readClock: () => this.readClock(),
    });
    addTasks(this.#executor, TIMER, tasks.count);
  }

  /** Begins. Nothing is called before the code that awaited `initialize` has had its turn (D6). */
  begin(): void {
    this.#retries.gather();
    this.#lookAtAll();
  }

  /** How many callbacks have been called and not ended. */
  get running(): number {
    return this.#caller.running;
  }

  /**
   * From here on nothing starts (D7). Resolves to undefined when every callback has ended and everything is durable; or, if the
   * store has not managed the last write in `finalWriteMs` after the last end, to what it said.
   */
  stop(finalWriteMs: number): Promise<Error | undefined> {
    stop(this.#executor);
    this.#timer?.cancel();
    this.#caller.stop();
    for (const task of this.#caller.takeBack()) this.#takeBack(task);
    return new Promise((resolve) => {
      this.#stopping = { resolve, finalWriteMs };
      this.#planTurn();
    });
  }

  #settleStop({ resolve, finalWriteMs }: Stopping): void {
    if (this.#caller.running > 0) return;
    if (this.#outbox.isEmpty && this.#writer.isIdle) {
      this.#timer?.cancel();
      resolve(undefined);
    } else if (!this.#finalWrite) {
      this.#finalWrite = true;
      this.#timer = this.#clock.setTimer(() => {
        const { trouble } = this.#writer;
        resolve(
          trouble instanceof Error
            ? trouble
            : new StoreSlowError({ path: this.#options.location, waitedMs: finalWriteMs }),
        );
      }, finalWriteMs);
    }
  }

  /** Gives up on the store: answers what may not be durable, to be kept by the scheduler (D7). */
  abandon(): UnwrittenChanges {
    const { ends = [], unstarts = [], moves = [] } = this.#writer.abandon() ?? {};
    const claims = Array.from(this.#claimedTasks(), (task) => this.#unclaim(task));
    const later = this.#outbox.takeAll();
    const lastMoves = new Map([...moves, ...later.moves].map((move) => [move.name, move]));
    return {
      ends: [...ends, ...later.ends],
      unstarts: [...unstarts, ...later.unstarts, ...claims],
      moves: [...lastMoves.values()],
    };
  }

  *#claimedTasks(): Generator<number> {
    for (let place = 0; place < this.#claimed.length; place++) yield this.#claimed.taskAt(place);
  }

  #reasonToRun(task: number, now: number): Reason | undefined {
    return this.#tasks.reasonToRun(task, now, this.#agenda.lastDue(task, now));
  }

  #trigger(task: number, now: number, firstDue?: number): void {
    trigger(this.#executor, task);
    const lastDue = this.#agenda.lastDue(task, now);
    this.#owed.noticed(task, now, firstDue ?? lastDue, lastDue);
  }

  #planTurn(): void {
    if (this.#turnPlanned) return;
    this.#turnPlanned = true;
    this.#clock.defer(() => {
      this.#turnPlanned = false;
      this.#turn();
    });
  }

  #turn(): void {
    if (!this.#executor.stopped) {
      const now = this.readClock();
      this.#lookAtSome(now);
      const limit = this.#looksPerTurn;
      if (!this.#agenda.advance(now, limit, (task, dueAt) => this.#trigger(task, now, dueAt)))
        this.#planTurn();
      this.#retries.advance(now, (task) => this.#trigger(task, now));
      pass(this.#executor);
    }
    this.#writer.pump();
    if (!this.#executor.stopped) this.#sleep();
    else if (this.#stopping !== undefined) this.#settleStop(this.#stopping);
  }

  #sleep(): void {
    this.#timer?.cancel();
    const now = this.#clock.now();
    const next = Math.min(this.#agenda.next, this.#retries.next);
    const delayMs = Math.min(Math.max(next - now, 0), LONGEST_SLEEP_MS);
    this.#timer = this.#clock.setTimer(() => this.#turn(), delayMs);
  }

  /** The next batch: what has ended, what a clock step moved, what is taken back, and who may start now. */
  #collect(): Batch | undefined {
    const starts = this.#claimStarts();
    const { ends, unstarts, moves } = this.#outbox.take();
    if (starts.length + ends.length + unstarts.length + moves.length === 0) return undefined;
    return { ends, unstarts, moves, starts };
  }

  #claimStarts(): Starts {
    const { batch } = this.#options.sizes;
    const starts = new Starts(this.#tasks, Math.min(this.#executor.queuedCount, batch));
    const now = this.#clock.now();
    while (this.#outbox.mayStart && starts.length < batch) {
      const task = take(this.#executor);
      if (task === NONE) break;
      const lastDue = this.#agenda.lastDue(task, now);
      const reason = this.#tasks.reasonToRun(task, now, lastDue);
      if (reason === undefined) {
        this.#owed.forget(task);
        finish(this.#executor, task);
        continue;
      }
      this.#tasks.claim(task, ++this.#runCount, now, reason, lastDue, starts);
      this.#owed.taken(task, now, lastDue);
    }
    this.#claimed = starts;
    if (!this.#executor.stopped && hasReady(this.#executor)) this.#planTurn();
    return starts;
  }

  #durable(batch: Batch, refused: Refused): void {
    const starts = this.#claimed;
    this.#claimed = new Starts(this.#tasks);
    const now = this.readClock();
    this.#report.durable(batch, refused, now);
    if (refused !== NOTHING_REFUSED) this.#report.refused(batch, refused, now);
    const places: number[] = [];
    for (let place = 0; place < starts.length; place++) {
      const task = starts.taskAt(place);
      if (refused.start.size > 0 && refused.start.has(this.#tasks.nameOf(task))) {
        this.#unclaim(task);
        finish(this.#executor, task);
      } else if (this.#executor.stopped) this.#takeBack(task);
      else places.push(place);
    }
    this.#caller.add({ starts, places, durableAt: now });
    if (batch.ends instanceof Ends) batch.ends.release();
    this.#writer.pump();
    this.#caller.callSome();
    this.#planTurn();
  }

  /** A durable start that will not be called (A4). */
  #takeBack(task: number): void {
    this.#outbox.takenBack(this.#unclaim(task));
    finish(this.#executor, task);
  }

  /** A claim is as if it had never been: a clock that was set back meanwhile moves what it would have moved. */
  #unclaim(task: number): UnstartChange {
    const before = this.#tasks.unclaim(task);
    this.#owed.forget(task);
    for (const { landedAt, seenAt } of this.#steps.take(task))
      this.#moved(this.#tasks.afterStep(task, landedAt, seenAt));
    return before;
  }

  /** How late a task is called, if it is; from the call on it is owed nothing. */
  #latenessOf(task: number, calledAt: number, durableAt: number): Lateness | undefined {
    const lateness = this.#owed.latenessOf(task, calledAt, durableAt, this.#options.lateAfterMs);
    this.#owed.forget(task);
    return lateness;
  }

  #ended(task: number, error: RunError | null): number {
    const now = this.readClock();
    const retryAt = this.#tasks.end(task, error, now, this.#outbox.ends);
    this.#owed.ended(task, now);
    if (!Number.isNaN(retryAt)) this.#retries.add(retryAt, task);
    // The cursor of a running task is the instant of its call; a deadline that begins now has nothing to do with earlier steps.
    for (const { landedAt, during } of this.#steps.take(task))
      if (during === 'run') this.#moved(this.#tasks.afterStepDuringRun(task, landedAt));
    finish(this.#executor, task);
    this.#planTurn();
    return now;
  }

  /**
   * Reads the clock, and handles a step of it before anything is done by what it shows (B5). A scheduler that has been stopped leaves
   * steps to the next `initialize`.
   */
  readClock(): number {
    const now = this.#clock.now();
    const seen = this.#executor.stopped ? undefined : this.#watch.stepSince(now);
    if (seen !== undefined) this.#stepped(seen, now);
    return now;
  }

  #stepped({ step, withinMs }: SeenStep, now: number): void {
    this.#options.emit('ClockStepped', now, step);
    this.#options.logger.warn(`the clock was set from ${iso(step.from)} to ${iso(step.to)}`);
    // Recorded as if it had happened right after the last reading: what has come due since, by the new time, is owed (B5).
    this.#options.trace?.({
      event: 'ClockStep',
      at: now,
      from: step.from - withinMs,
      to: step.to - withinMs,
    });
    if (step.to > step.from) return;
    const landedAt = step.to - withinMs;
    for (let task = 0; task < this.#tasks.count; task++) {
      if (this.#executor.phase[task] !== RUNNING) {
        this.#moved(this.#tasks.afterStep(task, landedAt, now));
        continue;
      }
      const during = this.#tasks.isClaimed(task) ? 'claim' : 'run';
      this.#steps.add(task, { landedAt, seenAt: now, during });
    }
    // The agenda begins again after the step, so that it triggers running tasks too: what comes due meanwhile is started after the end (A5).
    this.#retries.gather();
    this.#agenda.reset(landedAt);
    // If the clock was set ahead and back, the agenda misses what came due in between.
    this.#lookAtAll();
  }

  /** Something may be pending that no event will tell of: every task is looked at, some of them per turn. */
  #lookAtAll(): void {
    this.#nextLook = 0;
    this.#planTurn();
  }

  #lookAtSome(now: number): void {
    const end = Math.min(this.#nextLook + this.#looksPerTurn, this.#tasks.count);
    for (; this.#nextLook < end; this.#nextLook++) {
      const task = this.#nextLook;
      // A claimed task is about to be called, and that serves everything (A3).
      if (!this.#tasks.isClaimed(task) && this.#reasonToRun(task, now) !== undefined)
        this.#trigger(task, now);
    }
    if (end < this.#tasks.count) this.#planTurn();
  }

  #moved(move: MoveChange | undefined): void {
    if (move !== undefined) this.#outbox.moved(move);
  }
}

const iso = (instant: number): string => new Date(instant).toISOString();

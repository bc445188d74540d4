/**
 * Calls the callbacks whose starts are durable, a slice at a time, and hears of their ends (F1). A callback may be anything:
 * what it returns is awaited if it can be, what it throws is a failure, and nothing of it reaches anybody else.
 */

import type { EndOutcome, RunError } from '../core/history.ts';
import { ROW, START_WIDTH, type Starts } from '../core/rows.ts';
import type { Tasks } from '../core/tasks.ts';
import { NamedRun } from '../core/work-columns.ts';
import { TaskTimeoutError, visible } from '../errors.ts';
import { isThenable, settled } from '../executor/thenable.ts';
import type { Completions, EndChange } from '../store/port.ts';
import { describeError } from '../text/describe-error.ts';
import { type Aborted, CallReport, type Ended, failureKind } from './call-report.ts';
import { isRunTraced, type RunMessage, traceRun } from './channels.ts';
import { LazyContext, NEVER, Signals } from './context.ts';
import type { EngineOptions } from './engine-options.ts';
import { Limits } from './limits.ts';

/** The engine, as far as the caller needs it. */
export interface CallerPorts {
  /** A task is called. */
  called(task: number, at: number): void;
  /** A run is over; answers when that was, and how it counts. `error` is `null` for a success, and after an interruption. */
  ended(task: number, outcome: EndOutcome, error: RunError | null): Ended;
  /** A run is over, and a transaction of the user has made its success durable (K8). */
  completed(task: number, end: EndChange): Ended;
  /** Reads the clock, which may have been set since the last slice. */
  readClock(): void;
}

/** Starts that are durable, and those of them that are to be called. */
interface Granted {
  readonly starts: Starts;
  /** The places in `starts`. */
  readonly places: readonly number[];
  readonly durableAt: number;
}

const NOT_ABORTED: Aborted = { reasons: NEVER, signal: 'not taken' };

/** What a callback threw; `null` if it did not. */
type Failure = { readonly thrown: unknown } | null;

export class Caller {
  readonly #options: EngineOptions;
  readonly #tasks: Tasks;
  readonly #ports: CallerPorts;
  readonly #signals: Signals;
  /** The first is being called; `#nextCall` counts in its places. */
  readonly #calls: Granted[] = [];
  #nextCall = 0;
  #untilLook = 0;
  #sliceDeferred = false;
  #running = 0;
  /** Made when a run has a limit. */
  #limits: Limits | undefined;
  readonly #completions: Completions | undefined;
  readonly #report: CallReport;

  constructor(options: EngineOptions, ports: CallerPorts) {
    this.#options = options;
    this.#tasks = options.tasks;
    this.#ports = ports;
    this.#report = new CallReport(options);
    const { spread } = options.sizes;
    this.#completions = options.session.sharing?.completions?.({ ...options, spread });
    this.#signals = new Signals(options.clock, (error) =>
      options.logger.error(`a listener of an abort signal threw ${describeError(error).message}`),
    );
  }

  get running(): number {
    return this.#running;
  }

  /** Whether anything waits to be called. */
  get hasCalls(): boolean {
    return this.#calls.length > 0;
  }

  add(granted: Granted): void {
    if (granted.places.length > 0) this.#calls.push(granted);
    else granted.starts.release();
  }

  /** Aborts the signal of every callback that has asked for it (D10). */
  stop(reason?: unknown): void {
    this.#signals.abort(reason);
    this.#completions?.stop();
  }

  /** Aborts the signal of one run. */
  abort(task: number, reason: unknown): void {
    this.#signals.abortOne(task, reason);
  }

  /** The tasks that were to be called and now are not. */
  takeBack(): readonly number[] {
    const tasks = this.#calls.flatMap(({ starts, places }, index) =>
      places.slice(index === 0 ? this.#nextCall : 0).map((place) => starts.taskAt(place)),
    );
    this.#calls.length = 0;
    this.#nextCall = 0;
    return tasks;
  }

  /** Calls what waits to be called, for as long as a slice lasts; the rest from a fresh macrotask. */
  callSome(): void {
    if (this.#sliceDeferred) return;
    const { clock, sizes } = this.#options;
    const until = clock.monotonic() + sizes.callSliceMs;
    this.#report.beginSlice();
    while (this.#calls.length > 0) {
      const { starts, places, durableAt } = this.#calls[0];
      if (this.#nextCall === places.length) {
        this.#calls.shift()?.starts.release();
        this.#nextCall = 0;
        continue;
      }
      const isToLook = ++this.#untilLook % sizes.callsBetweenLooks === 0;
      if (isToLook && clock.monotonic() >= until) {
        this.#deferSlice();
        break;
      }
      this.#call(starts, places[this.#nextCall++], durableAt);
    }
    this.#report.endSlice();
  }

  #deferSlice(): void {
    this.#sliceDeferred = true;
    this.#options.clock.defer(() => {
      this.#sliceDeferred = false;
      this.#ports.readClock();
      this.callSome();
    });
  }

  #call(starts: Starts, place: number, durableAt: number): void {
    const { clock, owed, lateAfterMs, trace, location, instanceId: instance } = this.#options;
    const task = starts.taskAt(place);
    const { name, callback, policy } = this.#tasks.runsUnder(task);
    const run = new NamedRun(this.#tasks.runNames, starts.cells, place * START_WIDTH);
    const calledAt = clock.now();
    this.#report.calling(name, calledAt);
    const retryWaited = this.#tasks.retryOf(task);
    this.#tasks.call(task, calledAt);
    this.#ports.called(task, calledAt);
    this.#running++;
    trace?.({ event: 'RunStart', at: calledAt, task: name, runId: run.runId, instance });
    const claimedAt = starts.cells[place * START_WIDTH + ROW.startedAt];
    const lateMs = owed.lateMsOf(task, calledAt);
    const lateness = owed.latenessOf(task, claimedAt, durableAt, calledAt, lateAfterMs);
    owed.forget(task); // from the call on it is owed nothing
    this.#report.called(name, run, calledAt, retryWaited, lateMs, lateness);
    const context = new LazyContext(name, task, run, this.#signals, this.#completions ?? location);
    if (policy.timeoutMs !== Number.POSITIVE_INFINITY) {
      this.#limits ??= new Limits(clock, (limited, error) => this.#signals.abortOne(limited, error));
      this.#limits.set(task, name, policy, (error) => this.#abandon(task, context, calledAt, error));
    }
    const view = context.view();
    try {
      const result: unknown = isRunTraced()
        ? traceRun(this.#messageOf(name, run), () => Reflect.apply(callback, undefined, [view]))
        : Reflect.apply(callback, undefined, [view]);
      if (isThenable(result)) this.#await(result, task, context, calledAt);
      else this.#over(task, context, calledAt, null);
    } catch (error) {
      this.#over(task, context, calledAt, { thrown: error });
    }
  }

  #messageOf(task: string, { runId, key, scheduledFor, attempt, reason }: NamedRun): RunMessage {
    return { store: this.#options.location, task, runId, key, scheduledFor, attempt, reason };
  }

  #await(result: PromiseLike<unknown>, task: number, context: LazyContext, calledAt: number): void {
    settled(result).then(
      () => this.#over(task, context, calledAt, null),
      (error) => this.#over(task, context, calledAt, { thrown: error }),
    );
  }

  #abandon(task: number, context: LazyContext, calledAt: number, error: TaskTimeoutError): void {
    const { name, runId } = context;
    const { emit, logger, clock } = this.#options;
    this.#over(task, context, calledAt, { thrown: error });
    emit('TaskAbandoned', clock.now(), { task: name, runId });
    logger.error(
      `task "${visible(name, 100)}" did not end after its timeout: its callback still runs, and may overlap the next start`,
    );
  }

  #over(task: number, context: LazyContext, calledAt: number, failure: Failure): void {
    if (context.isOver) return; // it was abandoned, and its callback has ended at last
    const reasons = this.#signals.reasonsOf(task);
    const aborted = reasons === NEVER ? NOT_ABORTED : ({ reasons, signal: context.signalIs } as const);
    this.#limits?.clear(task);
    context.close();
    const settled = this.#completions?.settle(task);
    if (settled === undefined) this.#count(task, context, calledAt, failure, aborted);
    else
      void settled.then((end) => {
        if (end === undefined) this.#count(task, context, calledAt, failure, aborted);
        else this.#completed(task, context, end, failure);
      });
  }

  /** K8: the run was over when the user's transaction was committed. */
  #completed(task: number, context: LazyContext, end: EndChange, failure: Failure): void {
    const { trace, logger, instanceId: instance } = this.#options;
    const { name, runId } = context;
    this.#running--;
    const failuresBefore = this.#tasks.failuresOf(task);
    const { at } = this.#ports.completed(task, end);
    this.#report.succeeded(context, end.calledAt, at, failuresBefore, { completedAt: end.endedAt });
    trace?.({ event: 'EndDurable', at, task: name, runId, instance });
    if (failure !== null)
      logger.warn(
        `task "${visible(name, 100)}" failed after its run was completed: ${describeError(failure.thrown).message}`,
      );
  }

  #count(task: number, context: LazyContext, calledAt: number, failure: Failure, aborted: Aborted): void {
    this.#running--;
    // A run that took too long has failed, whatever it returned (H6).
    const { reasons } = aborted;
    const limit =
      reasons === NEVER ? undefined : reasons.find((reason) => reason instanceof TaskTimeoutError);
    const thrown = limit === undefined ? failure : { thrown: limit };
    const failuresBefore = this.#tasks.failuresOf(task);
    if (thrown === null) {
      const { at } = this.#ports.ended(task, 'success', null);
      this.#report.succeeded(context, calledAt, at, failuresBefore);
      return;
    }
    const kind = failureKind(aborted);
    const error = kind === 'interrupted' ? null : this.#described(thrown.thrown);
    const ended = this.#ports.ended(task, kind, error);
    this.#report.failed(task, context, calledAt, thrown.thrown, ended);
  }

  #described(thrown: unknown): RunError {
    const { name, message, text } = describeError(thrown);
    return this.#options.recordErrors ? { name, message, text } : { name, message: '', text: '' };
  }
}

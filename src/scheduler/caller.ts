/**
 * Calls the callbacks whose starts are durable, a slice at a time, and hears of their ends (F1). A callback may be anything:
 * what it returns is awaited if it can be, what it throws is a failure, and nothing of it reaches anybody else.
 */
import type { RunError } from '../core/history.ts';
import { START_WIDTH, type Starts } from '../core/rows.ts';
import type { Tasks } from '../core/tasks.ts';
import { NamedRun } from '../core/work-columns.ts';
import { isThenable, settled } from '../executor/thenable.ts';
import { describeError } from '../text/describe-error.ts';
import type { Clock } from '../time/clock.ts';
import type { TraceSink } from '../trace/record.ts';
import { LazyContext, Signals } from './context.ts';
import type { Emit, Lateness } from './events.ts';
import type { Logger } from './options.ts';
import type { Sizes } from './sizes.ts';

/** A callback that holds the loop for longer than this is remembered as a suspect. */
const SUSPECT_MS = 50;

/** Starts that are durable, and those of them that are to be called. */
interface Granted {
  readonly starts: Starts;
  /** The places in `starts`. */
  readonly places: readonly number[];
  readonly durableAt: number;
}

export interface CallerOptions {
  readonly clock: Clock;
  readonly instanceId: string;
  readonly emit: Emit;
  /** Whether anybody listens: if not, there is nothing to put together. */
  readonly isHeard: boolean;
  readonly trace: TraceSink | undefined;
  readonly sizes: Sizes;
  readonly logger: Logger;
  /** Whether what a callback throws is kept as text, or only by its name (J3). */
  readonly recordErrors: boolean;
}

/** The engine, as far as the caller needs it. */
export interface CallerPorts {
  /** Where the time went, if a task is called late. Asked once per call. */
  latenessOf(task: number, calledAt: number, durableAt: number): Lateness | undefined;
  /** A run is over; answers when that was. `error` is `null` for a success. */
  ended(task: number, error: RunError | null): number;
  /** Reads the clock, which may have been set since the last slice. */
  readClock(): void;
}

export class Caller {
  readonly #options: CallerOptions;
  readonly #tasks: Tasks;
  readonly #ports: CallerPorts;
  readonly #signals: Signals;
  /** The first is being called; `#nextCall` counts in its places. */
  readonly #calls: Granted[] = [];
  #nextCall = 0;
  #untilLook = 0;
  #sliceDeferred = false;
  #running = 0;
  #heldFrom = 0;
  #suspect: { readonly task: string; readonly until: number } | undefined;

  constructor(options: CallerOptions, tasks: Tasks, ports: CallerPorts) {
    this.#options = options;
    this.#tasks = tasks;
    this.#ports = ports;
    this.#signals = new Signals(options.clock, (error) =>
      options.logger.error(`a listener of an abort signal threw ${describeError(error).message}`),
    );
  }

  get running(): number {
    return this.#running;
  }

  add(granted: Granted): void {
    if (granted.places.length > 0) this.#calls.push(granted);
    else granted.starts.release();
  }

  /** Aborts the signal of every callback that has asked for it (D10). */
  stop(): void {
    this.#signals.abort();
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
    this.#heldFrom = clock.monotonic();
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
        return;
      }
      this.#call(starts, places[this.#nextCall++], durableAt);
    }
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
    const { clock, trace, instanceId: instance } = this.#options;
    const task = starts.taskAt(place);
    const { name, callback } = this.#tasks.registrationOf(task);
    const run = new NamedRun(this.#tasks.runNames, starts.cells, place * START_WIDTH);
    const calledAt = clock.now();
    const retryWaited = this.#tasks.retryOf(task);
    this.#tasks.call(task, calledAt);
    this.#running++;
    trace?.({ event: 'RunStart', at: calledAt, task: name, runId: run.runId, instance });
    const lateness = this.#ports.latenessOf(task, calledAt, durableAt);
    if (this.#options.isHeard) this.#tell(name, run, calledAt, retryWaited, lateness);
    const context = new LazyContext(name, run, this.#signals);
    try {
      const result: unknown = Reflect.apply(callback, undefined, [context]);
      if (isThenable(result)) this.#await(result, task, context, calledAt);
      else this.#over(task, context, calledAt, null);
    } catch (error) {
      this.#over(task, context, calledAt, { thrown: error });
    }
    this.#suspectIf(name);
  }

  #await(result: PromiseLike<unknown>, task: number, context: LazyContext, calledAt: number): void {
    settled(result).then(
      () => this.#over(task, context, calledAt, null),
      (error) => this.#over(task, context, calledAt, { thrown: error }),
    );
  }

  /** Whoever holds the loop for long is remembered. The time since the last call is this one's, but for some microseconds. */
  #suspectIf(task: string): void {
    const until = this.#options.clock.monotonic();
    if (until - this.#heldFrom > SUSPECT_MS) this.#suspect = { task, until };
    this.#heldFrom = until;
  }

  #over(
    task: number,
    context: LazyContext,
    calledAt: number,
    failure: { readonly thrown: unknown } | null,
  ): void {
    const { emit, isHeard, trace, instanceId: instance } = this.#options;
    context.close();
    this.#running--;
    const { name } = context;
    const endedAt = this.#ports.ended(task, failure === null ? null : this.#described(failure.thrown));
    const event = failure === null ? 'RunSuccess' : 'RunFailure';
    trace?.({ event, at: endedAt, task: name, runId: context.runId, instance });
    if (!isHeard) return;
    const told = { task: name, runId: context.runId, durationMs: endedAt - calledAt };
    if (failure === null) emit('TaskRunCompleted', endedAt, told);
    else {
      const pendingRetryUntil = this.#tasks.retryOf(task);
      emit('TaskRunFailed', endedAt, { ...told, error: failure.thrown, pendingRetryUntil });
    }
  }

  #described(thrown: unknown): RunError {
    const { name, message, text } = describeError(thrown);
    return this.#options.recordErrors ? { name, message, text } : { name, message: '', text: '' };
  }

  #tell(
    task: string,
    { runId, key, scheduledFor, attempt, reason }: NamedRun,
    calledAt: number,
    retryWaited: number,
    lateness: Lateness | undefined,
  ): void {
    const { emit } = this.#options;
    if (reason === 'due' && !Number.isNaN(retryWaited))
      emit('TaskRetryPreempted', calledAt, { task, pendingRetryUntil: retryWaited });
    const event = { task, reason, key, scheduledFor, attempt, runId };
    emit(reason === 'retry' ? 'TaskRetryStarted' : 'TaskRunStarted', calledAt, event);
    if (lateness === undefined) return;
    emit('TaskStartedLate', calledAt, { task, runId, ...lateness, ...this.#culpritFor(lateness.lateMs) });
  }

  /** Who held the loop within the time that was lost. */
  #culpritFor(lateMs: number): { culprit?: string } {
    const suspect = this.#suspect;
    if (suspect === undefined || this.#options.clock.monotonic() - suspect.until > lateMs) return {};
    return { culprit: suspect.task };
  }
}

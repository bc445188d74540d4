/**
 * Calls the callbacks whose starts are durable, a slice at a time, and hears of their ends (F1). A callback may be anything:
 * what it returns is awaited if it can be, what it throws is a failure, and nothing of it reaches anybody else.
 */
import type { EndChange } from '../core/changes.ts';
import type { Reason, Tasks } from '../core/tasks.ts';
import { isThenable, settled } from '../executor/thenable.ts';
import type { Clock } from '../time/clock.ts';
import type { TraceSink } from '../trace/record.ts';
import { LazyContext, type RunDetails, Signals } from './context.ts';
import type { Emit, Lateness } from './events.ts';
import type { Sizes } from './sizes.ts';

/** A callback that holds the loop for longer than this is remembered as a suspect. */
const SUSPECT_MS = 50;

interface Call {
  readonly task: number;
  readonly reason: Reason;
  readonly durableAt: number;
}

export interface CallerOptions {
  readonly clock: Clock;
  readonly instanceId: string;
  readonly emit: Emit;
  readonly trace: TraceSink | undefined;
  readonly sizes: Sizes;
}

/** The engine, as far as the caller needs it. */
export interface CallerPorts {
  /** Where the time went, if a task is called late. Asked once per call. */
  latenessOf(task: number, calledAt: number, durableAt: number): Lateness | undefined;
  ended(task: number, outcome: EndChange['outcome']): EndChange;
  /** Reads the clock, which may have been set since the last slice. */
  readClock(): void;
}

export class Caller {
  readonly #options: CallerOptions;
  readonly #tasks: Tasks;
  readonly #ports: CallerPorts;
  readonly #signals: Signals;
  #calls: Call[] = [];
  #nextCall = 0;
  #sliceDeferred = false;
  #running = 0;
  #suspect: { readonly task: string; readonly until: number } | undefined;

  constructor(options: CallerOptions, tasks: Tasks, ports: CallerPorts) {
    this.#options = options;
    this.#tasks = tasks;
    this.#ports = ports;
    this.#signals = new Signals(options.clock);
  }

  get running(): number {
    return this.#running;
  }

  add(task: number, reason: Reason, durableAt: number): void {
    this.#calls.push({ task, reason, durableAt });
  }

  /** Aborts the signal of every callback that has asked for it (D10). */
  stop(): void {
    this.#signals.abort();
  }

  /** The tasks that were to be called and now are not. */
  takeBack(): readonly number[] {
    const tasks = this.#calls.slice(this.#nextCall).map(({ task }) => task);
    this.#calls = [];
    this.#nextCall = 0;
    return tasks;
  }

  /** Calls what waits to be called, for as long as a slice lasts; the rest from a fresh macrotask. */
  callSome(): void {
    if (this.#sliceDeferred) return;
    const { clock, sizes } = this.#options;
    const until = clock.monotonic() + sizes.callSliceMs;
    while (this.#nextCall < this.#calls.length) {
      const isToLook = this.#nextCall % sizes.callsBetweenLooks === sizes.callsBetweenLooks - 1;
      if (isToLook && clock.monotonic() >= until) {
        this.#sliceDeferred = true;
        clock.defer(() => {
          this.#sliceDeferred = false;
          this.#ports.readClock();
          this.callSome();
        });
        return;
      }
      this.#call(this.#calls[this.#nextCall++]);
    }
    this.#calls = [];
    this.#nextCall = 0;
  }

  #call({ task, reason, durableAt }: Call): void {
    const { clock, trace, instanceId: instance } = this.#options;
    const { name, callback } = this.#tasks.registrationOf(task);
    const run = this.#tasks.runOf(task);
    const work = this.#tasks.workOf(task);
    if (run === null || work === null) throw new Error(`Only a claimed task is called (${name})`);
    const calledAt = clock.now();
    const retryWaited = this.#tasks.retryOf(task);
    this.#tasks.call(task, calledAt);
    this.#running++;
    const details = { name, ...work, runId: run.runId, reason };
    trace?.({ event: 'RunStart', at: calledAt, task: name, runId: run.runId, instance });
    this.#tell(task, details, calledAt, durableAt, retryWaited);
    const context = new LazyContext(details, this.#signals);
    const over = (outcome: EndChange['outcome'], error: unknown): void => {
      context.close();
      this.#over(task, outcome, error);
    };
    const heldFrom = clock.monotonic();
    try {
      const result: unknown = Reflect.apply(callback, undefined, [context]);
      if (isThenable(result)) {
        settled(result).then(
          () => over('success', undefined),
          (error) => over('failure', error),
        );
      } else over('success', undefined);
    } catch (error) {
      over('failure', error);
    }
    const heldUntil = clock.monotonic();
    if (heldUntil - heldFrom > SUSPECT_MS) this.#suspect = { task: name, until: heldUntil };
  }

  #over(task: number, outcome: EndChange['outcome'], error: unknown): void {
    const { emit, trace, instanceId: instance } = this.#options;
    this.#running--;
    const { name, runId, calledAt, endedAt, pendingRetryUntil } = this.#ports.ended(task, outcome);
    const durationMs = endedAt - calledAt;
    trace?.({
      event: outcome === 'success' ? 'RunSuccess' : 'RunFailure',
      at: endedAt,
      task: name,
      runId,
      instance,
    });
    if (pendingRetryUntil === null) emit('TaskRunCompleted', endedAt, { task: name, runId, durationMs });
    else emit('TaskRunFailed', endedAt, { task: name, runId, durationMs, error, pendingRetryUntil });
  }

  #tell(task: number, details: RunDetails, calledAt: number, durableAt: number, retryWaited: number): void {
    const { emit } = this.#options;
    const { name, reason, ...rest } = details;
    const event = { task: name, reason, ...rest };
    if (reason === 'due' && !Number.isNaN(retryWaited)) {
      emit('TaskRetryPreempted', calledAt, { task: name, pendingRetryUntil: retryWaited });
    }
    emit(reason === 'retry' ? 'TaskRetryStarted' : 'TaskRunStarted', calledAt, event);
    const lateness = this.#ports.latenessOf(task, calledAt, durableAt);
    if (lateness === undefined) return;
    const { runId } = details;
    emit('TaskStartedLate', calledAt, {
      task: name,
      runId,
      ...lateness,
      ...this.#culpritFor(lateness.lateMs),
    });
  }

  /** Who held the loop within the time that was lost. */
  #culpritFor(lateMs: number): { culprit?: string } {
    const suspect = this.#suspect;
    if (suspect === undefined || this.#options.clock.monotonic() - suspect.until > lateMs) return {};
    return { culprit: suspect.task };
  }
}

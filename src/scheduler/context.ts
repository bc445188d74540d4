/** What a callback is given (F4): one object, whose parts are made when they are touched, since a million runs a minute may not. */
import { inspect } from 'node:util';
import type { Reason } from '../core/record.ts';
import type { NamedRun } from '../core/work-columns.ts';
import type { Clock } from '../time/clock.ts';
import { calmListeners } from './guests.ts';

/** What a callback gets to know about its run (F4). */
export interface RunContext {
  /** The name under which the task was registered. */
  readonly name: string;
  /** Stays the same from a start through its retries and orphaned restarts, so that a repeated run can recognise itself. */
  readonly key: string;
  /** Unique to this start. */
  readonly runId: string;
  /** The due instant that is served. */
  readonly scheduledFor: Date;
  /** How many starts of this key there have been, this one included. */
  readonly attempt: number;
  /** Why it was started: it was due, a retry after a failure, or cut off by a crash. */
  readonly reason: Reason;
  /** Aborted when `stop` begins (D10). */
  readonly signal: AbortSignal;
}

/** The clock of the scheduler whose run a signal belongs to, for waits such as that of `withTimeout`. */
const clocks = new WeakMap<AbortSignal, Clock>();

export const clockOf = (signal: AbortSignal): Clock | undefined => clocks.get(signal);

/** Makes a clock known as that of a signal; answers the signal. */
export function keepClock(signal: AbortSignal, clock: Clock): AbortSignal {
  clocks.set(signal, clock);
  return signal;
}

/** The signals that callbacks have asked for, all aborted by one `stop`. */
export class Signals {
  readonly #clock: Clock;
  readonly #listenerFailed: (error: unknown) => void;
  readonly #controllers = new Set<AbortController>();
  #stopped = false;

  constructor(clock: Clock, listenerFailed: (error: unknown) => void) {
    this.#clock = clock;
    this.#listenerFailed = listenerFailed;
  }

  create(): AbortController {
    const controller = new AbortController();
    keepClock(controller.signal, this.#clock);
    calmListeners(controller.signal, this.#listenerFailed);
    if (this.#stopped) controller.abort(stopReason());
    else this.#controllers.add(controller);
    return controller;
  }

  /** The run is over: its signal is not aborted any more. */
  release(controller: AbortController): void {
    this.#controllers.delete(controller);
  }

  abort(): void {
    this.#stopped = true;
    for (const controller of this.#controllers) controller.abort(stopReason());
    this.#controllers.clear();
  }
}

const stopReason = (): DOMException => new DOMException('The scheduler is stopping', 'AbortError');

/** What a run is given. Texts are made when somebody asks for them. */
export class LazyContext implements RunContext {
  readonly name: string;
  readonly reason: Reason;
  readonly attempt: number;
  readonly #run: NamedRun;
  readonly #signals: Signals;
  #controller: AbortController | undefined;

  constructor(name: string, run: NamedRun, signals: Signals) {
    this.name = name;
    this.reason = run.reason;
    this.attempt = run.attempt;
    this.#run = run;
    this.#signals = signals;
  }

  get key(): string {
    return this.#run.key;
  }

  get runId(): string {
    return this.#run.runId;
  }

  get scheduledFor(): Date {
    return new Date(this.#run.scheduledFor);
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#signals.create();
    return this.#controller.signal;
  }

  /** The part that can be sent elsewhere: to a thread, into a log. */
  toJSON(): Omit<RunContext, 'signal'> {
    const { name, key, runId, scheduledFor, attempt, reason } = this;
    return { name, key, runId, scheduledFor, attempt, reason };
  }

  /** What `console.log` shows. */
  [inspect.custom](): object {
    return this.toJSON();
  }

  /** The run is over. */
  close(): void {
    if (this.#controller !== undefined) this.#signals.release(this.#controller);
  }
}

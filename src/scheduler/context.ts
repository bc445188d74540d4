/** What a callback is given (F4): one object, whose parts are made when they are touched, since a million runs a minute may not. */
import type { Reason } from '../core/record.ts';
import type { NamedRun } from '../core/work-columns.ts';
import { CompletionError } from '../errors.ts';
import type { Completions, TransactionClient } from '../store/port.ts';
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
  /**
   * Makes the success of this run a part of your own transaction in the database of the store (K8): it is durable if and only if the
   * transaction is committed. Call it last, right before COMMIT, with the client of the transaction. It rejects if the run is not
   * current any more, and the transaction is to be rolled back then. It works with `obbligato/postgres` alone.
   */
  readonly complete: (client: TransactionClient) => Promise<void>;
}

/** The name of the method that says what `console.log` shows: `inspect.custom` of `node:util`. */
const SHOWN: unique symbol = Symbol.for('nodejs.util.inspect.custom');

/** The clock of the scheduler whose run a signal belongs to, for waits such as that of `withTimeout`. */
const clocks = new WeakMap<AbortSignal, Clock>();

const clockOf = (signal: AbortSignal): Clock | undefined => clocks.get(signal);

/** What a context knows its clock by: a wrapper that asked for the signal would take it in the name of the callback (A13). */
const CLOCK: unique symbol = Symbol('clock');

/** The clock of the scheduler that has made a context; undefined for a context that was made by hand. */
export function clockIn(context: RunContext): Clock | undefined {
  const clock: Clock | undefined = Reflect.get(context, CLOCK);
  return clock ?? clockOf(context.signal);
}

/**
 * A context with another signal, which is made when the callback asks for it. All other fields are those of the context, which hears of every
 * question: so whoever wraps a callback takes no signal that the callback does not take (A13).
 */
export function withSignal(context: RunContext, make: () => AbortSignal): RunContext {
  let signal: AbortSignal | undefined;
  const get = (field: string | symbol): unknown => {
    if (field !== 'signal') return Reflect.get(context, field);
    signal ??= make();
    return signal;
  };
  return new Proxy(Object(null), {
    get: (_, field) => get(field),
    has: (_, field) => Reflect.has(context, field),
    ownKeys: () => Reflect.ownKeys(context),
    getOwnPropertyDescriptor: (_, field) =>
      Object.hasOwn(context, field)
        ? { value: get(field), enumerable: true, configurable: true, writable: true }
        : undefined,
  });
}

/** Makes a clock known as that of a signal; answers the signal. */
export function keepClock(signal: AbortSignal, clock: Clock): AbortSignal {
  clocks.set(signal, clock);
  return signal;
}

/**
 * The signals of running callbacks. Most callbacks never ask for theirs, so a signal is made when it is asked for; one that was to be
 * aborted before is aborted then.
 */
export class Signals {
  readonly clock: Clock;
  readonly #listenerFailed: (error: unknown) => void;
  /** By task. */
  readonly #controllers = new Map<number, AbortController>();
  /** By task: why the signal of its run is aborted, or would be if it had been asked for. Only of runs that were aborted on their own. */
  readonly #reasons = new Map<number, readonly unknown[]>();
  /** Why all runs are aborted. */
  #ofAll: readonly unknown[] = NEVER;

  constructor(clock: Clock, listenerFailed: (error: unknown) => void) {
    this.clock = clock;
    this.#listenerFailed = listenerFailed;
  }

  /** The signal of a task's run. */
  create(task: number): AbortSignal {
    const controller = new AbortController();
    keepClock(controller.signal, this.clock);
    calmListeners(controller.signal, this.#listenerFailed);
    const reasons = this.reasonsOf(task);
    if (reasons.length > 0) controller.abort(reasons[0]);
    else this.#controllers.set(task, controller);
    return controller.signal;
  }

  /** The run is over: its signal is not aborted any more. */
  release(task: number): void {
    if (this.#controllers.size > 0) this.#controllers.delete(task);
    if (this.#reasons.size > 0) this.#reasons.delete(task);
  }

  /** Aborts the signal of one run. Its callback sees the first reason; the others count as well when it ends. */
  abortOne(task: number, reason: unknown): void {
    const before = this.reasonsOf(task);
    this.#reasons.set(task, [...before, reason]);
    if (before.length === 0) this.#controllers.get(task)?.abort(reason);
  }

  /** Why the run of a task was aborted, in order. */
  reasonsOf(task: number): readonly unknown[] {
    return this.#reasons.get(task) ?? this.#ofAll;
  }

  /** Aborts all of them, for the same reason; those that were aborted before have one more. */
  abort(reason: unknown = stopReason()): void {
    for (const [task, reasons] of this.#reasons) this.#reasons.set(task, [...reasons, reason]);
    this.#ofAll = [...this.#ofAll, reason];
    for (const controller of this.#controllers.values()) controller.abort(reason);
    this.#controllers.clear();
  }
}

/** A run that was not aborted has no reasons. */
export const NEVER: readonly unknown[] = [];

const stopReasons = new WeakSet<object>();

function stopReason(): DOMException {
  const reason = new DOMException('The scheduler is stopping', 'AbortError');
  stopReasons.add(reason);
  return reason;
}

/** Whether a signal was aborted for this reason because its scheduler stops (A13). */
export const isStop = (reason: unknown): boolean =>
  typeof reason === 'object' && reason !== null && stopReasons.has(reason);

/** The fields that are made when they are touched. */
const LAZY_FIELDS = ['key', 'runId', 'scheduledFor', 'signal', 'complete'] as const;

/**
 * What a callback sees of its context. Fields that are made when they are touched live on the prototype, where a spread and `Object.keys` do not
 * look. So the one who asks for a context's own fields has them made first: `{ ...context }` carries every field. Own accessors per run would do
 * that too, and cost 700 ns per start; this view costs 10 ns, and some tens of nanoseconds per field that is read.
 */
const VIEW: ProxyHandler<LazyContext> = {
  // Not by the view's own `this`, which has no private fields.
  get: (context, field) => Reflect.get(context, field),
  ownKeys: (context) => Reflect.ownKeys(context.fill()),
  getOwnPropertyDescriptor: (context, field) => Reflect.getOwnPropertyDescriptor(context.fill(), field),
  preventExtensions: (context) => Reflect.preventExtensions(context.fill()),
};

/** What a run is given. Texts are made when somebody asks for them. */
export class LazyContext implements RunContext {
  readonly name: string;
  readonly reason: Reason;
  readonly attempt: number;
  readonly #run: NamedRun;
  readonly #signals: Signals;
  /** The location of a store that can complete nothing in a transaction of the user (K8). */
  readonly #completions: Completions | string;
  readonly #task: number;
  #signal: AbortSignal | undefined;
  #isOver = false;
  #isFilled = false;

  constructor(
    name: string,
    task: number,
    run: NamedRun,
    signals: Signals,
    completions: Completions | string,
  ) {
    this.name = name;
    this.#task = task;
    this.reason = run.reason;
    this.attempt = run.attempt;
    this.#run = run;
    this.#signals = signals;
    this.#completions = completions;
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

  /** Whether the callback has asked for the signal: then an abort of it can be the cause of what it throws (A13). */
  get hasTakenSignal(): boolean {
    return this.#signal !== undefined;
  }

  /** The clock of the scheduler, for wrappers that need no signal for it. */
  get [CLOCK](): Clock {
    return this.#signals.clock;
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#isOver ? overSignal() : this.#signals.create(this.#task);
    return this.#signal;
  }

  get complete(): RunContext['complete'] {
    return async (client) => {
      const store = this.#completions;
      if (typeof store === 'string')
        throw new CompletionError(
          this.name,
          `store "${store}" cannot; use postgres() of "obbligato/postgres"`,
        );
      await store.complete(this.#task, this, client);
    };
  }

  /** The part that can be sent elsewhere: to a thread, into a log. */
  toJSON(): Omit<RunContext, 'signal' | 'complete'> {
    const { name, key, runId, scheduledFor, attempt, reason } = this;
    return { name, key, runId, scheduledFor, attempt, reason };
  }

  /** What `console.log` shows. */
  [SHOWN](): object {
    return this.toJSON();
  }

  /** The callback's argument. */
  view(): RunContext {
    return new Proxy(this, VIEW);
  }

  /** Makes every field a field of its own. */
  fill(): this {
    if (this.#isFilled) return this;
    this.#isFilled = true;
    for (const field of LAZY_FIELDS)
      Object.defineProperty(this, field, { value: this[field], enumerable: true, configurable: true });
    return this;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The run is over. */
  close(): void {
    this.#isOver = true;
    this.#signals.release(this.#task);
  }
}

/** The signal of a run that has ended before anybody asked for it. */
const overSignal = (): AbortSignal => new AbortController().signal;

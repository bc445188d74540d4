/**
 * The executor: sources trigger tasks, workers run them, at most `workers` at once and never one task twice at a time.
 *
 *     running ──every source ended, every trigger served──▶ finished
 *        └──────stop()──▶ stopping ──callbacks ended──▶ stopped
 *
 * - *running*: from birth, also while nothing has been added yet. The only state in which `add` is allowed.
 * - *finished*: looked for whenever a drain is over, and it takes a task to cause one. `done` resolves to `'finished'`.
 * - *stopping*: nothing starts any more, all sources are detached, all signals aborted; what is owed is dropped.
 * - *stopped*: the last callback has ended and the sources have let go. `done` resolves to `'stopped'`.
 */
import { type Duration, lengthOf } from '../time/duration.ts';
import { hostClock } from '../time/host-clock.ts';
import type { Clock } from './clock.ts';
import { Dispatcher } from './dispatcher.ts';
import { ExecutorEndedError } from './errors.ts';
import { Followers } from './follower.ts';
import { createReporter, type ErrorInfo, type OnError } from './report.ts';
import type { Source } from './source.ts';
import { isDone, isQuiescent, REFUSED, SUBSCRIBER, TIMER } from './state.ts';
import type { ManualSource } from './subscribers.ts';
import { type Callback, type Host, type ManualTask, Run, type Task, TaskRecord } from './task.ts';
import { isThenable, settled } from './thenable.ts';

/** What `createExecutor` takes, all of it optional. */
export interface ExecutorOptions {
  /** How many callbacks may run at once. Without a bound by default. */
  readonly workers?: number;
  /** Gets what callbacks and sources throw. Without it, errors become process warnings. */
  readonly onError?: OnError;
  /** For how long starts may hold the event loop before others get their turn; 1 ms by default. */
  readonly slice?: Duration;
  /** Where timers take their time from; the host by default. */
  readonly clock?: Clock;
}

/** How an executor came to its end. */
export type Outcome = 'finished' | 'stopped';

/** Runs callbacks when their sources fire, by its workers, until every source has ended or it is stopped. */
export interface Executor {
  /** Adds a task: from now on `callback` runs whenever `source` fires. The name is for reports; it need not be unique. */
  add<Item>(name: string, source: ManualSource<Item>, callback: Callback<Item>): ManualTask<Item>;
  add<Item>(name: string, source: Source<Item>, callback: Callback<Item>): Task;
  /**
   * Resolves to `'finished'` when every source has ended and every trigger has been served, and never before; or to
   * `'stopped'` when `stop` is through. It never rejects. With nothing added it waits.
   */
  readonly done: Promise<Outcome>;
  /**
   * Starts nothing more, detaches all sources, aborts all signals, and resolves when the running callbacks have ended.
   * May be called at any time and any number of times; awaited inside a callback it would wait for itself.
   */
  stop(): Promise<void>;
}

/** Makes an executor. It runs from the first `add` on. */
export function createExecutor(options: ExecutorOptions = {}): Executor {
  return new TaskExecutor(options);
}

class TaskExecutor implements Executor, Host {
  readonly clock: Clock;
  readonly done: Promise<Outcome>;
  stopReason: unknown = undefined;
  readonly controllers = new Set<AbortController>();
  readonly #settleDone: (outcome: Outcome) => void;
  readonly #stopped = Promise.withResolvers<void>();
  readonly #dispatcher: Dispatcher;
  readonly #followers: Followers;
  readonly #report: (error: unknown, info: ErrorInfo) => void;
  readonly #tasks: Array<TaskRecord | undefined> = [];
  /** What sources have to do yet to let go; `stop` waits for it. */
  readonly #detaching = new Set<Promise<void>>();
  #ending: Outcome | undefined = undefined;

  constructor({
    workers = Number.POSITIVE_INFINITY,
    slice = 1,
    clock = hostClock,
    onError,
  }: ExecutorOptions) {
    this.clock = clock;
    this.#report = createReporter(onError, () => this.#ending === 'stopped');
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.done = promise;
    this.#settleDone = resolve;
    this.#followers = new Followers({
      succeeded: (run) => this.#finish(run),
      failed: (run, error) => this.#fail(run, error),
    });
    this.#dispatcher = new Dispatcher({
      workers,
      sliceMs: lengthOf('slice', slice),
      start: (number) => this.#start(number),
      rested: () => this.#rested(),
    });
  }

  add<Item>(name: string, source: Source<Item>, callback: Callback<Item>): ManualTask<Item> {
    checkArguments(name, source, callback);
    if (this.#ending !== undefined) throw new ExecutorEndedError(name, this.#ending);
    const number = this.#dispatcher.add(source.kind === 'timer' ? TIMER : SUBSCRIBER);
    // The record forgets the type of its items; that they are right is kept by `attach` and by `trigger`.
    const task = new TaskRecord(this, number, name, callback as Callback<unknown>);
    this.#tasks[number] = task;
    try {
      task.attachment = source.attach(task);
    } catch (error) {
      task.fail(error);
    }
    // Its source may have ended, or all have been stopped, while it was being attached: then it is detached here.
    if (!task.isOpen) this.#detach(task);
    return task;
  }

  stop(): Promise<void> {
    if (this.#ending === undefined) this.#halt();
    return this.#ending === 'finished' ? Promise.resolve() : this.#stopped.promise;
  }

  taskTriggered(task: TaskRecord): boolean {
    return this.#dispatcher.trigger(task.number) !== REFUSED;
  }

  taskEnded(task: TaskRecord): void {
    this.#detach(task);
    this.#dispatcher.endSource(task.number);
    this.#forgetIfSpent(task);
  }

  sourceFailed(task: TaskRecord, error: unknown): void {
    this.#report(error, { name: task.name, during: 'source' });
  }

  #start(number: number): void {
    const task = this.#tasks[number];
    if (task === undefined)
      throw new Error(`Executor invariant broken: who is taken was added (task ${number})`);
    const { callback } = task; // called without a receiver, so that it sees nothing of the record
    const run = new Run(task);
    let promise: Promise<unknown> | undefined;
    try {
      const result = callback(run);
      if (isThenable(result)) promise = settled(result);
    } catch (error) {
      this.#fail(run, error);
      return;
    }
    if (promise === undefined) this.#finish(run);
    else this.#followers.follow(run, promise);
  }

  #fail(run: Run, error: unknown): void {
    this.#report(error, { name: run.name, during: 'callback' });
    this.#finish(run);
  }

  #finish(run: Run): void {
    const task = Run.end(run);
    // Before the state hears of the end, so that what a pulled source gives at once is remembered as usual (X2).
    task.attachment?.served?.();
    this.#dispatcher.finish(task.number);
    if (!task.isOpen) this.#forgetIfSpent(task);
  }

  #forgetIfSpent(task: TaskRecord): void {
    if (this.#dispatcher.releaseIfSpent(task.number)) this.#tasks[task.number] = undefined;
  }

  #detach(task: TaskRecord): void {
    const { attachment } = task;
    task.attachment = undefined;
    if (attachment?.detach === undefined) return;
    try {
      const result = attachment.detach();
      if (!isThenable(result)) return;
      const detaching = settled(result)
        .then(undefined, (error) => this.sourceFailed(task, error))
        .then(() => void this.#detaching.delete(detaching));
      this.#detaching.add(detaching);
    } catch (error) {
      this.sourceFailed(task, error);
    }
  }

  /** Enters *stopping*. User code may be called from in here and may call `stop` again, so the state changes first. */
  #halt(): void {
    this.#ending = 'stopped';
    this.stopReason = new DOMException('The executor was stopped', 'AbortError');
    this.#dispatcher.stop();
    for (const task of this.#tasks) task?.end();
    for (const controller of this.controllers) controller.abort(this.stopReason);
  }

  #rested(): void {
    const { state } = this.#dispatcher;
    if (this.#ending === undefined && isDone(state)) {
      this.#ending = 'finished';
      this.#settleDone('finished');
    } else if (this.#ending === 'stopped' && isQuiescent(state)) {
      Promise.all(this.#detaching).then(() => {
        this.#settleDone('stopped');
        this.#stopped.resolve();
      });
    }
  }
}

function checkArguments(
  name: unknown,
  source: Partial<Source<unknown>> | undefined,
  callback: unknown,
): void {
  if (typeof name !== 'string') {
    throw new TypeError(`add(name, source, callback) takes a name first, a string; got ${typeof name}`);
  }
  if (typeof source?.attach !== 'function' || (source.kind !== 'timer' && source.kind !== 'subscriber')) {
    throw new TypeError(
      `add(${JSON.stringify(name)}, …) takes a source second: every(), at(), onEvent(), onChannel(), from() or manual()`,
    );
  }
  if (typeof callback !== 'function') {
    throw new TypeError(`add(${JSON.stringify(name)}, …) takes a callback third; got ${typeof callback}`);
  }
}

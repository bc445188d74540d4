/** A task as the executor holds it, and what its callback gets to see of a run. */
import type { Clock } from './clock.ts';
import type { Attachment, Sink } from './source.ts';

/** What a callback gets. */
export interface Context<Item> {
  /** The name under which the task was added. */
  readonly name: string;
  /** What the run is for: an instant, the latest arguments of an event, an item of a stream… */
  readonly item: Item;
  /** Aborted when the executor is stopped, so that a willing callback can end early. Made when first asked for. */
  readonly signal: AbortSignal;
}

/** What it returns is awaited if it is a promise, and otherwise ignored. */
export type Callback<Item> = (context: Context<Item>) => unknown;

/** What `add` answers. */
export interface Task {
  readonly name: string;
  /** Ends the task's source, as if it had ended by itself: what is owed is still served. */
  end(): void;
}

/** A task whose source is `manual()`. */
export interface ManualTask<Item> extends Task {
  /** Asks for a run. False if there will be none, because the task has ended or the executor was stopped. */
  trigger(item: Item): boolean;
}

/** What a task needs of its executor. */
export interface Host {
  readonly clock: Clock;
  /** Why all signals are aborted; undefined until the executor is stopped. */
  readonly stopReason: unknown;
  /** The signals of the running callbacks that have asked for theirs. */
  readonly controllers: Set<AbortController>;
  /** The task was triggered; whether that counts. */
  taskTriggered(task: TaskRecord): boolean;
  taskEnded(task: TaskRecord): void;
  sourceFailed(task: TaskRecord, error: unknown): void;
}

/**
 * The handle that the user holds and the sink that the source speaks to are one object, for there may be a million.
 *
 * *open* (its source may trigger it) until `end`, `fail` or the executor's stop; then *closed*: served once more if
 * something is owed, then forgotten by the executor, and its number given to another.
 */
export class TaskRecord implements ManualTask<unknown>, Sink<unknown> {
  readonly name: string;
  readonly callback: Callback<unknown>;
  readonly number: number;
  readonly host: Host;
  isOpen = true;
  /** What the run that is owed is for. */
  item: unknown = undefined;
  attachment: Attachment | undefined = undefined;

  constructor(host: Host, number: number, name: string, callback: Callback<unknown>) {
    this.host = host;
    this.number = number;
    this.name = name;
    this.callback = callback;
  }

  get clock(): Clock {
    return this.host.clock;
  }

  trigger(item?: unknown): boolean {
    if (!this.isOpen || !this.host.taskTriggered(this)) return false;
    this.item = item;
    return true;
  }

  end(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.host.taskEnded(this);
  }

  fail(error: unknown): void {
    this.host.sourceFailed(this, error);
    this.end();
  }
}

/**
 * One run, as its callback sees it. A task does not know its run: a million long-lived tasks that each point to a
 * short-lived run are what a garbage collector likes least. Who is waiting for the end of the run holds it.
 */
export class Run implements Context<unknown> {
  readonly #task: TaskRecord;
  readonly item: unknown;
  #controller: AbortController | undefined = undefined;

  /** Takes over what the task is owed; what comes from now on is for the next run. */
  constructor(task: TaskRecord) {
    this.#task = task;
    this.item = task.item;
    task.item = undefined;
  }

  get name(): string {
    return this.#task.name;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const { host } = this.#task;
      this.#controller = new AbortController();
      if (host.stopReason === undefined) host.controllers.add(this.#controller);
      else this.#controller.abort(host.stopReason);
    }
    return this.#controller.signal;
  }

  /** The part that can be sent elsewhere: to a thread, into a log. */
  toJSON(): { name: string; item: unknown } {
    return { name: this.name, item: this.item };
  }

  /** The run is over: its signal will not be aborted any more. Static, like a method that the callback cannot see. */
  static end(run: Run): TaskRecord {
    if (run.#controller !== undefined) run.#task.host.controllers.delete(run.#controller);
    return run.#task;
  }
}

/**
 * Drives the pure state of `state.ts` for the executor, and decides *when* on the event loop work is done. It knows tasks by
 * number only and hands each start to a hook. (The scheduler uses `state.ts` directly: its turns wait for the store.)
 *
 * Everything that may let a task start (a trigger, an end of a run, an end of a source) *requests* a drain. A drain makes a
 * scheduling pass and starts what the workers can take, and works in turns:
 *
 *     idle ──request──▶ requested ──microtask──▶ draining ──nothing left──▶ idle, the turn stays open
 *                           ▲                        │
 *                           └──── turn used up ──────┘   from here the next drain waits for `setImmediate`
 *
 * - A *turn* opens with the first drain after the event loop came round, and closes when it comes round again (an immediate set
 *   at its opening shows that). Within a turn, drains follow at once, in microtasks: a trigger is served without waiting for the
 *   loop.
 * - A turn has `sliceMs` to use. When they are used up, however many drains they were spent in, the
 *   rest waits for the next turn. So neither a million ready tasks, nor a callback that triggers itself, nor a chain of
 *   promises can keep timers and I/O from their own turn for long.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  addTask,
  createState,
  type ExecutorState,
  endSource,
  finish,
  hasReady,
  isSpent,
  type Kind,
  NONE,
  pass,
  release,
  stop,
  type Triggered,
  take,
  trigger,
} from './state.ts';

export interface DispatcherOptions {
  readonly workers: number;
  /** For how long starts may hold the event loop before it comes round. */
  readonly sliceMs: number;
  /** A worker has taken the task. Its run ends with `finish`, called from in here or at any later time. Must not throw. */
  readonly start: (task: number) => void;
  /** A drain is over: no task can be started for now. The moment to look whether the end has come. */
  readonly rested: () => void;
}

/** The most starts between two looks at the clock, which costs about as much as a start. */
const STRIDE_MAX = 32;
/** What a microtask is hung on. `queueMicrotask` makes an async resource each time, which is not needed here. */
const RESOLVED = Promise.resolve();

export class Dispatcher {
  readonly state: ExecutorState;
  readonly #options: DispatcherOptions;
  /** A drain serves many triggers at once, so it runs in the context of none of them, but in that of its birth. */
  readonly #inContext = AsyncLocalStorage.snapshot();
  #requested = false;
  #draining = false;
  #turnOpen = false;
  #turnUsedUp = false;
  #turnEndsAtMs = 0;
  /** Starts left until the next look at the clock, and how many there were to begin with. */
  #startsLeft = 0;
  #stride = 1;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.state = createState(options.workers);
  }

  /** A new task with one open source. */
  add(kind: Kind): number {
    return addTask(this.state, kind);
  }

  trigger(task: number): Triggered {
    const outcome = trigger(this.state, task);
    this.request();
    return outcome;
  }

  finish(task: number): void {
    finish(this.state, task);
    this.request();
  }

  endSource(task: number): void {
    endSource(this.state, task);
    this.request();
  }

  /** Frees the task's number if it can never run again; whether it did. */
  releaseIfSpent(task: number): boolean {
    if (!isSpent(this.state, task)) return false;
    release(this.state, task);
    return true;
  }

  stop(): void {
    stop(this.state);
    this.request();
  }

  /** Asks for a drain. Safe from anywhere, for no hook is ever called from in here. */
  request(): void {
    if (this.#draining || this.#requested) return;
    this.#requested = true;
    if (!this.#turnUsedUp) RESOLVED.then(this.#onMicrotask);
  }

  readonly #onMicrotask = (): void => {
    if (this.#requested && !this.#turnUsedUp) this.#inContext(this.#drain);
  };

  readonly #onImmediate = (): void => {
    this.#turnOpen = false;
    this.#turnUsedUp = false;
    if (this.#requested) this.#inContext(this.#drain);
  };

  #openTurn(): void {
    this.#turnOpen = true;
    this.#turnEndsAtMs = performance.now() + this.#options.sliceMs;
    this.#startsLeft = this.#stride;
    setImmediate(this.#onImmediate);
  }

  readonly #drain = (): void => {
    if (!this.#turnOpen) this.#openTurn();
    const { state } = this;
    const { start, rested } = this.#options;
    this.#requested = false;
    this.#draining = true;
    do {
      pass(state);
      for (let task = take(state); task !== NONE; task = take(state)) {
        start(task);
        if (--this.#startsLeft <= 0 && this.#isUsedUp()) {
          this.#draining = false;
          this.#turnUsedUp = true;
          this.#requested = true;
          return;
        }
      }
      // Runs that ended at once may have been triggered again meanwhile, with workers to spare.
    } while (hasReady(state) && state.runningCount < state.workers && !state.stopped);
    this.#draining = false;
    rested();
  };

  /** Looks at the clock. The strides between looks grow while starts are cheap and shrink at once when they are not. */
  #isUsedUp(): boolean {
    const leftMs = this.#turnEndsAtMs - performance.now();
    const isUsedUp = leftMs <= 0;
    this.#stride = isUsedUp ? Math.max(1, this.#stride >> 1) : Math.min(STRIDE_MAX, this.#stride << 1);
    this.#startsLeft = this.#stride;
    return isUsedUp;
  }
}

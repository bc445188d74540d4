/**
 * The work that is not over: callbacks that run, and requests to stores. Time may go on only when none of it is busy, or the
 * result of the test would depend on how fast the machine is.
 *
 *                 sleep, until, advance …
 *     busy ──────────────────────────────▶ waiting for the clock
 *      │ ▲ ◀──────────── its time has come ────────────┘
 *      │ │                                                       over: it has ended, from any state
 *      │ └──── it asks the clock for something ────┐
 *      └────── busy for longer than the patience ──▶ given up, with a warning
 *
 * *How it knows.* Every callback and every request goes through `call` or `ask`, so their ends are seen. When work asks the clock
 * for something, the asynchronous context shows which work it is. So work that has not ended and waits for nothing by this clock
 * does something real: it reads a file, goes round the event loop, asks a thread. That ends by itself, and the clock waits for
 * it.
 *
 * *What it cannot know.* A callback that awaits a promise of the test looks just like one that reads a file. So there is a limit
 * of patience, in real time, after which time goes on and a warning names the task. With `until`, a callback says that it waits
 * for the test. Work that waits for the clock *and* does something real at the same time counts as waiting.
 *
 * When the process of some work has died, its promise is never settled, and what it asks of the clock never comes.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isThenable, settled } from '../executor/thenable.ts';

/** One life of a process. */
export class Life {
  readonly #controller = new AbortController();

  /** Aborted when this life ends. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isAlive(): boolean {
    return !this.signal.aborted;
  }

  die(): void {
    this.#controller.abort(
      new Error('This scheduler died in clock.crash(): make a new one, as a process that starts again does'),
    );
  }

  /** The same function, which does nothing once this life is over. */
  bound<Args extends unknown[]>(effect: (...args: Args) => void): (...args: Args) => void {
    return (...args) => {
      if (this.isAlive) effect(...args);
    };
  }
}

/** The work in whose asynchronous context something runs. */
const current = new AsyncLocalStorage<Work>();

interface Work {
  readonly works: Works;
  /** How messages name it: `task "report"`. */
  readonly label: string;
  readonly life: Life;
  /** How many things it waits for by the clock. */
  waits: number;
  /** Since when it is busy, in real time. */
  busySince: number;
  isGivenUp: boolean;
}

/** So many calls of one task at one instant are taken for a task that fails at once and is retried at once, for ever. */
const SPINNING_CALLS = 100;

export class Works {
  readonly #patienceMs: number;
  readonly #all = new Set<Work>();
  #heard: (() => void)[] = [];
  readonly #warnedOf = new Set<string>();
  /** How often each task was called at the present instant. */
  readonly #callsNow = new Map<string, number>();
  /** Counts everything that may set off something else. */
  activity = 0;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  get isBusy(): boolean {
    return this.#busy().length > 0;
  }

  /** Some task is called again and again at one instant, so nothing will come to rest until time passes. */
  isSpinning = false;

  /** Time has passed: a new instant begins. */
  passed(): void {
    this.isSpinning = false;
    this.#callsNow.clear();
  }

  /** The names of all work that waits for the clock. */
  get waiting(): readonly string[] {
    return [...this.#all].filter(({ waits, life }) => waits > 0 && life.isAlive).map(({ label }) => label);
  }

  /** Calls a callback. If it returns a promise, the result is settled only while the process lives. */
  call(label: string, life: Life, callback: () => unknown): unknown {
    this.#countCall(label);
    const work = this.#begin(label, life);
    try {
      const result = current.run(work, callback);
      if (isThenable(result)) return heardBy(life, settled(result), () => this.#end(work));
      this.#end(work);
      return result;
    } catch (error) {
      this.#end(work); // it threw, or what it returned throws when its `then` is read
      throw error;
    }
  }

  /** Asks a store something. */
  ask<T>(label: string, life: Life, question: () => Promise<T>): Promise<T> {
    const work = this.#begin(label, life);
    try {
      return heardBy(life, current.run(work, question), () => this.#end(work));
    } catch (error) {
      this.#end(work); // a store that throws instead of rejecting does so through this clock, too
      throw error;
    }
  }

  /** Waits for the clock. Work that waits is not busy; work of a dead process waits for ever. */
  wait<T>(begin: () => Promise<T>): Promise<T> {
    const work = this.#current();
    if (work === undefined) return begin();
    if (!work.life.isAlive) return new Promise(() => {});
    return heardBy(work.life, begin(), this.#startWaiting(work));
  }

  /** The same for a timer: returns what to call when it rings or is cancelled, and the life that it belongs to. */
  waitForTimer(): { readonly life: Life | undefined; readonly stop: () => void } {
    const work = this.#current();
    return { life: work?.life, stop: work === undefined ? () => {} : this.#startWaiting(work) };
  }

  /** Resolves when no work is busy: all of it has ended, waits for the clock, or was given up. */
  async idle(): Promise<void> {
    for (let busy = this.#busy(); busy.length > 0; busy = this.#busy()) {
      const now = performance.now();
      const leftMs = Math.min(...busy.map(({ busySince }) => busySince + this.#patienceMs - now));
      if (leftMs > 0) await this.#changeWithin(leftMs);
      else for (const work of busy) if (work.busySince + this.#patienceMs <= now) this.#giveUp(work);
    }
  }

  #countCall(label: string): void {
    const count = (this.#callsNow.get(label) ?? 0) + 1;
    this.#callsNow.set(label, count);
    if (count < SPINNING_CALLS) return;
    this.isSpinning = true;
    this.#warnOnce(
      label,
      `${label} was called ${SPINNING_CALLS} times at one instant, so time goes on although it has not come to rest: it fails at once, and its ` +
        'retry delay is 0. Give it a longer one, such as minutes(5)',
    );
  }

  #current(): Work | undefined {
    const work = current.getStore();
    return work?.works === this ? work : undefined;
  }

  #begin(label: string, life: Life): Work {
    const work: Work = { works: this, label, life, waits: 0, busySince: performance.now(), isGivenUp: false };
    this.#all.add(work);
    this.activity++;
    return work;
  }

  #end(work: Work): void {
    this.#all.delete(work);
    this.#changed();
  }

  #startWaiting(work: Work): () => void {
    let isWaiting = true;
    work.waits++;
    work.isGivenUp = false;
    this.#changed();
    return () => {
      if (!isWaiting) return;
      isWaiting = false;
      work.waits--;
      work.busySince = performance.now();
      this.#changed();
    };
  }

  #busy(): readonly Work[] {
    return [...this.#all].filter(({ waits, isGivenUp, life }) => waits === 0 && !isGivenUp && life.isAlive);
  }

  #changed(): void {
    this.activity++;
    const heard = this.#heard;
    this.#heard = [];
    for (const hear of heard) hear();
  }

  #changeWithin(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.ceil(ms));
      this.#heard.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #giveUp(work: Work): void {
    work.isGivenUp = true;
    const { label } = work;
    this.#warnOnce(
      label,
      `${label} has been busy for ${this.#patienceMs} ms of real time and waits for nothing by the test clock, so time goes on ` +
        'without it, and what the test sees may be different each time. Give it a stand-in; or let it wait with ' +
        'clock.sleep(duration), or with clock.until(promise) for what the test itself will end; or give it longer: ' +
        'createTestClock(start, { patience: seconds(20) })',
    );
  }

  #warnOnce(label: string, message: string): void {
    if (this.#warnedOf.has(label)) return;
    this.#warnedOf.add(label);
    warn(message);
  }
}

/**
 * What a callback or a store waits for and the test itself will end, on whatever test clock it runs: time goes on meanwhile. Elsewhere
 * it is the promise as it is.
 */
export function until<T>(promise: PromiseLike<T>): Promise<T> {
  const wait = async (): Promise<T> => promise;
  return current.getStore()?.works.wait(wait) ?? wait();
}

/** The same promise, which is never settled once the life is over. */
function heardBy<T>(life: Life, promise: Promise<T>, over: () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    promise.then(
      (value) => {
        over();
        if (life.isAlive) resolve(value);
      },
      (error) => {
        over();
        if (life.isAlive) reject(error);
      },
    );
  });
}

export const warn = (message: string): void => process.emitWarning(message, 'TestClockWarning');

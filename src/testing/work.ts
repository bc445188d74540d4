/**
 * What a test clock has handed out and what is not over: callbacks that run, questions to stores. Time may go on only when none
 * of them is busy, or what the test sees would depend on how fast the machine is.
 *
 *                 sleep, until, advance …
 *     busy ──────────────────────────────▶ waiting for the clock
 *      │ ▲ ◀──────────── its time has come ────────────┘
 *      │ │                                                       over: it has ended, from any state
 *      │ └──── it asks the clock for something ────┐
 *      └────── busy for longer than the patience ──▶ given up, and told
 *
 * How it knows. Every callback and every question goes through `call` and `ask`, so their ends are seen. What they ask of the clock
 * meanwhile is put down to them by the asynchronous context in which they run. So a piece of work that has not ended and has nothing
 * by this clock to wait for is doing something real: it reads a file, goes round the event loop, asks a thread. That comes to its
 * end by itself, and is waited for.
 *
 * What it cannot know. A callback that awaits a promise of the test's own looks just like one that reads a file. Hence the patience,
 * in real time, after which time goes on and a warning names the task; and `until`, by which a callback says what it waits for.
 * One that waits for the clock *and* does something real at once counts as waiting.
 *
 * Of work whose process has died nothing is heard: what it answers is never settled, what it asks of the clock never comes.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { isThenable, settled } from '../executor/thenable.ts';

/** One life of a process. */
export class Life {
  readonly #controller = new AbortController();

  /** Aborted when it dies. */
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

  /** A function that does nothing any more once this life is over. */
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
  /** What to call it: `task "report"`. */
  readonly label: string;
  readonly life: Life;
  /** For how many things of the clock it waits. */
  waits: number;
  /** Since when it has been busy, in real time. */
  busySince: number;
  isGivenUp: boolean;
}

/** So many calls of one task at one instant are taken for a task that fails at once and is retried at once, for ever. */
const SPINNING_CALLS = 100;

export class Works {
  readonly #patienceMs: number;
  readonly #all = new Set<Work>();
  #heard: (() => void)[] = [];
  readonly #toldOf = new Set<string>();
  /** How often each task was called at the present instant. */
  readonly #callsNow = new Map<string, number>();
  /** Counts what may set off something else. */
  activity = 0;

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  get isBusy(): boolean {
    return this.#busy().length > 0;
  }

  /** Whether some task is called again and again at one instant, so that nothing will come to rest until time passes. */
  isSpinning = false;

  /** Time has passed. */
  passed(): void {
    this.isSpinning = false;
    this.#callsNow.clear();
  }

  /** What waits for the clock, by name. */
  get waiting(): readonly string[] {
    return [...this.#all].filter(({ waits, life }) => waits > 0 && life.isAlive).map(({ label }) => label);
  }

  /** Calls a callback, whose promise, if it gives one, is settled only while its process lives. */
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

  /** Asks something of a store. */
  ask<T>(label: string, life: Life, question: () => Promise<T>): Promise<T> {
    const work = this.#begin(label, life);
    const asked = current.run(work, async () => question());
    return heardBy(life, asked, () => this.#end(work));
  }

  /** Somebody waits for the clock. If it is work of ours, it is not busy meanwhile; if it is dead, it waits for ever. */
  wait<T>(begin: () => Promise<T>): Promise<T> {
    const work = this.#current();
    if (work === undefined) return begin();
    if (!work.life.isAlive) return new Promise(() => {});
    return heardBy(work.life, begin(), this.#startWaiting(work));
  }

  /** The same, of a timer that is set: answers what to call when it rings or is cancelled, and whether anybody is there to hear it. */
  waitForTimer(): { readonly life: Life | undefined; readonly stop: () => void } {
    const work = this.#current();
    return { life: work?.life, stop: work === undefined ? () => {} : this.#startWaiting(work) };
  }

  /** Resolves when nothing is busy: it has ended, waits for the clock, or was given up. */
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
        'createTestClock(start, { patienceMs })',
    );
  }

  #warnOnce(label: string, message: string): void {
    if (this.#toldOf.has(label)) return;
    this.#toldOf.add(label);
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

/** What a promise brings, but only while the life of whoever waits for it lasts. */
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

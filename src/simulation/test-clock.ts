/**
 * A clock for tests of one's own schedules: weeks pass in milliseconds, without fake timers and without sleeping. It is a
 * `Clock`, to be handed to `createScheduler`, and time passes only when the test says so.
 *
 *     const clock = createTestClock('2026-03-28T12:00:00Z');
 *     const store = clock.store();
 *     const scheduler = createScheduler({ clock, store, timeZone: 'Europe/Stockholm' });
 *     await scheduler.initialize([…]);
 *     await clock.advance(days(7));
 *
 * `advance` rings one alarm after the other and lets everything that it set off come to rest before the next: promises, immediates,
 * requests to `clock.store()`. A callback that waits for time must wait for this clock's (`await clock.sleep(minutes(5))`); one that
 * waits for something real (a socket, a thread) is not waited for, so give it a stand-in, or `await clock.settle()` after it.
 */
import { memory } from '../store/memory.ts';
import type { Store, StoreSession } from '../store/port.ts';
import type { Clock, Timer } from '../time/clock.ts';
import { type Duration, toMilliseconds } from '../time/duration.ts';

/** How often the event loop goes round before it is believed to be at rest: more than any chain of the scheduler's own. */
const TURNS = 12;

/** A clock that stands still until it is told to move, with the life of the process in its hands. */
export interface TestClock extends Clock {
  /** Lets time pass, and everything happen that happens in it. */
  advance(duration: Duration): Promise<void>;
  /** Lets time pass until the wall clock shows an instant; not at all if it is past. */
  advanceTo(instant: Date | string): Promise<void>;
  /** Somebody sets the wall clock, forward or back (`-hours(1)`); no time passes. */
  step(byMs: number): Promise<void>;
  /** Waits until everything that was set off has come to rest; no time passes. */
  settle(): Promise<void>;
  /** Ends after a time by this clock: what a callback is to wait for instead of a real timer. */
  sleep(duration: Duration): Promise<void>;
  /** A store whose answers `advance` waits for and which outlives a crash; in memory, or around another one. */
  store(inner?: Store): Store;
  /**
   * The process dies: its alarms never ring, what it writes from here on is lost, and its stores are free for the next scheduler.
   * (Callbacks that were running go on, since JavaScript cannot end them, but nobody hears of their end.)
   */
  crash(): Promise<void>;
}

/** A clock that shows an instant, until it is moved. */
export function createTestClock(start: Date | string | number = '2026-01-01T00:00:00Z'): TestClock {
  return new MovedClock(instantOf(start));
}

interface Alarm {
  readonly at: number;
  readonly order: number;
  readonly ring: () => void;
}

class MovedClock implements TestClock {
  #wall: number;
  #passed = 0;
  #order = 0;
  #alarms = new Set<Alarm>();
  /** What has been asked of stores and not been answered. */
  #unanswered = 0;
  readonly #tell: (() => void)[] = [];
  /** The sessions of the process that lives. */
  #sessions = new Set<TestSession>();
  /** Counts what may set off something else. An alarm that adds nothing to it, as in a minute in which nothing is due, is soon over. */
  #activity = 0;
  /** Counts processes: what an earlier one deferred does not happen any more. */
  #life = 0;

  constructor(wall: number) {
    this.#wall = wall;
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#passed;
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    const alarm = { at: this.#passed + Math.max(0, delayMs), order: this.#order++, ring: callback };
    this.#alarms.add(alarm);
    return { cancel: () => this.#alarms.delete(alarm) };
  }

  defer(callback: () => void): void {
    const life = this.#life;
    this.#activity++;
    setImmediate(() => {
      if (life === this.#life) callback();
    });
  }

  async advance(duration: Duration): Promise<void> {
    const byMs = toMilliseconds(duration);
    if (byMs === undefined || !(byMs >= 0)) throw new RangeError(`time only passes forward; got ${duration}`);
    const until = this.#passed + byMs;
    await this.settle();
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#pass(next.at - this.#passed);
      this.#alarms.delete(next);
      const before = this.#activity;
      next.ring();
      await turn();
      if (this.#activity !== before) await this.settle();
    }
    this.#pass(until - this.#passed);
  }

  async advanceTo(instant: Date | string): Promise<void> {
    await this.advance(Math.max(0, instantOf(instant) - this.#wall));
  }

  async step(byMs: number): Promise<void> {
    await this.settle();
    this.#wall += byMs;
  }

  async settle(): Promise<void> {
    for (;;) {
      for (let count = 0; count < TURNS; count++) await turn();
      if (this.#unanswered === 0) return;
      await new Promise<void>((resolve) => this.#tell.push(resolve));
    }
  }

  sleep(duration: Duration): Promise<void> {
    const delayMs = toMilliseconds(duration);
    if (delayMs === undefined)
      throw new RangeError(`sleep takes a duration, such as minutes(5); got ${duration}`);
    return new Promise((resolve) => {
      this.setTimer(() => {
        this.#activity++;
        resolve();
      }, delayMs);
    });
  }

  store(inner: Store = memory()): Store {
    return {
      location: inner.location,
      open: async (options) => {
        const session = new TestSession(await this.#watch(inner.open(options)), (answer) =>
          this.#watch(answer),
        );
        this.#sessions.add(session);
        return session;
      },
      inspect: async () => {
        if (inner.inspect === undefined) throw new Error('this store cannot be inspected');
        return this.#watch(inner.inspect());
      },
    };
  }

  async crash(): Promise<void> {
    await this.settle();
    this.#life++;
    this.#alarms = new Set();
    const sessions = this.#sessions;
    this.#sessions = new Set();
    for (const session of sessions) await session.die();
  }

  #next(until: number): Alarm | undefined {
    let first: Alarm | undefined;
    for (const alarm of this.#alarms) {
      if (alarm.at > until) continue;
      if (first === undefined || alarm.at < first.at || (alarm.at === first.at && alarm.order < first.order))
        first = alarm;
    }
    return first;
  }

  #pass(ms: number): void {
    if (ms <= 0) return;
    this.#wall += ms;
    this.#passed += ms;
  }

  async #watch<T>(answer: Promise<T>): Promise<T> {
    this.#unanswered++;
    this.#activity++;
    try {
      return await answer;
    } finally {
      this.#unanswered--;
      for (const tell of this.#tell.splice(0)) tell();
    }
  }
}

/** A session that can die with its process: from then on it takes nothing and answers nobody. */
class TestSession implements StoreSession {
  readonly #inner: StoreSession;
  readonly #watch: <T>(answer: Promise<T>) => Promise<T>;
  #alive = true;

  constructor(inner: StoreSession, watch: <T>(answer: Promise<T>) => Promise<T>) {
    this.#inner = inner;
    this.#watch = watch;
  }

  read(names?: readonly string[]): Promise<readonly unknown[]> {
    return this.#ask(() => this.#inner.read(names));
  }

  commit(batch: Parameters<StoreSession['commit']>[0]): ReturnType<StoreSession['commit']> {
    return this.#ask(() => this.#inner.commit(batch));
  }

  close(): Promise<void> {
    return this.#ask(() => this.#inner.close());
  }

  async die(): Promise<void> {
    this.#alive = false;
    await this.#inner.close();
  }

  #ask<T>(question: () => Promise<T>): Promise<T> {
    return this.#alive ? this.#watch(question()) : new Promise(() => {});
  }
}

/** Once round the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function instantOf(value: Date | string | number): number {
  const instant = new Date(value).getTime();
  if (Number.isNaN(instant))
    throw new RangeError(`"${value}" is no instant: write it as 2026-03-28T12:00:00Z`);
  return instant;
}

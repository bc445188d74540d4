/**
 * A clock for tests of your own schedules: weeks pass in milliseconds, without fake timers and without sleeping. It is a `Clock`
 * for `createScheduler`, and time passes only when the test says so.
 *
 *     const clock = createTestClock('2026-03-28T12:00:00Z');
 *     const store = clock.store();
 *     const scheduler = createScheduler({ clock, store, timeZone: 'Europe/Stockholm' });
 *     await scheduler.initialize([…]);
 *     await clock.advance(days(7));
 *
 * `advance` rings one alarm after another. Before the next alarm, it waits until everything that the last one set off is at rest.
 * At rest means: no scheduler has a turn to come, no callback and no store is busy (`Works` knows how to see that), and the event
 * loop has gone round often enough for other work that needs promises and a few immediates.
 */
import type { AttachedPorts, SchedulerClock, SchedulerPorts } from '../scheduler/index.ts';
import { memory } from '../store/memory.ts';
import type { OpenOptions, Store, StoreSession } from '../store/port.ts';
import { refuseUnknown } from '../text/unknown-name.ts';
import { type Clock, LONGEST_TIMER_MS, type Timer } from '../time/clock.ts';
import type { Duration } from '../time/duration.ts';
import { portsOf } from './process.ts';
import { TestSessions, TestStore } from './store.ts';
import { durationOf, instantOf, patienceOf, startOf, stepOf } from './values.ts';
import { Life, Works } from './work.ts';

/**
 * How many quiet rounds of the event loop count as rest. They are for work that the test itself set off, which the clock cannot
 * see.
 */
const TURNS = 12;
/**
 * How long the clock waits for real work: far longer than a file or a query takes, and less than the five seconds that runners
 * give a test.
 */
const PATIENCE_MS = 3000;

/** A clock that stands still until the test moves it, and that can end the process. */
export interface TestClock extends SchedulerClock {
  /** Called once by each scheduler that is made on this clock. */
  attach(ports: SchedulerPorts): AttachedPorts;
  /** Lets time pass. When it resolves, everything that was to happen in that time has happened. */
  advance(duration: Duration): Promise<void>;
  /** Lets time pass until the wall clock shows an instant. Does nothing if that instant is past. */
  advanceTo(instant: Date | string): Promise<void>;
  /** Sets the wall clock, forward or back (`-hours(1)`). No time passes. */
  step(byMs: number): Promise<void>;
  /** Waits until everything is at rest. No time passes. */
  settle(): Promise<void>;
  /** Resolves after a time by this clock. A callback waits for this instead of a real timer. */
  sleep(duration: Duration): Promise<void>;
  /** Lets time pass while nothing can happen, as when a callback holds the event loop or the machine sleeps. Alarms come late. */
  burn(duration: Duration): void;
  /** For a callback that waits for a promise which the test itself will settle: time goes on meanwhile. */
  until<T>(promise: PromiseLike<T>): Promise<T>;
  /** A store that survives a crash, in memory or around another store. `advance` waits for its answers. */
  store(inner?: Store): Store;
  /**
   * Ends the process, and with it every scheduler that was initialized on this clock. Its alarms never ring, its listeners hear
   * nothing more, what it writes from here on is lost, and its stores are free for the next scheduler. JavaScript cannot end
   * callbacks that are running: they go on until they next ask this clock for something, and no scheduler hears how they end.
   */
  crash(): Promise<void>;
}

/** How a test clock behaves. */
export interface TestClockOptions {
  /** For how long of real time the clock waits for a callback that does real work; 3 seconds by default. */
  readonly patience?: Duration;
}

/** Creates a clock that shows an instant until the test moves it. */
export function createTestClock(
  start: Date | string | number = '2026-01-01T00:00:00Z',
  options: TestClockOptions = {},
): TestClock {
  refuseUnknown('createTestClock', options, ['patience']);
  return new MovedClock(startOf(start), patienceOf(options.patience ?? PATIENCE_MS));
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
  /** How many turns of schedulers are to come. */
  #deferred = 0;
  readonly #works: Works;
  readonly #sessions: TestSessions;
  /** The lives of the schedulers that have begun. */
  #lives = new Set<Life>();
  /** The life of the test itself, when it uses this clock and its stores directly. */
  #life = new Life();
  readonly #patienceMs: number;

  constructor(wall: number, patienceMs: number) {
    this.#wall = wall;
    this.#works = new Works(patienceMs);
    this.#sessions = new TestSessions({
      works: this.#works,
      monotonic: () => this.#passed,
      alarm: (ring, delayMs) => this.#alarm(ring, delayMs),
      currentLife: () => this.#life,
    });
    this.#patienceMs = patienceMs;
  }

  attach(ports: SchedulerPorts): AttachedPorts {
    const [works, patienceMs] = [this.#works, this.#patienceMs];
    const clockOf = (life: Life): Clock => this.#clockOf(life);
    return portsOf({ works, patienceMs, clockOf, open: (...asked) => this.#open(...asked) }, ports);
  }

  now(): number {
    return this.#wall;
  }

  monotonic(): number {
    return this.#passed;
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    const { life = this.#life, stop } = this.#works.waitForTimer();
    const ring = life.bound(callback);
    const alarm = this.#timer(() => {
      this.#works.activity++; // what it sets off is not known here, so it is given time
      stop();
      ring();
    }, delayMs);
    return {
      cancel: () => {
        stop();
        alarm.cancel();
      },
    };
  }

  defer(callback: () => void): void {
    this.#defer(this.#life, callback);
  }

  async advance(duration: Duration): Promise<void> {
    const byMs = durationOf('advance', duration);
    return this.#works.wait(() => this.#advance(byMs));
  }

  async advanceTo(instant: Date | string): Promise<void> {
    const until = instantOf('advanceTo', instant);
    return this.#works.wait(() => this.#advance(Math.max(0, until - this.#wall)));
  }

  async step(byMs: number): Promise<void> {
    stepOf(this.#wall, byMs);
    await this.settle();
    this.#wall += byMs;
  }

  settle(): Promise<void> {
    return this.#works.wait(() => this.#settle());
  }

  sleep(duration: Duration): Promise<void> {
    const delayMs = durationOf('sleep', duration);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#alarm(() => resolve(void this.#works.activity++), delayMs); // it may be the test itself that sleeps
    return this.until(promise);
  }

  burn(duration: Duration): void {
    this.#pass(durationOf('burn', duration));
  }

  until<T>(promise: PromiseLike<T>): Promise<T> {
    return this.#works.wait(async () => promise);
  }

  store(inner: Store = memory()): Store {
    return new TestStore(inner, this.#sessions);
  }

  crash(): Promise<void> {
    return this.#works.wait(() => this.#crash());
  }

  async #advance(byMs: number): Promise<void> {
    const until = this.#passed + byMs;
    await this.#settle();
    for (let next = this.#next(until); next !== undefined; next = this.#next(until)) {
      this.#pass(next.at - this.#passed);
      this.#alarms.delete(next);
      const before = this.#works.activity;
      next.ring();
      await turn();
      // If the alarm set nothing off, there is nothing to wait for.
      if (this.#works.activity !== before || this.#deferred > 0) await this.#settle();
    }
    this.#pass(until - this.#passed);
  }

  async #settle(): Promise<void> {
    for (let quiet = 0; quiet < TURNS; quiet++) {
      await turn();
      if (this.#works.isSpinning) return;
      if (!this.#works.isBusy && this.#deferred === 0) continue;
      await this.#works.idle();
      quiet = 0;
    }
  }

  async #crash(): Promise<void> {
    await this.#settle();
    for (const life of [this.#life, ...this.#lives]) life.die();
    this.#life = new Life();
    this.#lives = new Set();
    this.#alarms = new Set();
    this.#sessions.die();
    await this.#settle();
  }

  #clockOf(life: Life): Clock {
    return {
      now: () => this.#wall,
      monotonic: () => this.#passed,
      setTimer: (callback, delayMs) => this.#timer(callback, delayMs),
      defer: (callback) => this.#defer(life, callback),
    };
  }

  /** A store that does not come from this clock is wrapped, so that the clock waits for it, too. */
  #open(life: Life, given: Store, options: OpenOptions): Promise<StoreSession> {
    this.#lives.add(life);
    const isOurs = given instanceof TestStore && given.sessions === this.#sessions;
    return (isOurs ? given : new TestStore(given, this.#sessions)).openFor(life, options);
  }

  #defer(life: Life, callback: () => void): void {
    this.#deferred++;
    setImmediate(() => {
      this.#deferred--;
      if (life.isAlive) callback();
    });
  }

  /** A timer of the Clock port is as short-lived as one of the host: B6 shows in a test too. */
  #timer(ring: () => void, delayMs: number): Timer {
    return this.#alarm(ring, Math.min(delayMs, LONGEST_TIMER_MS));
  }

  #alarm(ring: () => void, delayMs: number): Timer {
    if (Number.isNaN(delayMs)) throw new RangeError('a timer takes a number of milliseconds; got NaN');
    const alarm = { at: this.#passed + Math.ceil(Math.max(0, delayMs)), order: this.#order++, ring };
    this.#alarms.add(alarm);
    return { cancel: () => this.#alarms.delete(alarm) };
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
    this.#works.passed();
  }
}

/** One round of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/**
 * Simulated time for a whole process: `Date`, timers and `performance.now` are replaced before a scheduler is loaded, so that any
 * scheduler can be played through a day in a moment. `setImmediate`, threads and files stay real.
 *
 * There are two clocks, as there are in a machine: the wall clock, which can be set, and the one that timers run by, which cannot.
 */
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';

interface Alarm {
  at: number;
  readonly ring: () => void;
  readonly everyMs: number | undefined;
}

/** What Node does with a delay that is no delay, or does not fit into 31 bits. */
const settledDelay = (ms: unknown): number => {
  const delay = Number(ms);
  return delay >= 1 && delay <= 2 ** 31 - 1 ? delay : 1;
};

/** As much of Node's `Timeout` as schedulers ask for. */
class Timeout {
  readonly alarm: Alarm;

  constructor(alarm: Alarm) {
    this.alarm = alarm;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return true;
  }
}

/** What `node:timers/promises` has, by the timers of the process, whichever these are when it is called. */
function delay<T>(ms?: number, value?: T, { signal }: { signal?: AbortSignal } = {}): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const timer = setTimeout(() => resolve(value as T), ms); // it is undefined where T is
  signal?.addEventListener('abort', () => {
    clearTimeout(timer);
    reject(signal.reason);
  });
  return promise;
}

/** A clock elsewhere that shows what the wall clock here does, such as that of a database. */
export type Follower = (wall: number) => Promise<unknown>;

export class SimulatedTime {
  #wall: number;
  #passed = 0;
  readonly #alarms = new Set<Alarm>();
  #unanswered = 0;
  #answered: (() => void)[] = [];
  #follower: Follower | undefined;
  #followedTo = Number.NaN;

  constructor(start: number) {
    this.#wall = start;
  }

  get now(): number {
    return this.#wall;
  }

  /** From here on the process has no other time than this. */
  install(): void {
    const time = this;
    const HostDate = Date;
    class SimulatedDate extends HostDate {
      constructor(...parts: unknown[]) {
        // The compiler knows the overloads of Date, not that any of them is only passed on here.
        super(...((parts.length === 0 ? [time.#wall] : parts) as [number]));
      }
      static override now(): number {
        return time.#wall;
      }
    }
    const set =
      (isRepeated: 'once' | 'again') =>
      (callback: (...given: unknown[]) => void, ms?: number, ...given: unknown[]): Timeout => {
        const delayMs = settledDelay(ms);
        const everyMs = isRepeated === 'again' ? delayMs : undefined;
        const alarm = { at: time.#passed + delayMs, ring: () => callback(...given), everyMs };
        time.#alarms.add(alarm);
        return new Timeout(alarm);
      };
    const clear = (timer: unknown): void => {
      if (timer instanceof Timeout) time.#alarms.delete(timer.alarm);
    };
    Object.assign(globalThis, {
      Date: SimulatedDate,
      setTimeout: set('once'),
      setInterval: set('again'),
      clearTimeout: clear,
      clearInterval: clear,
    });
    performance.now = () => time.#passed;
    // Some take their timers from a module. Its promise of a timeout is the only part that they use.
    Object.assign(timers, { setTimeout: delay });
    syncBuiltinESMExports();
  }

  /** From here on nothing rings before that clock shows the same. */
  followedBy(follower: Follower): Promise<void> {
    this.#follower = follower;
    return this.#inform();
  }

  /** Time passes until the wall clock shows this; timers ring on their way. */
  async passUntil(wall: number): Promise<void> {
    const until = this.#passed + wall - this.#wall;
    for (;;) {
      await this.#settle();
      const next = this.#nextAlarm();
      if (next === undefined || next.at > until) break;
      this.#pass(Math.max(0, next.at - this.#passed));
      await this.#inform();
      await this.#ringAt(next.at);
    }
    this.#pass(Math.max(0, until - this.#passed));
    await this.#settle();
  }

  /** The process is stopped (SIGSTOP) and goes on later: both clocks have moved, and no timer could ring. */
  freezeUntil(wall: number): void {
    this.#pass(wall - this.#wall);
  }

  /** The machine sleeps: on Linux, timers do not count that time. */
  sleepUntil(wall: number): void {
    this.#wall = wall;
  }

  /** Sets the wall clock. */
  set(wall: number): void {
    this.#wall = wall;
  }

  /** Real work that simulated time has to wait for, such as that of a disk. */
  async awaiting<T>(answer: Promise<T>): Promise<T> {
    this.#unanswered++;
    try {
      return await answer;
    } finally {
      this.#unanswered--;
      for (const tell of this.#answered.splice(0)) tell();
    }
  }

  #pass(ms: number): void {
    this.#wall += ms;
    this.#passed += ms;
  }

  /** Everything that is set for this instant, as a turn of Node's timers rings it: one after the other, unless one of them clears another. */
  async #ringAt(at: number): Promise<void> {
    for (const alarm of [...this.#alarms].filter((each) => each.at === at)) {
      if (!this.#alarms.has(alarm)) continue;
      if (alarm.everyMs === undefined) this.#alarms.delete(alarm);
      else alarm.at = this.#passed + alarm.everyMs;
      alarm.ring();
      await undefined; // what it resolves comes before the next one
    }
  }

  async #inform(): Promise<void> {
    if (this.#followedTo === this.#wall) return;
    this.#followedTo = this.#wall;
    await this.#follower?.(this.#wall);
  }

  #nextAlarm(): Alarm | undefined {
    let next: Alarm | undefined;
    for (const alarm of this.#alarms) if (next === undefined || alarm.at < next.at) next = alarm;
    return next;
  }

  /** Until everything that waits on this thread has had its turn, and nothing is on its way to a disk. */
  async #settle(): Promise<void> {
    await this.#inform();
    for (;;) {
      for (let turn = 0; turn < 12; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (this.#unanswered === 0) return;
      await new Promise<void>((resolve) => this.#answered.push(resolve));
    }
  }
}

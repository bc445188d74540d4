/**
 * The test clock that is shipped, and on top of it what only the tests of the scheduler and the executor need: `step` sets the wall
 * clock at once, also amid a callback or a commit (the shipped one lets everything come to rest first), and timers are counted.
 */
import type { AttachedPorts, SchedulerClock, SchedulerPorts } from '../../src/scheduler/attached.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import type { Clock, Timer } from '../../src/time/clock.ts';

/** On a busy machine a store may take many seconds of real time. Callbacks and stores that are never to answer say so with `until`. */
export const PATIENT = { patience: 120_000 } as const;

export class MovedClock implements SchedulerClock {
  readonly #clock: TestClock;
  #steppedMs = 0;
  readonly #timers = new Set<Timer>();
  /** Every delay that was asked for. */
  readonly asked: number[] = [];
  /** Whether callbacks are called through the clock. If not, the scheduler sees what they return as it is, and time does not wait for them. */
  watchesCallbacks = true;
  /** Called each time that the event loop was held: what the watcher of a trace file would see. */
  onFrozen: ((from: number, to: number) => void) | undefined;

  constructor(start: string | number) {
    this.#clock = createTestClock(new Date(start), PATIENT);
  }

  now(): number {
    return this.#clock.now() + this.#steppedMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  /** For an executor, which has no `attach`. A millisecond is the least, as on the host: sources with no end would never let time pass. */
  setTimer(callback: () => void, delayMs: number): Timer {
    return this.#count(this.#clock, callback, Math.max(1, delayMs));
  }

  defer(callback: () => void): void {
    this.#clock.defer(callback);
  }

  attach(ports: SchedulerPorts): AttachedPorts {
    const attached = this.#clock.attach(ports);
    const { clock } = attached;
    const call: AttachedPorts['call'] = (task, callback) =>
      this.watchesCallbacks ? attached.call(task, callback) : callback();
    const setTimer: Clock['setTimer'] = (callback, delayMs) => this.#count(clock, callback, delayMs);
    return { ...attached, call, clock: { ...clock, now: () => this.now(), setTimer } };
  }

  /** How many timers have not rung and were not cancelled. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Sets the wall clock; no time passes. */
  step(byMs: number): void {
    this.#steppedMs += byMs;
  }

  /** The event loop is held: time passes, and no timer can ring meanwhile. */
  burn(ms: number): void {
    const from = this.now();
    this.#clock.burn(ms);
    this.onFrozen?.(from, this.now());
  }

  /** Burns time, then lets everything happen that has come due in it. */
  async freeze(ms: number): Promise<void> {
    this.burn(ms);
    await this.advance(0);
  }

  advance(byMs: number): Promise<void> {
    return this.#clock.advance(byMs);
  }

  settle(): Promise<void> {
    return this.#clock.settle();
  }

  crash(): Promise<void> {
    this.#timers.clear();
    return this.#clock.crash();
  }

  #count(clock: Clock, callback: () => void, delayMs: number): Timer {
    this.asked.push(delayMs);
    const inner = clock.setTimer(() => {
      this.#timers.delete(timer);
      callback();
    }, delayMs);
    const timer = {
      cancel: () => {
        this.#timers.delete(timer);
        inner.cancel();
      },
    };
    this.#timers.add(timer);
    return timer;
  }
}

/** Lets every macrotask and microtask that is waiting have its turn, a few times over. */
export async function turns(count = 12): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

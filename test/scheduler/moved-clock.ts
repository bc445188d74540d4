/**
 * The test clock that is shipped, and on top of it what only the scheduler's own tests need: `step` sets the wall clock at once, also
 * amid a callback or a commit (the shipped one lets everything come to rest first), and the timers that schedulers set are counted.
 */
import type { AttachedPorts, SchedulerClock, SchedulerPorts } from '../../src/scheduler/attached.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import type { Clock, Timer } from '../../src/time/clock.ts';

export class MovedClock implements SchedulerClock {
  readonly #clock: TestClock;
  #steppedMs = 0;
  readonly #timers = new Set<Timer>();
  /** Every delay that a scheduler asked for. */
  readonly asked: number[] = [];
  /** Called each time that the event loop was held: what the watcher of a trace file would see. */
  onFrozen: ((from: number, to: number) => void) | undefined;

  constructor(start: string) {
    this.#clock = createTestClock(new Date(start));
  }

  now(): number {
    return this.#clock.now() + this.#steppedMs;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  setTimer(callback: () => void, delayMs: number): Timer {
    return this.#clock.setTimer(callback, delayMs);
  }

  defer(callback: () => void): void {
    this.#clock.defer(callback);
  }

  attach(ports: SchedulerPorts): AttachedPorts {
    const attached = this.#clock.attach(ports);
    const { clock } = attached;
    const setTimer: Clock['setTimer'] = (callback, delayMs) => this.#count(clock, callback, delayMs);
    return { ...attached, clock: { ...clock, now: () => this.now(), setTimer } };
  }

  /** How many timers of schedulers have not rung and were not cancelled. */
  get timers(): number {
    return this.#timers.size;
  }

  /** Somebody sets the wall clock; no time passes. */
  step(byMs: number): void {
    this.#steppedMs += byMs;
  }

  /** The event loop is held: time passes, and no timer can ring meanwhile. */
  burn(ms: number): void {
    const from = this.now();
    this.#clock.burn(ms);
    this.onFrozen?.(from, this.now());
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

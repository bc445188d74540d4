/** A clock for schedulers that share a store: the test clock that is shipped knows of one scheduler alone. */
import assert from 'node:assert/strict';
import type { Clock } from '../../src/time/clock.ts';

/** A clock whose time passes while somebody waits: nothing of a test that fails goes on after it. */
export class WaitingClock implements Clock {
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>();
  #now: number;

  constructor(start = Date.UTC(2026, 5, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  monotonic(): number {
    return this.#now;
  }

  setTimer(callback: () => void, delayMs: number): { cancel(): void } {
    const timer = { at: this.#now + delayMs, callback };
    this.#timers.add(timer);
    return { cancel: () => void this.#timers.delete(timer) };
  }

  defer(callback: () => void): void {
    setImmediate(callback);
  }

  /** Lets time pass from timer to timer until the promise is settled, for a day at the most. */
  async until<T>(promise: Promise<T>): Promise<T> {
    const endAt = this.#now + 86_400_000;
    let isSettled = false;
    const settled = (): void => {
      isSettled = true;
    };
    promise.then(settled, settled);
    for (;;) {
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
      if (isSettled) return promise;
      const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
      assert.ok(next !== undefined && next.at < endAt, 'it never ends');
      this.#timers.delete(next);
      this.#now = Math.max(this.#now, next.at);
      next.callback();
    }
  }

  /** Lets so much time pass, and everything that it sets off come to rest. */
  async advance(ms: number): Promise<void> {
    await this.until(new Promise<void>((resolve) => this.setTimer(resolve, ms)));
  }

  /** Lets everything come to rest that needs no time. */
  settle(): Promise<void> {
    return this.until(Promise.resolve());
  }
}

/** A clock that only the test moves. Its timers have the trap of Node's: a delay beyond 31 bits fires at once. */
import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/executor/index.ts';

export class MovedClock implements Clock {
  readonly #timers = new Map<object, { firesAtMs: number; fire: () => void }>();
  #elapsedMs = 0;
  #steppedMs: number;

  constructor(nowMs: number) {
    this.#steppedMs = nowMs;
  }

  now(): number {
    return this.#steppedMs + this.#elapsedMs;
  }

  setTimer(fire: () => void, delayMs: number): { cancel(): void } {
    const key = {};
    const keptMs = delayMs > 2 ** 31 - 1 ? 1 : Math.max(1, delayMs);
    this.#timers.set(key, { firesAtMs: this.#elapsedMs + keptMs, fire });
    return { cancel: () => void this.#timers.delete(key) };
  }

  get timerCount(): number {
    return this.#timers.size;
  }

  /** Lets time pass, firing what is due on the way, in order; each firing is given the time to be served. */
  async pass(ms: number): Promise<void> {
    const untilMs = this.#elapsedMs + ms;
    for (let next = this.#first(); next !== undefined && next[1].firesAtMs <= untilMs; next = this.#first()) {
      this.#timers.delete(next[0]);
      this.#elapsedMs = Math.max(this.#elapsedMs, next[1].firesAtMs);
      next[1].fire();
      await settled();
    }
    this.#elapsedMs = untilMs;
  }

  /** Lets time pass without anybody noticing until it is over, as when the event loop is blocked. */
  async freeze(ms: number): Promise<void> {
    this.#elapsedMs += ms;
    await this.pass(0);
  }

  /** Sets the wall clock forward or back; no time passes. */
  step(ms: number): void {
    this.#steppedMs += ms;
  }

  #first(): [object, { firesAtMs: number; fire: () => void }] | undefined {
    return [...this.#timers].sort(([, a], [, b]) => a.firesAtMs - b.firesAtMs)[0];
  }
}

/** Every turn of the loop starts at least one task, so after this many a handful of tasks has come to rest. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) await setImmediate();
}

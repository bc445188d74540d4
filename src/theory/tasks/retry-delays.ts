/** The retry delay of each task by its registration, and what it may be where it is not certain which list is in the store (T11). */
import { distinct } from './clock-back.ts';

export class RetryDelays {
  /** NaN for whoever is not registered. */
  readonly #ms: number[] = [];
  readonly #maybe = new Map<number, readonly number[]>();

  add(task: number): void {
    this.#ms[task] = Number.NaN;
  }

  of(task: number): number {
    return this.#ms[task];
  }

  /** A list is taken over; `before` are the tasks of the one before. Answers which of those are removed. */
  register(
    before: readonly number[],
    delays: Iterable<readonly [task: number, ms: number]>,
  ): readonly number[] {
    for (const task of before) this.#ms[task] = Number.NaN;
    for (const [task, ms] of delays) this.#ms[task] = ms;
    this.#maybe.clear();
    return before.filter((task) => Number.isNaN(this.#ms[task]));
  }

  /** A list that may be in the store has this delay. */
  maybe(task: number, ms: number): void {
    this.#maybe.set(task, distinct([...(this.#maybe.get(task) ?? []), ms]));
  }

  /** All that it may be by now: those of registrations, not of its failure. */
  possible(task: number): readonly number[] {
    const ms = this.#ms[task];
    const maybe = this.#maybe.get(task) ?? [];
    return Number.isNaN(ms) ? maybe : [ms, ...maybe];
  }
}

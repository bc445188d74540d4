/** Sees steps of the wall clock (B5). */
import type { Clock } from '../time/clock.ts';

/** Drift that is not worth a word: the two clocks never agree to the millisecond, and time servers slew. */
const TOLERANCE_MS = 1000;

export interface ClockStep {
  /** What the wall clock should have shown. */
  readonly from: number;
  readonly to: number;
}

/** A step, and how long ago it was at most: nothing is known but that it came after the last reading. */
export interface SeenStep {
  readonly step: ClockStep;
  readonly withinMs: number;
}

/** Holds the wall clock against a clock that is never stepped. */
export class ClockWatch {
  readonly #clock: Clock;
  #wall: number;
  #monotonic: number;

  constructor(clock: Clock, now: number) {
    this.#clock = clock;
    this.#wall = now;
    this.#monotonic = clock.monotonic();
  }

  /** A step since the last reading, or undefined. Going back is always one, however little. */
  stepSince(now: number): SeenStep | undefined {
    const monotonic = this.#clock.monotonic();
    const withinMs = Math.round(monotonic - this.#monotonic);
    const expected = Math.round(this.#wall) + withinMs;
    const wentBack = now < this.#wall;
    const from = wentBack ? Math.max(expected, this.#wall) : expected;
    this.#wall = now;
    this.#monotonic = monotonic;
    return wentBack || Math.abs(now - expected) >= TOLERANCE_MS
      ? { step: { from, to: now }, withinMs }
      : undefined;
  }
}

/** The Clock port: all that the scheduler asks of time. A test or a simulated world passes its own clock and so controls time. */

/** The longest delay of one timer. Node keeps a delay in 31 bits; a longer one fires after one millisecond (B6). */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** A source of time: two clocks that can be read, timers, and turns of the event loop. */
export interface Clock {
  /** The wall clock, in epoch milliseconds: the authority (B0). It may step either way. */
  now(): number;
  /** A clock that nobody can set, in milliseconds since any instant. It tells a step of the wall clock from time that has passed (B5). */
  monotonic(): number;
  /** Calls back once, after a delay of at most 2^31 − 1 ms by the clock that nobody can set, from a macrotask of its own. */
  setTimer(callback: () => void, delayMs: number): Timer;
  /** Calls back from a fresh macrotask, after everything that already waits for the event loop. */
  defer(callback: () => void): void;
}

/** A timer that was set. */
export interface Timer {
  /** Takes the timer back: it does not call back any more. */
  cancel(): void;
}

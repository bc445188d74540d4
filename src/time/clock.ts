/**
 * The Clock port: everything the scheduler ever asks of time. A test, or a simulated world, hands in its own and owns time.
 */

/** All that is asked of time. */
export interface Clock {
  /** The wall clock, in epoch milliseconds: the authority (B0). It may step either way. */
  now(): number;
  /** A clock that is never stepped, in milliseconds from anywhere: what tells a step from time that has passed (B5). */
  monotonic(): number;
  /** Calls back once, after a delay of at most 2^31 − 1 ms by a clock that does not step, from a macrotask of its own. */
  setTimer(callback: () => void, delayMs: number): Timer;
  /** Calls back as soon as everything that is already waiting has had its turn: a fresh macrotask. */
  defer(callback: () => void): void;
}

/** A timer that was set. */
export interface Timer {
  /** It will not call back. */
  cancel(): void;
}

/**
 * The clock port: all that the timer sources know of time. The host's clock is the default; a test hands in one
 * that it moves by hand.
 */

export interface Clock {
  /** The wall clock, in epoch milliseconds. It may step in either direction at any time. */
  now(): number;
  /**
   * Calls `fire` once, when `delayMs` have passed by a clock that does not step; answers how to call that off.
   * It is never asked for more than {@link LONGEST_TIMER_MS}.
   */
  setTimer(delayMs: number, fire: () => void): () => void;
}

/** Node keeps a timer's delay in 31 bits; anything longer fires after one millisecond. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const hostClock: Clock = {
  now: () => Date.now(),
  setTimer(delayMs, fire) {
    const timer = setTimeout(fire, delayMs);
    return () => clearTimeout(timer);
  },
};

/** Waits for any time, in as many timers as it takes (B6); answers how to call it off. */
export function wait(clock: Clock, delayMs: number, fire: () => void): () => void {
  let leftMs = delayMs;
  let cancel: () => void;
  const arm = (): void => {
    const legMs = Math.min(leftMs, LONGEST_TIMER_MS);
    leftMs -= legMs;
    cancel = clock.setTimer(legMs, leftMs > 0 ? arm : fire);
  };
  arm();
  return () => cancel();
}

/** The Clock port on the host's own clock and timers. A timer keeps the process alive, as a running scheduler should (F5). */
import type { Clock } from './clock.ts';

/** Node keeps a delay in 31 bits, and fires after a millisecond if it is longer (B6). Nobody here waits that long in one go. */
const LONGEST_DELAY_MS = 2 ** 31 - 1;

export const hostClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, LONGEST_DELAY_MS));
    return { cancel: () => clearTimeout(timer) };
  },
  defer(callback) {
    setImmediate(callback);
  },
};

/** The Clock port on the host's own clock and timers. A timer keeps the process alive, as a running scheduler should (F5). */
import { type Clock, LONGEST_TIMER_MS } from './clock.ts';

export const hostClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, Math.min(delayMs, LONGEST_TIMER_MS));
    return { cancel: () => clearTimeout(timer) };
  },
  defer(callback) {
    setImmediate(callback);
  },
};

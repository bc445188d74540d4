/** The Clock port on the host's own clock and timers. A timer keeps the process alive, as a running scheduler should (F5). */
import type { Clock } from './clock.ts';

export const hostClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(callback, delayMs) {
    const timer = setTimeout(callback, delayMs);
    return { cancel: () => clearTimeout(timer) };
  },
  defer(callback) {
    setImmediate(callback);
  },
};

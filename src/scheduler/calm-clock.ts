/** Another's clock, which may throw, or answer what is no time. */
import { describeError } from '../text/describe-error.ts';
import type { Clock } from '../time/clock.ts';
import { hostClock } from '../time/host-clock.ts';
import type { Logger } from './logger.ts';

/**
 * A clock that survives what the given one does. A reading that fails is replaced by the last one that did not: time then stands still,
 * and the next good reading is seen as what it is. Timers and turns that cannot be had from it are the host's. It is logged once per
 * spell. Before the first good reading there is nothing to go by, and the error is the caller's.
 */
export function calmClock(clock: Clock, logger: Logger): Clock {
  if (clock === hostClock) return clock;
  let isBroken = false;
  const broke = (error: unknown): void => {
    if (!isBroken) logger.error(`the clock does not work: ${describeError(error).message}`);
    isBroken = true;
  };
  const works = (): void => {
    isBroken = false;
  };
  return {
    now: calmReading(() => clock.now(), works, broke),
    monotonic: calmReading(() => clock.monotonic(), works, broke),
    setTimer(callback, delayMs) {
      try {
        return clock.setTimer(callback, delayMs);
      } catch (error) {
        broke(error);
        return hostClock.setTimer(callback, delayMs);
      }
    },
    defer(callback) {
      try {
        clock.defer(callback);
      } catch (error) {
        broke(error);
        hostClock.defer(callback);
      }
    },
  };
}

function calmReading(read: () => number, works: () => void, broke: (error: unknown) => void): () => number {
  let last: number | undefined;
  return () => {
    try {
      const value = read();
      if (!Number.isFinite(value)) throw new TypeError(`a clock answers a number, not ${String(value)}`);
      last = value;
      works();
      return value;
    } catch (error) {
      if (last === undefined) throw error;
      broke(error);
      return last;
    }
  };
}

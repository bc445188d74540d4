/** A limit on how long a run may take, for which the four-tuple has no place. */
import { TaskTimeoutError } from '../errors.ts';
import { wait } from '../executor/clock.ts';
import { type Duration, toMilliseconds } from '../time/duration.ts';
import { hostClock } from '../time/host-clock.ts';
import { clockIn, keepClock, withSignal } from './context.ts';
import type { Callback } from './options.ts';

/**
 * A callback that fails when it takes longer than a duration, by the clock of its scheduler. First its signal is aborted, so that
 * work that listens can end; then the run fails, whether it did or not. Work that does not listen goes on unseen: give it the signal.
 */
export function withTimeout(callback: Callback, duration: Duration): Callback {
  const limitMs = toMilliseconds(duration);
  if (typeof callback !== 'function') throw new TypeError('withTimeout takes a callback and a duration');
  if (limitMs === undefined || !(limitMs > 0)) {
    throw new RangeError('withTimeout takes a duration of more than zero, such as minutes(5)');
  }
  return async (context) => {
    const limit = new AbortController();
    // A callback that is called by hand, in a test of its own, has no scheduler.
    const clock = clockIn(context) ?? hostClock;
    const limited = withSignal(context, () =>
      keepClock(AbortSignal.any([context.signal, limit.signal]), clock),
    );
    const { promise: tooLong, reject } = Promise.withResolvers<never>();
    const cancel = wait(clock, limitMs, () => {
      const error = new TaskTimeoutError(context.name, limitMs);
      reject(error); // before the abort: a callback that ends at the abort would otherwise decide how the run ended
      limit.abort(error);
    });
    try {
      return await Promise.race([callback(limited), tooLong]);
    } finally {
      cancel();
    }
  };
}

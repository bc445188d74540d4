/** A limit on how long a run may take, for which the four-tuple has no place. */
import { TaskTimeoutError } from '../errors.ts';
import { type Duration, toMilliseconds } from '../time/duration.ts';
import type { RunContext } from './context.ts';
import type { Callback } from './options.ts';

/**
 * A callback that fails when it takes longer than a duration. First its signal is aborted, so that work that listens can end;
 * then the run fails, whether it did or not. Work that does not listen goes on unseen: give it the signal.
 */
export function withTimeout(callback: Callback, duration: Duration): Callback {
  const limitMs = toMilliseconds(duration);
  if (typeof callback !== 'function') throw new TypeError('withTimeout takes a callback and a duration');
  if (limitMs === undefined || !(limitMs > 0)) {
    throw new RangeError('withTimeout takes a duration of more than zero, such as minutes(5)');
  }
  return async (context) => {
    const controller = new AbortController();
    const signal = AbortSignal.any([context.signal, controller.signal]);
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      const expire = (leftMs: number): void => {
        // A longer delay than a timer can hold is waited for in pieces (B6).
        const pieceMs = Math.min(leftMs, 2 ** 31 - 1);
        timer = setTimeout(() => {
          if (leftMs > pieceMs) return expire(leftMs - pieceMs);
          const error = new TaskTimeoutError(context.name, limitMs);
          reject(error); // before the callback hears of it, whose own end would otherwise count
          controller.abort(error);
        }, pieceMs);
      };
      expire(limitMs);
    });
    try {
      return await Promise.race([callback(withSignal(context, signal)), tooLong]);
    } finally {
      clearTimeout(timer);
    }
  };
}

/** The same context with another signal. */
function withSignal(context: RunContext, signal: AbortSignal): RunContext {
  const { name, key, runId, scheduledFor, attempt, reason } = context;
  return { name, key, runId, scheduledFor, attempt, reason, signal };
}

/**
 * Other people's functions: listeners, loggers, sinks of a trace, clocks. Each may throw, and each may be asynchronous and reject. What
 * goes wrong in one of them goes no further.
 */
import { isThenable, settled } from '../executor/thenable.ts';
import { describeError } from '../text/describe-error.ts';
import { printable } from '../text/printable.ts';
import type { Clock } from '../time/clock.ts';
import { hostClock } from '../time/host-clock.ts';
import type { Logger } from './options.ts';

/** Calls somebody's function. What it throws, or rejects with later, is given to `failed`. */
export function callGuest(call: () => unknown, failed: (error: unknown) => void = () => {}): void {
  try {
    const result = call();
    if (isThenable(result)) settled(result).then(undefined, failed);
  } catch (error) {
    failed(error);
  }
}

/** The longest line that a logger gets: a list of a hundred thousand names is no line. */
const LONGEST_LINE = 4000;

/** A logger whose lines are single lines of printable text, and that survives what the given one does. */
export function calmLogger(logger: Logger): Logger {
  const line =
    (level: keyof Logger) =>
    (message: string): void => {
      const text = message.length > LONGEST_LINE ? `${message.slice(0, LONGEST_LINE)}…` : message;
      callGuest(() => logger[level](printable(text)));
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

/**
 * A clock that survives what the given one does. A reading that fails is replaced by the last one that did not: time then stands still,
 * and the next good reading is seen as what it is. Timers and turns that cannot be had from it are the host's. It is logged once per
 * spell. Before the first good reading there is nothing to go by, and the error is the caller's.
 */
export function calmClock<Given extends Clock>(clock: Given, logger: Logger): Given | Clock {
  if (clock === hostClock) return clock;
  let isBroken = false;
  const broke = (error: unknown): void => {
    if (!isBroken) logger.error(`the clock does not work: ${describeError(error).message}`);
    isBroken = true;
  };
  const reader = (read: () => number): (() => number) => {
    let last: number | undefined;
    return () => {
      try {
        const value = read();
        if (!Number.isFinite(value)) throw new TypeError(`a clock answers a number, not ${String(value)}`);
        last = value;
        isBroken = false;
        return value;
      } catch (error) {
        if (last === undefined) throw error;
        broke(error);
        return last;
      }
    };
  };
  return {
    now: reader(() => clock.now()),
    monotonic: reader(() => clock.monotonic()),
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

type Listener = ((event: Event) => unknown) | { handleEvent(event: Event): unknown } | null | undefined;

/**
 * Makes the listeners of a signal harmless. Node makes an uncaught exception of what a listener of `abort` throws, in the middle of a
 * `stop`; here it is given to `failed`.
 */
export function calmListeners(signal: AbortSignal, failed: (error: unknown) => void): void {
  const guarded = new WeakMap<object, (event: Event) => void>();
  const guard = (listener: Listener): Listener => {
    if (typeof listener !== 'function' && (typeof listener !== 'object' || listener === null))
      return listener;
    const known = guarded.get(listener);
    if (known !== undefined) return known;
    const call = (event: Event): unknown =>
      typeof listener === 'function' ? Reflect.apply(listener, signal, [event]) : listener.handleEvent(event);
    const calm = (event: Event): void => callGuest(() => call(event), failed);
    guarded.set(listener, calm);
    return calm;
  };
  const { addEventListener, removeEventListener } = signal;
  const add = (type: string, listener: Listener, ...rest: unknown[]): void =>
    Reflect.apply(addEventListener, signal, [type, guard(listener), ...rest]);
  const remove = (type: string, listener: Listener, ...rest: unknown[]): void =>
    Reflect.apply(removeEventListener, signal, [type, guard(listener), ...rest]);
  let onabort: ((event: Event) => unknown) | null = null;
  add('abort', (event) => onabort?.(event));
  Object.defineProperties(signal, {
    addEventListener: { value: add },
    removeEventListener: { value: remove },
    onabort: {
      get: () => onabort,
      set: (listener: Listener) => {
        onabort = typeof listener === 'function' ? listener : null;
      },
    },
  });
}

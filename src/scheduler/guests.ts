/** Makes loggers and listeners of signals harmless, which are other people's functions (guest.ts). */
import { callGuest } from '../guest.ts';
import { printableLines } from '../text/printable.ts';
import type { Logger } from './logger.ts';

/** The longest text that a logger gets: a list of a hundred thousand names is no line, and an error with its stack is 4 KB. */
const LONGEST_TEXT = 6000;

/**
 * A logger that gets printable text only, and that survives what the given one does. Only the stack of an error has line breaks, and
 * its lines are indented, so that none can pass for another line of the log.
 */
export function calmLogger(logger: Logger): Logger {
  const line =
    (level: 'debug' | 'info' | 'warn' | 'error') =>
    (message: string): void => {
      const text = message.length > LONGEST_TEXT ? `${message.slice(0, LONGEST_TEXT)}…` : message;
      const safe = printableLines(text).replace(/\n(?! )/g, '\\u{a}');
      callGuest(() => logger[level](safe));
    };
  const { failure } = logger;
  return {
    debug: line('debug'),
    info: line('info'),
    warn: line('warn'),
    error: line('error'),
    ...(failure === undefined
      ? {}
      : { failure: (report) => callGuest(() => Reflect.apply(failure, logger, [report])) }),
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

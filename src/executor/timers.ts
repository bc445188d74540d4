/** The sources that fire by the clock. Their item is the instant that is being served, in epoch milliseconds. */
import { describeValue } from '../errors.ts';
import { wait } from './clock.ts';
import type { Attachment, Sink, Source } from './source.ts';

/** A timer may come this much before its time by the wall clock, for the two clocks are rounded apart. */
const EARLY_MS_MAX = 2;
/** The longest sleep between two looks at the wall clock, so that a step of it is noticed (B5). */
const SLEEP_MS_MAX = 60_000;
/** How many past instants are taken from an iterable before others get their turn. */
const PAST_INSTANTS_MAX = 1_000;

/**
 * Fires every `intervalMs`, first after one interval, and never ends by itself. It does not drift: a late tick does not delay the
 * next one, and all ticks that were missed become one. When the wall clock is set back the intervals begin again, so it never
 * pauses for longer than one interval.
 */
export function every(intervalMs: number): Source<number> {
  if (!(Number.isFinite(intervalMs) && intervalMs >= 1)) {
    throw new RangeError(
      `every() takes an interval of at least 1 millisecond, such as every(1_000); got ${describeValue(intervalMs)}`,
    );
  }
  return { kind: 'timer', attach: (sink) => beat(sink, intervalMs) };
}

function beat(sink: Sink<number>, intervalMs: number): Attachment {
  const { clock } = sink;
  let dueAt = clock.now() + intervalMs;
  const tick = (): void => {
    const now = clock.now();
    const steppedBack = now < dueAt - EARLY_MS_MAX;
    const servedAt = steppedBack
      ? now
      : dueAt + intervalMs * Math.max(0, Math.floor((now - dueAt) / intervalMs));
    dueAt = servedAt + intervalMs;
    cancel = wait(clock, dueAt - now, tick);
    sink.trigger(servedAt);
  };
  let cancel = wait(clock, intervalMs, tick);
  return { detach: () => cancel() };
}

/**
 * Fires at each of the given instants and ends after the last. An iterable is read one instant ahead, so it may be
 * endless; its instants must not descend. An array may be in any order. Instants that have passed are
 * served at once, all of them by one run.
 */
export function at(instants: Iterable<Date | number>): Source<number> {
  if (typeof instants !== 'object' || instants === null || !(Symbol.iterator in instants)) {
    throw new TypeError(
      `at() takes an array or another iterable of Date or epoch milliseconds, such as at([new Date(2030, 0, 1)]); got ${describeValue(instants)}`,
    );
  }
  const ordered = Array.isArray(instants) ? instants.map(toMs).sort((a, b) => a - b) : instants;
  return { kind: 'timer', attach: (sink) => follow(sink, ordered[Symbol.iterator]()) };
}

/**
 * Sleeps towards `nextAt`, the instant read ahead; wakes at least once a minute to look at the wall clock again.
 * Left by exhaustion of the iterator (`end`), an error of it (`fail`), or `detach`.
 */
function follow(sink: Sink<number>, instants: Iterator<Date | number>): Attachment {
  const { clock } = sink;
  let nextAt = Number.NEGATIVE_INFINITY; // nothing read yet
  let exhausted = false;
  let detached = false;
  let cancel = (): void => {};

  /** Reads one instant; whether there was one. */
  const advance = (): boolean => {
    exhausted = true; // so it stays if the iterator throws: then it is neither asked nor closed again
    const result = instants.next();
    exhausted = result.done === true;
    if (result.done === true) return false;
    const readAt = toMs(result.value);
    if (readAt < nextAt) {
      throw new RangeError(
        `at() reads its iterable one instant ahead, so they must not descend: ${iso(readAt)} came after ${iso(nextAt)}. Give it an array to have them sorted`,
      );
    }
    nextAt = readAt;
    return true;
  };
  /** Serves what has passed, up to a limit; how long to sleep then, or undefined at the end. */
  const serve = (): number | undefined => {
    for (let served = 0; served < PAST_INSTANTS_MAX; served++) {
      const now = clock.now();
      if (nextAt > now) return Math.min(nextAt - now, SLEEP_MS_MAX);
      if (nextAt !== Number.NEGATIVE_INFINITY) sink.trigger(nextAt);
      if (!advance()) return undefined;
    }
    return 0;
  };
  const wake = (): void => {
    try {
      const sleepMs = serve();
      if (detached) return; // by the iterator, as it was read
      if (sleepMs === undefined) sink.end();
      else {
        const timer = clock.setTimer(wake, sleepMs);
        cancel = () => timer.cancel();
      }
    } catch (error) {
      sink.fail(error);
    }
  };

  wake();
  return {
    detach() {
      detached = true;
      cancel();
      if (!exhausted) instants.return?.();
    },
  };
}

function toMs(instant: Date | number): number {
  const ms = instant instanceof Date ? instant.getTime() : instant;
  if (typeof ms === 'number' && Number.isFinite(ms)) return ms;
  throw new TypeError(`at() takes valid Dates or epoch milliseconds; got ${describeValue(instant)}`);
}

const iso = (ms: number): string => (Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms));

/** What was given, for an error message, without ever throwing itself. */

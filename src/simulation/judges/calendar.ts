/**
 * When tasks are due, for the judges. It is the oracle's own calendar, which shares no code with the scheduler: it reads
 * expressions by itself and takes offsets from `Intl`. What was compiled is kept, for all worlds of this process.
 */
import { civilClock } from '../../theory/calendar/civil-clock.ts';
import { type MinuteMatcher, minuteMatcher } from '../../theory/calendar/minute-matcher.ts';

const matchers = new Map<string, MinuteMatcher>();

function matcherOf(cron: string, timeZone: string): MinuteMatcher {
  const key = `${timeZone}\n${cron}`;
  let matcher = matchers.get(key);
  if (matcher === undefined) {
    matcher = minuteMatcher(cron, timeZone);
    matchers.set(key, matcher);
  }
  return matcher;
}

/** The last due instant at or before an instant; `-Infinity` if there is none. */
export const lastDue = (cron: string, timeZone: string, at: number): number =>
  matcherOf(cron, timeZone).previous(at, Number.NEGATIVE_INFINITY);

/** The first due instant after an instant; `Infinity` if there is none. */
export const firstDue = (cron: string, timeZone: string, after: number): number =>
  matcherOf(cron, timeZone).next(after);

/** The cursor of a task that first comes at an instant: right before its civil minute (E2). */
export const cursorBefore = (instant: number, timeZone: string): number =>
  civilClock(timeZone).minuteStart(instant) - 1;

/** What a change of a zone's clock does to a schedule: which of its minutes are skipped, and which come twice (B1). */
import { capitalised, clockTime } from '../text/words.ts';
import { dateOf } from '../time/civil.ts';
import type { ClockChange } from '../time/clock-change.ts';
import { MONTH, WEEKDAY } from './fields.ts';
import { minuteFrom, type Schedule } from './schedule.ts';

const MINUTE_MS = 60_000;

/** What a clock change does to an expression. Local minutes are counted from 1970-01-01 00:00 local time. */
export interface ClockEffect {
  /** The local minute that the clock shows right before the change. */
  readonly before: number;
  /** The local minute that the clock shows right after it. */
  readonly after: number;
  readonly effect: 'skipped' | 'doubled' | 'none';
  /** The matching local minutes that are skipped or come twice. */
  readonly minutes: readonly number[];
}

/** What one change does to a schedule. */
export function effectOf(schedule: Schedule, { at, offsetBefore, offsetAfter }: ClockChange): ClockEffect {
  const before = (at + offsetBefore) / MINUTE_MS;
  const after = (at + offsetAfter) / MINUTE_MS;
  const minutes = minutesBetween(schedule, Math.ceil(Math.min(before, after)), Math.max(before, after));
  const effect = minutes.length === 0 ? 'none' : after > before ? 'skipped' : 'doubled';
  return { before, after, effect, minutes };
}

/** The matching local minutes from one to before another. At most those of a day or two, as far as a clock ever jumped. */
function minutesBetween(schedule: Schedule, from: number, before: number): number[] {
  const found: number[] = [];
  for (let minute = minuteFrom(schedule, from); minute < before; minute = minuteFrom(schedule, minute + 1)) {
    found.push(minute);
  }
  return found;
}

/** "On Sunday 28 March 2027 at 02:00 the clock goes forward to 03:00". */
export function describeClockChange({ at, offsetBefore, offsetAfter }: ClockChange): string {
  const before = (at + offsetBefore) / MINUTE_MS;
  const after = (at + offsetAfter) / MINUTE_MS;
  // Across midnight the date of the new time says more than the hour alone.
  const isSameDay = Math.floor(before / 1440) === Math.floor(after / 1440);
  const to = isSameDay ? clockTime(after) : `${clockTime(after)} of ${localDate(after)}`;
  const way = after > before ? 'forward' : 'back';
  return `On ${localDate(before)} at ${clockTime(before)} the clock goes ${way} to ${to}`;
}

/** The date of a local minute: "Sunday 28 March 2027". */
function localDate(localMinute: number): string {
  const { year, month, day, weekday } = dateOf(Math.floor(localMinute / 1440));
  return `${capitalised(WEEKDAY.valueNames[weekday])} ${day} ${capitalised(MONTH.valueNames[month - 1])} ${year}`;
}

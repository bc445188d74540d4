/**
 * A cron expression as numbers: one bit a value, and the search for the next or the previous matching minute in
 * *local* time, where every day has 1,440 minutes. Zones come in one level above, in `due.ts`.
 *
 * Day-of-month and day-of-week are folded into one rule, so that the search need not know which of the two was
 * restricted (C2): a day matches if its bit in `days` is set *or* its weekday's bit in `weekdays` is.
 *
 *     day \ weekday │  *                     restricted
 *     ──────────────┼──────────────────────────────────────
 *     *             │  all days, no weekday  no day, weekdays
 *     restricted    │  days, no weekday      days, weekdays
 */
import {
  cycleStartOf,
  DAYS_PER_CYCLE,
  firstDayOf,
  firstWeekdayOf,
  lengthOf,
  MONTHS_PER_CYCLE,
  monthAt,
  numberOf,
  positionOf,
} from '../time/civil.ts';

/** Six small integers; immutable, so equal expressions can share one. */
export interface Schedule {
  /** Bit n is minute n, for 0–29. */
  readonly minutesLow: number;
  /** Bit n is minute 30 + n. */
  readonly minutesHigh: number;
  /** Bit n is hour n. */
  readonly hours: number;
  /** Bit n is day n + 1 of the month. */
  readonly days: number;
  /** Bit n is month n, for 1–12. */
  readonly months: number;
  /** Bit n is weekday n; 0 is Sunday. */
  readonly weekdays: number;
}

export const ALL_DAYS = 0x7fffffff;
const MINUTES_PER_DAY = 1440;
/** How many chosen months in a row may have no matching day: 29 February across a century that is no leap year. */
const MAX_TURNS = 8;

const lowestBit = (mask: number): number => 31 - Math.clz32(mask & -mask);
const highestBit = (mask: number): number => 31 - Math.clz32(mask);
const isSet = (mask: number, bit: number): boolean => ((mask >>> bit) & 1) === 1;

/** The bits of `mask` at or above a position of 0–31, and those at or below one of 0–30. */
const bitsFrom = (mask: number, position: number): number => (mask >>> position) << position;
const bitsUpTo = (mask: number, position: number): number => mask & ((2 << position) - 1);

/** The days of a month that match, bit n for day n + 1. */
function matchingDays({ days, weekdays }: Schedule, month: number): number {
  let mask = days;
  if (weekdays !== 0) {
    // Turn the week so that it begins on the month's first day, then repeat it five times by one multiplication.
    const turn = firstWeekdayOf(month);
    const week = ((weekdays >>> turn) | (weekdays << (7 - turn))) & 0x7f;
    mask |= Math.imul(week, 0x10204081);
  }
  return mask & (ALL_DAYS >>> (31 - lengthOf(month)));
}

const firstMinute = ({ minutesLow, minutesHigh }: Schedule): number =>
  minutesLow !== 0 ? lowestBit(minutesLow) : 30 + lowestBit(minutesHigh);

const lastMinute = ({ minutesLow, minutesHigh }: Schedule): number =>
  minutesHigh !== 0 ? 30 + highestBit(minutesHigh) : highestBit(minutesLow);

const firstTime = (schedule: Schedule): number => lowestBit(schedule.hours) * 60 + firstMinute(schedule);
const lastTime = (schedule: Schedule): number => highestBit(schedule.hours) * 60 + lastMinute(schedule);

/** The first matching minute of the day at or after `time`, or -1. */
function timeFrom(schedule: Schedule, time: number): number {
  const { minutesLow, minutesHigh, hours } = schedule;
  const hour = (time / 60) | 0;
  const minute = time - hour * 60;
  if (isSet(hours, hour)) {
    const low = minute < 30 ? bitsFrom(minutesLow, minute) : 0;
    if (low !== 0) return hour * 60 + lowestBit(low);
    const high = bitsFrom(minutesHigh, minute < 30 ? 0 : minute - 30);
    if (high !== 0) return hour * 60 + 30 + lowestBit(high);
  }
  const later = bitsFrom(hours, hour + 1);
  return later === 0 ? -1 : lowestBit(later) * 60 + firstMinute(schedule);
}

/** The last matching minute of the day at or before `time`, or -1. */
function timeUpTo(schedule: Schedule, time: number): number {
  const { minutesLow, minutesHigh, hours } = schedule;
  const hour = (time / 60) | 0;
  const minute = time - hour * 60;
  if (isSet(hours, hour)) {
    const high = minute >= 30 ? bitsUpTo(minutesHigh, minute - 30) : 0;
    if (high !== 0) return hour * 60 + 30 + highestBit(high);
    const low = bitsUpTo(minutesLow, minute < 30 ? minute : 29);
    if (low !== 0) return hour * 60 + highestBit(low);
  }
  const earlier = hour === 0 ? 0 : bitsUpTo(hours, hour - 1);
  return earlier === 0 ? -1 : highestBit(earlier) * 60 + lastMinute(schedule);
}

/**
 * The first matching local minute at or after `minute`, both counted from 1970-01-01 00:00 local time.
 *
 * A schedule that never matches is refused by the parser (C3). The loop goes from chosen month to chosen month. If February is the only
 * one, and 29 the only day, it may have to look at eight of them; with any other choice at six. Should that be wrong one day, it throws
 * rather than spin.
 */
export function minuteFrom(schedule: Schedule, minute: number): number {
  const { months } = schedule;
  const day = Math.floor(minute / MINUTES_PER_DAY) | 0;
  let cycleStart = cycleStartOf(day);
  let position = positionOf(day - cycleStart);
  let month = monthAt(position);
  const today = day - cycleStart - firstDayOf(month);
  if (isSet(months, numberOf(month))) {
    const matching = matchingDays(schedule, month);
    if (isSet(matching, today)) {
      const time = timeFrom(schedule, (minute - day * MINUTES_PER_DAY) | 0);
      if (time !== -1) return day * MINUTES_PER_DAY + time;
    }
    const later = bitsFrom(matching, today + 1);
    if (later !== 0) return (day - today + lowestBit(later)) * MINUTES_PER_DAY + firstTime(schedule);
  }
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    const later = bitsFrom(months, numberOf(month) + 1);
    position += later === 0 ? 12 + lowestBit(months) - numberOf(month) : lowestBit(later) - numberOf(month);
    if (position >= MONTHS_PER_CYCLE) {
      position -= MONTHS_PER_CYCLE;
      cycleStart += DAYS_PER_CYCLE;
    }
    month = monthAt(position);
    const matching = matchingDays(schedule, month);
    if (matching !== 0) {
      return (cycleStart + firstDayOf(month) + lowestBit(matching)) * MINUTES_PER_DAY + firstTime(schedule);
    }
  }
  throw neverMatches(schedule);
}

/** The last matching local minute at or before `minute`. It ends for the reason that `minuteFrom` does. */
export function minuteUpTo(schedule: Schedule, minute: number): number {
  const { months } = schedule;
  const day = Math.floor(minute / MINUTES_PER_DAY) | 0;
  let cycleStart = cycleStartOf(day);
  let position = positionOf(day - cycleStart);
  let month = monthAt(position);
  const today = day - cycleStart - firstDayOf(month);
  if (isSet(months, numberOf(month))) {
    const matching = matchingDays(schedule, month);
    if (isSet(matching, today)) {
      const time = timeUpTo(schedule, (minute - day * MINUTES_PER_DAY) | 0);
      if (time !== -1) return day * MINUTES_PER_DAY + time;
    }
    const earlier = today === 0 ? 0 : bitsUpTo(matching, today - 1);
    if (earlier !== 0) return (day - today + highestBit(earlier)) * MINUTES_PER_DAY + lastTime(schedule);
  }
  for (let turns = 0; turns < MAX_TURNS; turns++) {
    const earlier = bitsUpTo(months, numberOf(month) - 1);
    position +=
      earlier === 0 ? highestBit(months) - numberOf(month) - 12 : highestBit(earlier) - numberOf(month);
    if (position < 0) {
      position += MONTHS_PER_CYCLE;
      cycleStart -= DAYS_PER_CYCLE;
    }
    month = monthAt(position);
    const matching = matchingDays(schedule, month);
    if (matching !== 0) {
      return (cycleStart + firstDayOf(month) + highestBit(matching)) * MINUTES_PER_DAY + lastTime(schedule);
    }
  }
  throw neverMatches(schedule);
}

const neverMatches = (schedule: Schedule): Error =>
  new Error(
    `Internal error: the schedule ${JSON.stringify(schedule)} matches no day of the next chosen months`,
  );

/** Whether a local minute matches. */
export function matchesMinute(schedule: Schedule, minute: number): boolean {
  const day = Math.floor(minute / MINUTES_PER_DAY) | 0;
  const time = (minute - day * MINUTES_PER_DAY) | 0;
  if (timeFrom(schedule, time) !== time) return false;
  const dayOfCycle = day - cycleStartOf(day);
  const month = monthAt(positionOf(dayOfCycle));
  return (
    isSet(schedule.months, numberOf(month)) &&
    isSet(matchingDays(schedule, month), dayOfCycle - firstDayOf(month))
  );
}

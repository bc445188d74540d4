/** A schedule in plain English, with what the next changes of the clock do to it. */
import { type ClockChange, nextClockChange } from '../time/clock-change.ts';
import type { Zone } from '../time/zone.ts';
import { MONTH, WEEKDAY } from './fields.ts';
import { ALL_DAYS, minuteFrom, type Schedule } from './schedule.ts';
import { capitalised, clockTime, join, localDate, ordinal, ranges } from './words.ts';

const MINUTE_MS = 60_000;
const TEN_YEARS_MS = 3653 * 86_400_000;

/** One sentence for when, one for each of the next two clock changes. */
export function describeSchedule(schedule: Schedule, zone: Zone, from: number): string {
  const when = [timeOfDay(schedule), days(schedule), months(schedule)]
    .filter((part) => part !== '')
    .join(' ');
  return [`${capitalised(when)}, ${zone.name} time.`, ...clockChanges(schedule, zone, from)].join(' ');
}

const bits = (mask: number, base = 0): number[] =>
  Array.from({ length: 31 }, (_, bit) => bit)
    .filter((bit) => ((mask >>> bit) & 1) === 1)
    .map((bit) => bit + base);

function timeOfDay(schedule: Schedule): string {
  const minutes = [...bits(schedule.minutesLow), ...bits(schedule.minutesHigh, 30)];
  const hours = bits(schedule.hours);
  const step = regularStep(minutes);
  if (hours.length === 24) return everyHour(minutes, step);
  const inOneStretch = hours[hours.length - 1] - hours[0] === hours.length - 1;
  if (step !== undefined && inOneStretch && hours.length > 1) {
    const span = `from ${clockTime(hours[0] * 60 + minutes[0])} to ${clockTime(hours[hours.length - 1] * 60 + minutes[minutes.length - 1])}`;
    return step === 1 ? `every minute ${span}` : `every ${step} minutes ${span}`;
  }
  if (minutes.length * hours.length <= 12) {
    return `at ${join(hours.flatMap((hour) => minutes.map((minute) => clockTime(hour * 60 + minute))))}`;
  }
  const which = step === 1 ? 'every minute' : `at ${minutesOf(minutes)}`;
  return `${which} of hour${hours.length > 1 ? 's' : ''} ${join(ranges(hours))}`;
}

function everyHour(minutes: readonly number[], step: number | undefined): string {
  if (step === 1) return 'every minute';
  if (step !== undefined)
    return minutes[0] === 0
      ? `every ${step} minutes`
      : `every ${step} minutes from minute ${minutes[0]} of each hour`;
  if (minutes.length === 1 && minutes[0] === 0) return 'every hour on the hour';
  return `at ${minutesOf(minutes)} of every hour`;
}

const minutesOf = (minutes: readonly number[]): string =>
  `minute${minutes.length > 1 ? 's' : ''} ${join(ranges(minutes))}`;

/** The step of minutes that follow each other evenly, from one hour into the next too; undefined if they do not. */
function regularStep(minutes: readonly number[]): number | undefined {
  if (minutes.length < 2) return undefined;
  const step = 60 / minutes.length;
  return minutes.every((minute, index) => minute === minutes[0] + index * step) ? step : undefined;
}

function days({ days: dayMask, weekdays: weekdayMask, hours }: Schedule): string {
  const everyDay = dayMask === ALL_DAYS || weekdayMask === 0x7f;
  const roundTheClock = hours === 0xffffff;
  const dates = `on the ${join(bits(dayMask, 1).map(ordinal))} of the month`;
  const weekdays = `on ${join(ranges(bits(weekdayMask), (day) => capitalised(WEEKDAY.valueNames[day])))}`;
  if (everyDay) return roundTheClock ? '' : 'every day';
  if (weekdayMask === 0) return dates;
  if (dayMask === 0) return weekdays;
  return `${dates}, and also ${weekdays} (day and weekday are both given, so either is enough)`;
}

function months({ months: mask }: Schedule): string {
  const chosen = bits(mask);
  if (chosen.length === 12) return '';
  return `in ${join(ranges(chosen, (month) => capitalised(MONTH.valueNames[month - 1])))}`;
}

function clockChanges(schedule: Schedule, zone: Zone, from: number): string[] {
  const sentences: string[] = [];
  const limit = from + TEN_YEARS_MS;
  let change = nextClockChange(zone, from, limit);
  if (change === undefined) return [`The clocks of ${zone.name} do not change in the next ten years.`];
  while (change !== undefined && sentences.length < 2) {
    sentences.push(describeChange(schedule, change));
    change = nextClockChange(zone, change.at, limit);
  }
  return sentences;
}

function describeChange(schedule: Schedule, { at, offsetBefore, offsetAfter }: ClockChange): string {
  const before = (at + offsetBefore) / MINUTE_MS;
  const after = (at + offsetAfter) / MINUTE_MS;
  const forward = after > before;
  // Crossing midnight, the date of the new time says more than the hour alone.
  const sameDay = Math.floor(before / 1440) === Math.floor(after / 1440);
  const to = sameDay ? clockTime(after) : `${clockTime(after)} of ${localDate(after)}`;
  const jump = `On ${localDate(before)} at ${clockTime(before)} the clock goes ${forward ? 'forward' : 'back'} to ${to}`;
  const hit = minutesBetween(schedule, Math.ceil(Math.min(before, after)), Math.max(before, after));
  if (hit.length === 0) return `${jump}, which changes nothing here.`;
  const which =
    hit.length > 6
      ? `${hit.length} of its minutes (${clockTime(hit[0])} to ${clockTime(hit[hit.length - 1])})`
      : join(hit.map(clockTime));
  const one = hit.length === 1;
  return forward
    ? `${jump}: ${which} ${one ? 'does' : 'do'} not exist then and ${one ? 'is' : 'are'} skipped.`
    : `${jump}: ${which} ${one ? 'happens' : 'happen'} twice and ${one ? 'is' : 'are'} due both times.`;
}

/** The matching local minutes from one to before another. At most those of a day or two, as far as a clock ever jumped. */
function minutesBetween(schedule: Schedule, from: number, before: number): number[] {
  const found: number[] = [];
  for (let minute = minuteFrom(schedule, from); minute < before; minute = minuteFrom(schedule, minute + 1)) {
    found.push(minute);
  }
  return found;
}

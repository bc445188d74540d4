/** A schedule in plain English, with what the next changes of the clock do to it. */

import { capitalised, clockTime, join, ordinal, ranges } from '../text/words.ts';
import { type ClockChange, clockChanges } from '../time/clock-change.ts';
import type { Zone } from '../time/zone.ts';
import { describeClockChange, effectOf } from './clock-effect.ts';
import { MONTH, WEEKDAY } from './fields.ts';
import { ALL_DAYS, type Schedule } from './schedule.ts';

/** One sentence for when, one for each of the next two clock changes. */
export function describeSchedule(schedule: Schedule, zone: Zone, from: number): string {
  return [`${describeTimes(schedule)}, ${zone.name} time.`, ...changeSentences(schedule, zone, from)].join(
    ' ',
  );
}

/** When it is due, without the zone: "At 02:30 every day". */
export const describeTimes = (schedule: Schedule): string =>
  capitalised(`${timeOfDay(schedule)} ${dates(schedule)}`.trim());

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

/** Which days of which months: "on the 1st of January", "every day in May and June", "on Monday". */
function dates({ days: dayMask, weekdays: weekdayMask, months: monthMask, hours }: Schedule): string {
  const months = bits(monthMask);
  const monthNames = join(ranges(months, (month) => capitalised(MONTH.valueNames[month - 1])));
  const inMonths = months.length === 12 ? '' : ` in ${monthNames}`;
  const days = join(ranges(bits(dayMask, 1), ordinal));
  const weekdays = join(ranges(bits(weekdayMask), (day) => capitalised(WEEKDAY.valueNames[day])));
  if (dayMask === ALL_DAYS || weekdayMask === 0x7f) {
    return (hours === 0xffffff ? inMonths : `every day${inMonths}`).trim();
  }
  if (dayMask === 0) return `on ${weekdays}${inMonths}`;
  const onDays =
    months.length === 1 ? `on the ${days} of ${monthNames}` : `on the ${days} of the month${inMonths}`;
  if (weekdayMask === 0) return onDays;
  return `${onDays}, and also on ${weekdays}${inMonths} (day and weekday are both given, so either is enough)`;
}

/** None for a zone whose clocks do not change in the next ten years, as those of UTC: there is nothing to mind. */
function changeSentences(schedule: Schedule, zone: Zone, from: number): string[] {
  return Array.from(clockChanges(zone, from).take(2), (change) => describeEffect(schedule, change));
}

function describeEffect(schedule: Schedule, change: ClockChange): string {
  const jump = describeClockChange(change);
  const { effect, minutes } = effectOf(schedule, change);
  if (effect === 'none') return `${jump}, which changes nothing here.`;
  const which =
    minutes.length > 6
      ? `${minutes.length} of its minutes (${clockTime(minutes[0])} to ${clockTime(minutes[minutes.length - 1])})`
      : join(minutes.map(clockTime));
  const one = minutes.length === 1;
  return effect === 'skipped'
    ? `${jump}: ${which} ${one ? 'does' : 'do'} not exist then and ${one ? 'is' : 'are'} skipped.`
    : `${jump}: ${which} ${one ? 'happens' : 'happen'} twice and ${one ? 'is' : 'are'} due both times.`;
}

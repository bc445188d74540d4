/**
 * Days that POSIX cannot say: the last day of a month, its second Tuesday, every second week. A rule narrows an expression: a due
 * instant counts only if its local date passes. The expression still says the rest: `59 23 * * *` with the last day of the month.
 */
import { cycleStartOf, firstDayOf, firstWeekdayOf, lengthOf, monthAt, positionOf } from '../time/civil.ts';
import { WEEKDAY } from './fields.ts';
import { readName } from './rewrite.ts';
import { minuteFrom, type Schedule } from './schedule.ts';

/**
 * Which days count. It is stored with its task, so it is plain data.
 *
 * - `last`: the day with so many days of its month after it; 0 is the last day.
 * - `nth`, `weekday`: the nth such weekday of its month, 1 to 5; -1 is the last one, -2 the last but one.
 * - `everyWeeks`, `from`: the days of every so many weeks. A week is seven days, the first of them begins on the date `from`, and no
 *   day before it counts.
 */
export type DayRule =
  | { readonly last: number }
  | { readonly nth: number; readonly weekday: number }
  | { readonly everyWeeks: number; readonly from: string };

const MINUTES_PER_DAY = 1440;
const DAY_MS = 86_400_000;
/** The calendar repeats after 400 years. */
const CYCLE_DAYS = 146_097;

/** The last day of every month; with a number, the day that has so many days of its month after it. */
export function lastDayOfMonth(daysBefore = 0): DayRule {
  return checked({ last: daysBefore });
}

/** The nth weekday of every month, such as `nthWeekday(2, 'tue')`; -1 is the last one of the month. */
export function nthWeekday(nth: number, weekday: string | number): DayRule {
  const named = typeof weekday === 'string' ? readName(weekday, WEEKDAY) : weekday;
  if (named === undefined) throw new RangeError(`nthWeekday: "${weekday}" is no weekday; write "tue", or 2`);
  return checked({ nth, weekday: named });
}

/** Every nth week, counted from a date such as "2026-01-06"; the expression says on which of its days. */
export function everyNthWeek(everyWeeks: number, from: string): DayRule {
  return checked({ everyWeeks, from });
}

function checked(rule: DayRule): DayRule {
  const problem = dayRuleProblem(rule);
  if (problem !== undefined) throw new RangeError(problem);
  return Object.freeze(rule);
}

const isWhole = (value: unknown, from: number, to: number): boolean =>
  Number.isSafeInteger(value) && Number(value) >= from && Number(value) <= to;

/** What is wrong with a value as a rule, if anything is. */
export function dayRuleProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return WAYS;
  const names = Object.keys(value).sort().join();
  const field = (name: string): unknown => Reflect.get(value, name);
  if (names === 'last')
    return isWhole(field('last'), 0, 30) ? undefined : 'days.last must be a whole number from 0 to 30';
  if (names === 'nth,weekday') {
    const isNth = isWhole(field('nth'), -5, 5) && field('nth') !== 0;
    if (!isNth) return 'days.nth must be a whole number from 1 to 5, or from -1 to -5';
    return isWhole(field('weekday'), 0, 6) ? undefined : 'days.weekday must be a number from 0, Sunday, to 6';
  }
  if (names !== 'everyWeeks,from') return WAYS;
  if (!isWhole(field('everyWeeks'), 1, 520)) return 'days.everyWeeks must be a whole number from 1 to 520';
  return dayOf(field('from')) === undefined ? 'days.from must be a date such as "2026-01-06"' : undefined;
}

const WAYS =
  "days must be what lastDayOfMonth(), nthWeekday(2, 'tue') or everyNthWeek(2, '2026-01-06') gives";

/** The number of the day that a text such as "2026-01-06" names. */
function dayOf(text: unknown): number | undefined {
  if (typeof text !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const instant = Date.parse(`${text}T00:00:00Z`);
  const isReal = !Number.isNaN(instant) && new Date(instant).toISOString().startsWith(text);
  return isReal ? instant / DAY_MS : undefined;
}

/** Whether a day, counted from 1970-01-01, passes a rule. */
export type DayTest = (day: number) => boolean;

export function dayTestOf(rule: DayRule): DayTest {
  if ('everyWeeks' in rule) {
    const from = dayOf(rule.from) ?? Number.POSITIVE_INFINITY;
    return (day) => day >= from && Math.floor((day - from) / 7) % rule.everyWeeks === 0;
  }
  return (day) => {
    const dayOfCycle = day - cycleStartOf(day);
    const month = monthAt(positionOf(dayOfCycle));
    const sinceFirst = dayOfCycle - firstDayOf(month);
    const after = lengthOf(month) - 1 - sinceFirst;
    if ('last' in rule) return after === rule.last;
    if ((firstWeekdayOf(month) + sinceFirst) % 7 !== rule.weekday) return false;
    return rule.nth > 0
      ? Math.floor(sinceFirst / 7) === rule.nth - 1
      : Math.floor(after / 7) === -rule.nth - 1;
  };
}

/** Whether a schedule has any day that passes: `0 0 15 * *` on the last day of the month has none (C3). */
export function hasSuchDay(schedule: Schedule, rule: DayRule): boolean {
  const isIn = dayTestOf(rule);
  const first = ('everyWeeks' in rule ? dayOf(rule.from) : undefined) ?? 0;
  for (let day = first; day < first + CYCLE_DAYS; day++) {
    day = Math.floor(minuteFrom(schedule, day * MINUTES_PER_DAY) / MINUTES_PER_DAY);
    if (isIn(day)) return true;
  }
  return false;
}

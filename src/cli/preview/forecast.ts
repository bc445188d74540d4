/**
 * What will start when: every due instant of every task over some days. Tasks with the same expression are worked out once, so that
 * a thousand tasks at midnight cost no more than one.
 */
import { type CronExpression, parseCron, type Zone } from '../../cron/index.ts';
import { instantOfLocal } from '../words.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface PlannedTask {
  readonly name: string;
  readonly cron: string;
}

/** All tasks of one expression. */
export interface Group {
  readonly cron: string;
  readonly parsed: CronExpression;
  readonly tasks: readonly string[];
  /** In order, none outside the days looked at. */
  readonly dues: readonly number[];
}

export interface Forecast {
  readonly zone: Zone;
  readonly from: number;
  readonly to: number;
  readonly days: number;
  readonly groups: readonly Group[];
  readonly tasks: number;
  readonly starts: number;
}

export function forecast(planned: readonly PlannedTask[], zone: Zone, from: number, days: number): Forecast {
  // Days of the calendar: one of them may have 23 or 25 hours.
  const to = instantOfLocal(zone, from + zone.at(from).offset + days * DAY_MS);
  const groups = [...Map.groupBy(planned, ({ cron }) => cron)].map(([cron, tasks]) => {
    const parsed = parseCron(cron, { timeZone: zone.name });
    return { cron, parsed, tasks: tasks.map(({ name }) => name), dues: duesBetween(parsed, from, to) };
  });
  const starts = groups.reduce((sum, { tasks, dues }) => sum + tasks.length * dues.length, 0);
  return { zone, from, to, days, groups, tasks: planned.length, starts };
}

/** From the first instant on, which may be due itself, to before the last. */
function duesBetween(parsed: CronExpression, from: number, to: number): number[] {
  const dues: number[] = [];
  for (const due of parsed.occurrences(new Date(from - 1))) {
    if (due.getTime() >= to) break;
    dues.push(due.getTime());
  }
  return dues;
}

/** The minute of the local day, 0 to 1439, that a zone's clock shows at an instant. */
export function minuteOfDay(zone: Zone, instant: number): number {
  const minute = Math.floor((instant + zone.at(instant).offset) / MINUTE_MS);
  return minute - Math.floor(minute / 1440) * 1440;
}

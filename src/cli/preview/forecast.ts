/**
 * What will start when: every due instant of every task over some days. Tasks that are always due together are worked out once, so that
 * a thousand tasks at midnight cost no more than one.
 */
import type { StoredPolicy } from '../../config.ts';
import { calendarFor, calendarKey } from '../../config.ts';
import { type CronExpression, parseCron, type Zone } from '../../cron/index.ts';
import type { Calendar } from '../../index.ts';
import { dueAfter, isPlain } from '../schedule/calendars.ts';
import { instantOfLocal } from '../words.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface PlannedTask {
  readonly name: string;
  readonly cron: string;
  readonly policy?: StoredPolicy;
}

/** All tasks that are always due together. */
export interface Group {
  readonly cron: string;
  readonly parsed: CronExpression;
  readonly tasks: readonly string[];
  /** Whether the clock changes of the zone do to it what they do to its expression. */
  readonly followsClock: boolean;
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
  const groups = [...Map.groupBy(planned, calendarKey).values()].map((tasks): Group => {
    const [first] = tasks;
    return {
      cron: first.cron,
      parsed: parseCron(first.cron, { timeZone: zone.name }),
      tasks: tasks.map(({ name }) => name),
      followsClock: isPlain(first) && (first.policy?.timeZone ?? zone.name) === zone.name,
      dues: duesBetween(calendarFor(first, zone.name), from, to),
    };
  });
  const starts = groups.reduce((sum, { tasks, dues }) => sum + tasks.length * dues.length, 0);
  return { zone, from, to, days, groups, tasks: planned.length, starts };
}

/** From the first instant on, which may be due itself, to before the last. */
function duesBetween(calendar: Calendar | undefined, from: number, to: number): number[] {
  const dues: number[] = [];
  for (let due = dueAfter(calendar, from - 1); due !== undefined && due < to; due = dueAfter(calendar, due))
    dues.push(due);
  return dues;
}

/** The minute of the local day, 0 to 1439, that a zone's clock shows at an instant. */
export function minuteOfDay(zone: Zone, instant: number): number {
  const minute = Math.floor((instant + zone.at(instant).offset) / MINUTE_MS);
  return minute - Math.floor(minute / 1440) * 1440;
}

/**
 * What will start when: every due instant of every task over some days. Tasks with the same expression are worked out once, so that
 * a thousand tasks at midnight cost no more than one.
 */
import { nextDue } from '../../cron/due.ts';
import type { Schedule } from '../../cron/schedule.ts';
import type { Zone } from '../../time/zone.ts';
import { instantOfLocal } from '../words.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export interface PlannedTask {
  readonly name: string;
  readonly cron: string;
  readonly schedule: Schedule;
}

/** All tasks of one expression. */
export interface Group {
  readonly cron: string;
  readonly schedule: Schedule;
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
  const byCron = new Map<string, { schedule: Schedule; tasks: string[] }>();
  for (const { name, cron, schedule } of planned) {
    const group = byCron.get(cron);
    if (group === undefined) byCron.set(cron, { schedule, tasks: [name] });
    else group.tasks.push(name);
  }
  const groups = [...byCron].map(([cron, { schedule, tasks }]) => ({
    cron,
    schedule,
    tasks,
    dues: duesBetween(schedule, zone, from, to),
  }));
  const starts = groups.reduce((sum, { tasks, dues }) => sum + tasks.length * dues.length, 0);
  return { zone, from, to, days, groups, tasks: planned.length, starts };
}

/** From the first instant on, which may be due itself, to before the last. */
function duesBetween(schedule: Schedule, zone: Zone, from: number, to: number): number[] {
  const dues: number[] = [];
  for (let due = nextDue(schedule, zone, from - 1); due < to; due = nextDue(schedule, zone, due))
    dues.push(due);
  return dues;
}

/** The minute of the local day, 0 to 1439, that a zone's clock shows at an instant. */
export function minuteOfDay(zone: Zone, instant: number): number {
  const minute = Math.floor((instant + zone.at(instant).offset) / MINUTE_MS);
  return minute - Math.floor(minute / 1440) * 1440;
}

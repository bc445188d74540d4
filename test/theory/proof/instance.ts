/**
 * How large a world is explored: which lists `initialize` may be called with, and how often the environment may do what.
 *
 * The schedules repeat every two minutes and the clock goes in half minutes, which tells apart all that rule A1 can tell apart:
 * an instant that is the start of a minute and one that is not (A9), minutes that are due and minutes that are not.
 */
import { Planner } from '../../../src/core/plan.ts';
import { type CheckedRegistration, checkRegistrations } from '../../../src/core/registration.ts';
import { Tasks } from '../../../src/core/tasks.ts';
import { previousDue } from '../../../src/cron/due.ts';
import type { Schedule } from '../../../src/cron/schedule.ts';
import { overlayOf } from '../../../src/store/overlay.ts';
import { Obligation } from '../../../src/theory/logic/macros.ts';
import { zoneOf } from '../../../src/time/zone.ts';

export const MINUTE_MS = 60_000;
/** One step of the clock. */
export const TICK_MS = MINUTE_MS / 2;
/** After this time every schedule of an instance is due in the same way again. */
export const PERIOD_MS = 2 * MINUTE_MS;
/** The clock of a state lies in the period that begins here. */
export const BASE = Date.UTC(2027, 0, 1, 6);
export const zone = zoneOf('UTC');

const minutesFrom = (first: number): string =>
  `${Array.from({ length: 30 }, (_, i) => first + 2 * i).join(',')} * * * *`;
export const every = '* * * * *';
export const even = minutesFrom(0);
export const odd = minutesFrom(1);

/** Name, expression, and retry delay in milliseconds. */
export type Entry = readonly [name: string, cron: string, retryDelayMs: number];

export interface Budgets {
  readonly initializations: number;
  readonly crashes: number;
  readonly stops: number;
  readonly failures: number;
}

/** As often as it likes. */
export const unbounded: Budgets = {
  initializations: Number.POSITIVE_INFINITY,
  crashes: Number.POSITIVE_INFINITY,
  stops: Number.POSITIVE_INFINITY,
  failures: Number.POSITIVE_INFINITY,
};

/** Without a bound there is nothing to count. */
export const counted = (count: number, bound: number): number => (Number.isFinite(bound) ? count + 1 : 0);

export interface Instance {
  readonly lists: readonly (readonly Entry[])[];
  readonly budgets: Budgets;
}

/** What is examined: the shipped functions, or some of them with a fault planted. */
export interface Subject {
  readonly Planner: typeof Planner;
  readonly Tasks: typeof Tasks;
  readonly overlayOf: typeof overlayOf;
  /** What the theory says is owed. */
  readonly obligation: typeof Obligation;
}

export const shipped: Subject = { Planner, Tasks, overlayOf, obligation: Obligation };

export interface List {
  readonly registrations: readonly CheckedRegistration[];
  /** The place of each registration, by its name. */
  readonly places: ReadonlyMap<string, number>;
  /** For each name of the instance, its place in this list; −1 where it has none. */
  readonly placeOf: readonly number[];
}

export const namesOf = ({ lists }: Instance): readonly string[] => [
  ...new Set(lists.flatMap((list) => list.map(([name]) => name))),
];

export function listsOf(instance: Instance): readonly List[] {
  const names = namesOf(instance);
  return instance.lists.map((entries) => {
    const places = new Map<string, number>();
    const list = entries.map(([name, cron, delay]) => [name, cron, () => {}, delay]);
    const registrations = checkRegistrations(list, places);
    return { registrations, places, placeOf: names.map((name) => places.get(name) ?? -1) };
  });
}

const lastDues = new Map<Schedule, Map<number, number>>();

/** The last due instant up to now: asked again and again for the same few instants. */
export function lastDue({ schedule }: CheckedRegistration, now: number): number {
  const known = lastDues.get(schedule) ?? new Map<number, number>();
  lastDues.set(schedule, known);
  const due = known.get(now) ?? previousDue(schedule, zone, now);
  known.set(now, due);
  return due;
}

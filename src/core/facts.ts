/** What a list of tasks says, in one shape for tuples and task objects; and the due instants of a task, registered or stored. */
import { type Calendar, calendarOf } from '../cron/calendar.ts';
import { parseSchedule } from '../cron/expression.ts';
import { zoneOf } from '../time/zone.ts';
import { calendarRules, policyOf, policyOfText, type StoredPolicy } from './policy.ts';
import { checkRegistrations } from './registration.ts';

/** A task without its callback. */
export interface TaskFacts {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
  /** What a task object says beyond that; empty for a tuple. */
  readonly policy: StoredPolicy;
}

/** The tasks of a list, checked as `initialize` does. */
export const taskFacts = (tasks: unknown): readonly TaskFacts[] =>
  checkRegistrations(tasks).map(({ name, cron, retryDelayMs, policy: { stored: policy } }) => ({
    name,
    cron,
    retryDelayMs,
    policy,
  }));

/**
 * The due instants of a task, in epoch milliseconds, as its policy makes them: zone, days, clock changes, jitter. A record of `inspect` is fine.
 * `timeZone` is the scheduler's, for a task that has none of its own. Throws for an expression that is none.
 */
export function dueInstants(
  task: { readonly name: string; readonly cron: string; readonly policy: StoredPolicy | string | null },
  timeZone: string,
): Calendar {
  const { name, cron } = task;
  const isText = typeof task.policy === 'string' || task.policy === null;
  const policy = isText ? policyOfText(task.policy) : policyOf(task.policy);
  const zone = zoneOf(policy.stored.timeZone ?? timeZone);
  return calendarOf(parseSchedule(cron), zone, calendarRules(name, cron, policy));
}

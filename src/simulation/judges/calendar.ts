/**
 * When tasks are due, for the judges. It is the oracle's own calendar, which shares no code with the scheduler: it reads
 * expressions by itself and takes offsets from `Intl`. What was compiled is kept, for all worlds of this process.
 */
import type { TaskRecord } from '../../core/record.ts';
import { civilClock } from '../../theory/calendar/civil-clock.ts';
import { type MinuteMatcher, minuteMatcher } from '../../theory/calendar/minute-matcher.ts';
import { jitterOffsetMs } from '../../theory/calendar/valid-list.ts';
import { policyOf } from './policies.ts';

/** What of a record decides when its task is due. */
export type Scheduled = Pick<TaskRecord, 'name' | 'cron' | 'policy'>;

const matchers = new Map<string, MinuteMatcher>();

/** By how much the dues of a task are moved (H5). */
export const offsetOf = ({ name, policy }: Scheduled): number =>
  jitterOffsetMs(name, policyOf(policy).jitterMs ?? 0);

function matcherOf(scheduled: Scheduled, zoneOfList: string): MinuteMatcher {
  const { cron } = scheduled;
  const { days, clockChanges, timeZone = zoneOfList } = policyOf(scheduled.policy);
  const offsetMs = offsetOf(scheduled);
  const rules = { ...(days && { days }), ...(clockChanges && { clockChanges }), offsetMs };
  const key = `${timeZone}\n${cron}\n${JSON.stringify(rules)}`;
  let matcher = matchers.get(key);
  if (matcher === undefined) {
    matcher = minuteMatcher(cron, timeZone, rules);
    matchers.set(key, matcher);
  }
  return matcher;
}

/** The last due instant at or before an instant; `-Infinity` if there is none. */
export const lastDue = (task: Scheduled, timeZone: string, at: number): number =>
  matcherOf(task, timeZone).previous(at, Number.NEGATIVE_INFINITY);

/** The first due instant after an instant; `Infinity` if there is none. */
export const firstDue = (task: Scheduled, timeZone: string, after: number): number =>
  matcherOf(task, timeZone).next(after);

/** The cursor of a task that first comes at an instant: right before its civil minute, in its own zone (E2, H3). */
export const cursorBefore = (instant: number, zoneOfList: string, policy: string | null): number =>
  civilClock(policyOf(policy).timeZone ?? zoneOfList).minuteStart(instant) - 1;

/**
 * The rules of the model, as functions of records: what a clock that was set back changes (B5), and why a task is to be started
 * (A1). They are written from the semantics a second time. They share the shape of records with the scheduler, and no code.
 */
import type { Reason, TaskRecord, WorkRecord } from '../../core/record.ts';
import { lastDue, offsetOf } from './calendar.ts';
import { delayOf, policyOf } from './policies.ts';

const MINUTE_MS = 60_000;
const THREE_HOURS_MS = 10_800_000;

/**
 * What B5 makes of one record when the scheduler notices at `now` that the clock was set back. The expression is that of the list that
 * counts now; a deadline goes by the delay under which the record failed.
 */
export function afterStep(record: TaskRecord, cron: string, now: number): TaskRecord {
  const ahead = record.servedThrough - now;
  const everyHour = cron.trim().split(/[ \t]+/)[1] === '*';
  const moves = ahead > THREE_HOURS_MS || (ahead > MINUTE_MS && everyHour);
  let { pendingRetryUntil } = record;
  if (pendingRetryUntil !== null && record.lastFailureAt !== null) {
    const delayMs = Math.max(pendingRetryUntil - record.lastFailureAt, delayOf(record));
    if (pendingRetryUntil > now + delayMs) pendingRetryUntil = now + delayMs;
  }
  return { ...record, servedThrough: moves ? now : record.servedThrough, pendingRetryUntil };
}

/** What of a task decides whether it is pending. */
export interface Waiting {
  readonly record: TaskRecord;
  readonly orphaned: boolean;
  /** Since when somebody wants a run (I2). */
  readonly requestedSince: number | undefined;
}

/** The last due of a task that it has not served, if there is one; what an orphan was serving when it was claimed counts as served. */
export function newestDue(
  { record, orphaned }: Omit<Waiting, 'requestedSince'>,
  timeZone: string,
  now: number,
): number | undefined {
  const { servedThrough, pausedAt, work, run } = record;
  const dueAt = lastDue(record, timeZone, now);
  if (dueAt <= servedThrough || pausedAt !== null) return undefined;
  if (!orphaned || work === null || run === null) return dueAt;
  return dueAt - offsetOf(record) <= work.scheduledFor || dueAt <= run.startedAt ? undefined : dueAt;
}

/** Whether a due is older than its policy lets it be served (H4). */
export const isTooOld = ({ policy }: TaskRecord, dueAt: number, now: number): boolean =>
  now - dueAt > (policyOf(policy).startWithinMs ?? Number.POSITIVE_INFINITY);

/** Why a task is pending at an instant, if it is (A1, I2, I3), and what its next run works on (F4). */
export function nextRun(
  task: Waiting,
  runId: string,
  timeZone: string,
  now: number,
): { readonly reason: Reason | undefined; readonly work: WorkRecord } {
  const { record, orphaned, requestedSince } = task;
  const { pendingRetryUntil, pausedAt, work } = record;
  const newest = newestDue(task, timeZone, now);
  const dueAt = newest === undefined || isTooOld(record, newest, now) ? undefined : newest;
  const isPaused = pausedAt !== null;
  const isRetry = pendingRetryUntil !== null && pendingRetryUntil <= now && !isPaused;
  const others = requestedSince !== undefined ? 'manual' : isRetry ? 'retry' : undefined;
  const reason = orphaned && !isPaused ? 'orphaned' : dueAt !== undefined ? 'due' : others;
  if (work !== null && dueAt === undefined) return { reason, work: { ...work, attempt: work.attempt + 1 } };
  const scheduledFor = dueAt === undefined ? now : dueAt - offsetOf(record);
  return { reason, work: { key: runId, scheduledFor, attempt: 1 } };
}

/** A task as the page shows it: its record, and what that means at the instant of a snapshot. */
import { type Outlook, outlookOf, type Timetable, timetableFor } from '../config.ts';
import type { Inspection, TaskRecord, TaskState } from '../index.ts';

export const STATES = [
  'running',
  'owed',
  'retry',
  'waiting',
  'paused',
  'cut off',
  'interrupted',
] as const satisfies readonly TaskState[];
export type State = (typeof STATES)[number];

export interface TaskEntry extends Timetable, Outlook {
  readonly record: TaskRecord;
  /** The name, for searching. */
  readonly lower: string;
  readonly timeZone: string;
}

/** What all entries of a snapshot have in common. */
export interface EntryContext {
  /** The scheduler's. */
  readonly timeZone: string;
  readonly owner: Inspection['owner'];
  readonly at: number;
}

/** The entry of a record; the former entry if it shows the same still. A record that is the same object has not changed. */
export function entryOf(
  record: TaskRecord,
  former: TaskEntry | undefined,
  { timeZone, owner, at }: EntryContext,
): TaskEntry {
  // A name and a policy make the text to search, and the timetable is looked up by a text too: both are dear for very many tasks.
  const task = former !== undefined && isSameTask(former, record, timeZone) ? former : undefined;
  const { policy, calendar } = task ?? timetableFor(record, timeZone);
  const outlook = outlookOf(record, { policy, calendar }, { owner, now: at });
  if (task !== undefined && isSame(task.record, record) && isSameOutlook(task, outlook)) return task;
  const lower = task?.lower ?? `${record.name}\n${policy.description ?? ''}`.toLowerCase();
  return { record, lower, policy, timeZone: policy.timeZone ?? timeZone, calendar, ...outlook };
}

const isSameTask = (former: TaskEntry, { cron, policy }: TaskRecord, timeZone: string): boolean =>
  former.record.cron === cron &&
  former.record.policy === policy &&
  former.timeZone === (former.policy.timeZone ?? timeZone);

/** Whether time has changed nothing. What follows from the record alone is compared there. */
const isSameOutlook = (a: Outlook, b: Outlook): boolean =>
  a.state === b.state &&
  a.owedSince === b.owedSince &&
  a.nextDueAt === b.nextDueAt &&
  a.changesAt === b.changesAt;

/** Whether two records of one task show the same. Only what changes as a task runs is compared. */
const isSame = (a: TaskRecord, b: TaskRecord): boolean =>
  a === b ||
  (a.servedThrough === b.servedThrough &&
    a.lastAttemptAt === b.lastAttemptAt &&
    a.lastSuccessAt === b.lastSuccessAt &&
    a.lastFailureAt === b.lastFailureAt &&
    a.pendingRetryUntil === b.pendingRetryUntil &&
    a.pausedAt === b.pausedAt &&
    a.failures === b.failures &&
    a.run?.runId === b.run?.runId &&
    a.run?.cutOffAt === b.run?.cutOffAt &&
    a.retryDelayMs === b.retryDelayMs);

/** Also of a task that runs: what runs goes on, and nothing follows it. */
export const isPaused = ({ record }: TaskEntry): boolean => record.pausedAt !== null;

/** When the latest run ended; `-Infinity` if there was none. */
export const lastEndOf = ({ record: { lastSuccessAt, lastFailureAt } }: TaskEntry): number =>
  Math.max(lastSuccessAt ?? Number.NEGATIVE_INFINITY, lastFailureAt ?? Number.NEGATIVE_INFINITY);

/**
 * A task as the page shows it, made of its record at the instant of a snapshot. Its state is as everywhere (core/task-state.ts), but owed only if something was due more than a second
 * ago and has not been started.
 */
import { stateOfTask, type Timetable, timetableFor } from '../config.ts';
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

/** A start is written before it is called, which takes some milliseconds: for so long nothing is late. */
const PROMPT_MS = 1000;

export interface TaskEntry extends Timetable {
  readonly record: TaskRecord;
  /** The name, for searching. */
  readonly lower: string;
  readonly timeZone: string;
  /** The first due instant that is not served; `Infinity` if there is none. */
  readonly nextDueAt: number;
  readonly state: State;
}

/** What all entries of a snapshot have in common. */
export interface EntryContext {
  readonly timeZone: string;
  readonly owner: Inspection['owner'];
  readonly at: number;
}

/** The entry of a record; parts of the former entry that still hold are taken over. A record that is the same object has not changed. */
export function entryOf(
  record: TaskRecord,
  former: TaskEntry | undefined,
  { timeZone, owner, at }: EntryContext,
): TaskEntry {
  if (former?.record === record) {
    // Only time has passed.
    const state = stateOf(record, owner, former.nextDueAt, at);
    return state === former.state ? former : { ...former, state };
  }
  const isSameTask =
    former !== undefined && former.record.cron === record.cron && former.record.policy === record.policy;
  const { policy, calendar } = isSameTask ? former : timetableFor(record, timeZone);
  const served = servedBy(record);
  const nextDueAt =
    isSameTask && servedBy(former.record) === served
      ? former.nextDueAt
      : (calendar?.next(served) ?? Number.POSITIVE_INFINITY);
  const state = stateOf(record, owner, nextDueAt, at);
  if (isSameTask && former.state === state && isSame(former.record, record)) return former;
  const lower = isSameTask ? former.lower : `${record.name}\n${policy.description ?? ''}`.toLowerCase();
  return { record, lower, policy, timeZone: policy.timeZone ?? timeZone, calendar, nextDueAt, state };
}

/** A start moves the cursor only when its end is written; what a run serves is not due again. */
const servedBy = ({ servedThrough, run }: TaskRecord): number =>
  run === null ? servedThrough : Math.max(servedThrough, run.startedAt);

const stateOf = (record: TaskRecord, owner: Inspection['owner'], nextDueAt: number, at: number): State =>
  stateOfTask(record, owner, nextDueAt < at - PROMPT_MS ? nextDueAt : null);

/** From which instant on a task is owed if nothing happens to it; `Infinity` if time alone does not change its state. */
export const owedFrom = ({ state, nextDueAt }: TaskEntry): number =>
  state === 'waiting' || state === 'retry' ? nextDueAt + PROMPT_MS : Number.POSITIVE_INFINITY;

/** Whether two records of one task show the same. Only what changes as a task runs is compared. */
const isSame = (a: TaskRecord, b: TaskRecord): boolean =>
  a.servedThrough === b.servedThrough &&
  a.lastAttemptAt === b.lastAttemptAt &&
  a.lastSuccessAt === b.lastSuccessAt &&
  a.lastFailureAt === b.lastFailureAt &&
  a.pendingRetryUntil === b.pendingRetryUntil &&
  a.pausedAt === b.pausedAt &&
  a.failures === b.failures &&
  a.run?.runId === b.run?.runId &&
  a.run?.cutOffAt === b.run?.cutOffAt &&
  a.retryDelayMs === b.retryDelayMs;

/** Also of a task that runs: what runs goes on, and nothing follows it. */
export const isPaused = ({ record }: TaskEntry): boolean => record.pausedAt !== null;

/** When a task starts next by itself; `Infinity` if it does not. */
export function nextStartOf(entry: TaskEntry): number {
  const { record, nextDueAt } = entry;
  if (isPaused(entry)) return Number.POSITIVE_INFINITY;
  return Math.min(nextDueAt, record.pendingRetryUntil ?? Number.POSITIVE_INFINITY);
}

/** When the latest run ended; `-Infinity` if there was none. */
export const lastEndOf = ({ record: { lastSuccessAt, lastFailureAt } }: TaskEntry): number =>
  Math.max(lastSuccessAt ?? Number.NEGATIVE_INFINITY, lastFailureAt ?? Number.NEGATIVE_INFINITY);

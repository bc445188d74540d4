/** The tasks of a configuration: when each starts next, and what the store knows of it, if there is a store. */

import { calendarFor } from '../../config.ts';
import type { Zone } from '../../cron/index.ts';
import { type Inspection, type TaskStatus, taskStatus } from '../../index.ts';
import { readZone } from '../args/values.ts';
import type { TaskFacts } from '../config/tasks.ts';
import { duesAfter } from '../schedule/calendars.ts';
import { whenText } from '../schedule/when.ts';

export interface Listed extends TaskFacts {
  readonly zone: Zone;
  /** "At 02:30 every day". */
  readonly when: string;
  /** The next starts, in order: a retry that waits, and due instants after now. What is owed or runs has none of its own here, a paused task none at all. */
  readonly starts: readonly number[];
  /** What the store knows; undefined for a task that it does not have. */
  readonly status: TaskStatus | undefined;
}

/** What is wanted: states at `now`, and `count` starts of each task after `from`. */
export interface Wanted {
  readonly zone: Zone;
  readonly now: number;
  readonly from: number;
  readonly count: number;
}

export interface Listing extends Wanted {
  readonly tasks: readonly Listed[];
  /** Tasks that the store has and the configuration has not. */
  readonly unlisted: readonly string[];
  /** Undefined if there is no store yet, or none that can be looked into. */
  readonly inspection: Inspection | undefined;
}

/** The tasks in the order of their next starts. */
export function listingOf(
  tasks: readonly TaskFacts[],
  inspection: Inspection | undefined,
  wanted: Wanted,
): Listing {
  const { zone, now, from } = wanted;
  const records = new Map(inspection?.records.map((record) => [record.name, record]));
  const listed = tasks.map((task): Listed => {
    const own = task.timeZone === undefined ? zone : readZone(task.timeZone);
    const record = records.get(task.name);
    // The configuration says what comes; the store, what was.
    const status =
      record === undefined
        ? undefined
        : taskStatus(
            { ...record, cron: task.cron, policy: JSON.stringify(task.policy) },
            { owner: inspection?.owner ?? 'unknown', timeZone: own.name, now },
          );
    return {
      ...task,
      zone: own,
      when: whenText(task, own.name),
      starts: isPaused(status) ? [] : startsOf(task, own, status, wanted),
      status,
    };
  });
  const names = new Set(tasks.map(({ name }) => name));
  return {
    ...wanted,
    tasks: listed.sort((a, b) => firstOf(a, from) - firstOf(b, from)),
    unlisted: [...records.keys()].filter((name) => !names.has(name)).sort(),
    inspection,
  };
}

/** Nothing but a request starts it, also after a run that goes on (I3). */
const isPaused = (status: TaskStatus | undefined): boolean =>
  status !== undefined && status.record.pausedAt !== null;

function startsOf(
  task: TaskFacts,
  zone: Zone,
  status: TaskStatus | undefined,
  { from, now, count }: Wanted,
): number[] {
  const starts = duesAfter(calendarFor(task, zone.name), from, count);
  const retry = status?.record.pendingRetryUntil ?? null;
  const retryAt = retry === null ? Number.NEGATIVE_INFINITY : Math.max(retry, now);
  return (retryAt < from ? starts : [retryAt, ...starts]).sort((a, b) => a - b).slice(0, count);
}

/** What runs, is owed or was cut off comes first. */
function firstOf({ status, starts }: Listed, from: number): number {
  const state = status?.state;
  if (state === 'running' || state === 'owed' || state === 'cut off' || state === 'interrupted')
    return from - 1;
  return starts[0] ?? Number.POSITIVE_INFINITY;
}

/**
 * Reads the record of a task at an instant: its state, since when a start is owed, when it starts next, when it started last. Every reader of a
 * store asks here (status, health, list, page, metrics, the dead man's switch), so all of them say the same at one instant.
 *
 * A start discharges every reason that has come (A3), but the record shows that only with the end of the run. So these reasons count:
 *
 *     due        the first due instant after the cursor and after the start of an unfinished run. `startWithin` forgets what is too old (H4). A run whose
 *                policy skips what comes due meanwhile will skip it (H9), so nothing is owed.
 *     retry      the deadline, unless there is an unfinished run: its start has discarded the deadline (A7)
 *     orphaned   from the instant at which the run was found cut off
 *
 * A paused task is owed nothing (I3). What has come less than `PROMPT_MS` ago is being started: a start is durable before it is called, which takes some
 * milliseconds. A due that comes while the task runs is owed as well, so a run that hangs shows by what waits for it.
 */
import { nextDue, type Timetable } from './calendars.ts';
import type { TaskRecord } from './record.ts';
import { isRunCutOff, type Owner, stateOfTask, type TaskState } from './task-state.ts';

const PROMPT_MS = 1000;
const NEVER = Number.POSITIVE_INFINITY;

/** By what a record is judged, besides its timetable. */
export interface Moment {
  /** Whether a scheduler lives. */
  readonly owner: Owner;
  readonly now: number;
}

/** The meaning of a record at an instant. `null` stands for an instant that there is not. */
export interface Outlook {
  readonly state: TaskState;
  /** Since when a start is owed. A task that runs may be owed the next one. */
  readonly owedSince: number | null;
  /** The first due instant that is not served; it lies in the past if it is owed or will be skipped. A paused task has none. */
  readonly nextDueAt: number | null;
  /** When it starts next by itself: the first of due and retry. If that lies in the past, at once, or after the run that goes on. */
  readonly nextStartAt: number | null;
  /** When it was started last; that run may go on, or have been cut off. */
  readonly lastStartAt: number | null;
  /** Since when it runs. */
  readonly runningSince: number | null;
  /** From when on time alone makes another outlook of the same record; `Infinity` if it never does. */
  readonly changesAt: number;
}

export function outlookOf(record: TaskRecord, timetable: Timetable, { owner, now }: Moment): Outlook {
  const { run, pausedAt, pendingRetryUntil, lastAttemptAt } = record;
  const isCutOff = isRunCutOff(record, owner);
  const runningSince = run === null || isCutOff ? null : run.startedAt;
  const { due, forgottenAt } = firstDueOf(record, timetable, now);
  const retry = run === null ? (pendingRetryUntil ?? NEVER) : NEVER;
  const orphaned = isCutOff ? (run?.cutOffAt ?? NEVER) : NEVER;
  const isSkipped = runningSince !== null && timetable.policy.whileRunning === 'skip';
  const first = pausedAt === null ? Math.min(isSkipped ? NEVER : due, retry, orphaned) : NEVER;
  const owedSince = first < now - PROMPT_MS ? first : null;
  return {
    state: stateOfTask(record, owner, owedSince),
    owedSince,
    nextDueAt: pausedAt === null ? finite(due) : null,
    nextStartAt: pausedAt === null ? finite(Math.min(due, retry)) : null,
    lastStartAt: run?.startedAt ?? lastAttemptAt,
    runningSince,
    changesAt: Math.min(forgottenAt, owedSince === null ? first + PROMPT_MS : NEVER),
  };
}

const finite = (instant: number): number | null => (instant === NEVER ? null : instant);

/** The first due instant that nothing has served, and from when on it is too old to be served. */
function firstDueOf(
  { servedThrough, run }: TaskRecord,
  timetable: Timetable,
  now: number,
): { readonly due: number; readonly forgottenAt: number } {
  const { startWithinMs = NEVER } = timetable.policy;
  const served = run === null ? servedThrough : Math.max(servedThrough, run.startedAt);
  const due = nextDue(timetable, Math.max(served, now - startWithinMs - 1));
  return { due, forgottenAt: due + startWithinMs };
}

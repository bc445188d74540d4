/**
 * What a stored record says of its task at an instant: its state, when it is due, since when it is late (core/outlook.ts), and how it last ended. The
 * specification knows three states (A12): `phase` leaves out what a clock or an operator adds. Due instants are those of the task's policy: its zone,
 * its days, its jitter, how old they may be (H3–H5).
 */
import { timetableFor } from '../core/calendars.ts';
import { outlookOf } from '../core/outlook.ts';
import type { TaskRecord } from '../core/record.ts';
import type { TaskState } from '../core/task-state.ts';
import type { Inspection } from '../store/inspect.ts';
import { hostNow, hostZoneName } from '../time/host.ts';

export type { TaskState };

/** The states of the specification (A12). */
export type TaskPhase = 'Running' | 'AwaitingRetry' | 'AwaitingRun';

/** A record, and what it means at an instant. */
export interface TaskStatus {
  readonly record: TaskRecord;
  readonly state: TaskState;
  /** The state by the names of the specification (A12): it has a run of a scheduler that lives, or a retry deadline, or neither. */
  readonly phase: TaskPhase;
  /** The first due instant that is not served, which lies in the past for an owed task; `null` if there is none, and for a paused task. */
  readonly nextDueAt: number | null;
  /** When it starts next by itself, by a due or a retry. What lies in the past starts at once, or after the run that goes on; `null` if it never does. */
  readonly nextStartAt: number | null;
  /**
   * Since when it should have started and has not: a due or a retry has come more than a second ago, or its run was found cut off. A task that runs is late if the
   * next due has passed as well. `null` if it need not start yet.
   */
  readonly lateSince: number | null;
  /** Since when it runs; `null` if it does not. `record.lastDurationMs` is how long the run before took. */
  readonly runningSince: number | null;
  /** When it was started last; that run may go on, or have been cut off. */
  readonly lastStartAt: number | null;
  /** How its latest run ended. */
  readonly lastOutcome: 'success' | 'failure' | null;
}

/** By what a record is read; an answer of `inspect` has all that is needed. */
export interface StatusOptions {
  /** Whether a scheduler owns the store, as `inspect` says. */
  readonly owner: Inspection['owner'];
  /** The zone of the scheduler, for tasks that have none of their own, as `inspect` says; the host's by default. */
  readonly timeZone?: string;
  /** In epoch milliseconds; the host's clock by default. */
  readonly now?: number;
}

/** What a record of `inspect` says of its task. An expression that cannot be read has no due instants. */
export function taskStatus(record: TaskRecord, options: StatusOptions): TaskStatus {
  const { owner, timeZone = hostZoneName(), now = hostNow() } = options;
  const timetable = timetableFor(record, timeZone);
  const { changesAt: _, owedSince: lateSince, ...outlook } = outlookOf(record, timetable, { owner, now });
  const phase = phaseOf(record, outlook.state);
  return { record, ...outlook, lateSince, phase, lastOutcome: outcomeOf(record) };
}

function phaseOf({ pendingRetryUntil }: TaskRecord, state: TaskState): TaskPhase {
  if (state === 'running') return 'Running';
  return pendingRetryUntil === null ? 'AwaitingRun' : 'AwaitingRetry';
}

function outcomeOf({ lastSuccessAt, lastFailureAt }: TaskRecord): TaskStatus['lastOutcome'] {
  if (lastSuccessAt === null && lastFailureAt === null) return null;
  return (lastSuccessAt ?? Number.NEGATIVE_INFINITY) >= (lastFailureAt ?? Number.NEGATIVE_INFINITY)
    ? 'success'
    : 'failure';
}

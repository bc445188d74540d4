/**
 * What a stored record says of its task at an instant: its state (core/task-state.ts), when it is due, since when it is late, how it last ended. The
 * specification knows three states (A12): `phase` leaves out what a clock or an operator adds. Due instants are those of the task's policy: its zone,
 * its days, its jitter, how old they may be (H3–H5).
 */
import { calendarFor } from '../core/calendars.ts';
import { policyOfText } from '../core/policy.ts';
import type { TaskRecord } from '../core/record.ts';
import { stateOfTask, type TaskState } from '../core/task-state.ts';
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
  /** Since when it should have started, by a due or a retry, and has not; `null` if it need not yet. */
  readonly lateSince: number | null;
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
  const nextDueAt = nextDueOf(record, timeZone, now);
  const owedSince = nextDueAt !== null && nextDueAt <= now ? nextDueAt : null;
  const state = stateOfTask(record, owner, owedSince);
  const lateSince = lateSinceOf(record, state, nextDueAt, now);
  return {
    record,
    state,
    phase: phaseOf(record, state),
    nextDueAt,
    lateSince,
    lastOutcome: outcomeOf(record),
  };
}

function phaseOf({ pendingRetryUntil }: TaskRecord, state: TaskState): TaskPhase {
  if (state === 'running') return 'Running';
  return pendingRetryUntil === null ? 'AwaitingRun' : 'AwaitingRetry';
}

function lateSinceOf(
  { pendingRetryUntil }: TaskRecord,
  state: TaskState,
  nextDueAt: number | null,
  now: number,
): number | null {
  if (state !== 'owed' && state !== 'retry') return null;
  const since = Math.min(
    nextDueAt ?? Number.POSITIVE_INFINITY,
    pendingRetryUntil ?? Number.POSITIVE_INFINITY,
  );
  return since <= now ? since : null;
}

/** A start moves the cursor only when its end is written; what a run serves is not due again. Dues that are too old are not served (H4). */
function nextDueOf(record: TaskRecord, timeZone: string, now: number): number | null {
  const { servedThrough, work, run, policy, pausedAt } = record;
  if (pausedAt !== null) return null;
  const served = run === null || work === null ? servedThrough : Math.max(servedThrough, run.startedAt);
  const oldest = now - policyOfText(policy).startWithinMs;
  const next = calendarFor(record, timeZone)?.next(Math.max(served, oldest - 1));
  return next === undefined || next === Number.POSITIVE_INFINITY ? null : next;
}

function outcomeOf({ lastSuccessAt, lastFailureAt }: TaskRecord): TaskStatus['lastOutcome'] {
  if (lastSuccessAt === null && lastFailureAt === null) return null;
  return (lastSuccessAt ?? Number.NEGATIVE_INFINITY) >= (lastFailureAt ?? Number.NEGATIVE_INFINITY)
    ? 'success'
    : 'failure';
}

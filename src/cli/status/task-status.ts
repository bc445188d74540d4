/**
 * What a stored record says of its task at an instant:
 *
 *     running   a run is unfinished, and a scheduler owns the store
 *     cut off   a run is unfinished, and no scheduler owns the store: it starts again with the next scheduler
 *     retry     it failed, and waits for its retry delay to pass
 *     owed      something was due after its cursor and has not been started: no scheduler runs, all workers are busy, or the store fails
 *     waiting   none of these
 */
import { InvalidCronExpressionError, parseCron, type Zone } from '../../cron/index.ts';
import type { Inspection, TaskRecord } from '../../index.ts';
import { dueAfter } from '../schedule/upcoming.ts';

export type State = 'running' | 'cut off' | 'retry' | 'owed' | 'waiting';

export interface TaskStatus {
  readonly record: TaskRecord;
  readonly state: State;
  /** The first due instant that is not served, which lies in the past for an owed task; null where there is none to tell. */
  readonly nextDueAt: number | null;
  readonly lastOutcome: 'success' | 'failure' | null;
}

export function statusOf(
  record: TaskRecord,
  owner: Inspection['owner'],
  zone: Zone,
  now: number,
): TaskStatus {
  const nextDueAt = nextDueOf(record, zone);
  return { record, state: stateOf(record, owner, nextDueAt, now), nextDueAt, lastOutcome: outcomeOf(record) };
}

function stateOf(
  { run, pendingRetryUntil }: TaskRecord,
  owner: Inspection['owner'],
  nextDueAt: number | null,
  now: number,
): State {
  if (run !== null) return owner === 'free' ? 'cut off' : 'running';
  if (nextDueAt !== null && nextDueAt <= now) return 'owed';
  return pendingRetryUntil === null ? 'waiting' : 'retry';
}

/** A start moves the cursor only when its end is written; what a run serves is not due again. */
function nextDueOf({ cron, servedThrough, work, run }: TaskRecord, zone: Zone): number | null {
  const served = run === null || work === null ? servedThrough : Math.max(servedThrough, run.startedAt);
  try {
    return dueAfter(parseCron(cron, { timeZone: zone.name }), served) ?? null;
  } catch (error) {
    // The expression comes from the registration at the next start; a damaged one is no reason to show nothing.
    if (error instanceof InvalidCronExpressionError) return null;
    throw error;
  }
}

function outcomeOf({ lastSuccessAt, lastFailureAt }: TaskRecord): TaskStatus['lastOutcome'] {
  if (lastSuccessAt === null && lastFailureAt === null) return null;
  return (lastSuccessAt ?? Number.NEGATIVE_INFINITY) >= (lastFailureAt ?? Number.NEGATIVE_INFINITY)
    ? 'success'
    : 'failure';
}

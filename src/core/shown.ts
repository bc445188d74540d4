/**
 * Whether a record already shows a change (E9). A store asks this when a change comes again, and the scheduler asks it when the
 * answer to a change was lost.
 *
 * A start is known by the id of its run. A move is known by what it says, in a record that was written since. A record keeps no run that
 * has ended or was taken back, unless a stop has interrupted it (A13), so these are known by what they leave behind, as far as a later start of the same task leaves it alone. Another
 * run leaves the same behind only if it was called and ended in the same two milliseconds; that takes two writers, and a store that admits
 * them keeps the ids of ended runs.
 */
import type { ConfigureChange, EndChange, MoveChange, StartChange, UnstartChange } from './changes.ts';
import { isInterrupted } from './interrupted-run.ts';
import type { TaskRecord } from './record.ts';

export const showsStart = ({ run }: TaskRecord, start: StartChange): boolean =>
  run?.runId === start.run.runId;

export function showsEnd(record: TaskRecord, { runId, calledAt, endedAt, outcome }: EndChange): boolean {
  const isCurrent = record.run?.runId === runId;
  if (outcome === 'interrupted')
    return isCurrent && isInterrupted(record) && record.run?.cutOffAt === endedAt;
  const endsAt = outcome === 'success' ? record.lastSuccessAt : record.lastFailureAt;
  return !isCurrent && record.lastAttemptAt === calledAt && endsAt === endedAt;
}

export const showsUnstart = (record: TaskRecord, { work, run }: UnstartChange): boolean =>
  record.run?.runId === run?.runId &&
  record.work?.key === work?.key &&
  record.work?.attempt === work?.attempt;

export const showsMove = (record: TaskRecord, move: MoveChange): boolean =>
  record.version > move.version &&
  record.servedThrough === move.servedThrough &&
  record.pendingRetryUntil === move.pendingRetryUntil;

export const showsConfigure = (
  record: TaskRecord,
  { cron, retryDelayMs, policy }: ConfigureChange,
): boolean => record.cron === cron && record.retryDelayMs === retryDelayMs && record.policy === policy;

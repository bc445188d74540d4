/** Records and moves as text: to compare two of them, and to show them. */
import type { TaskRecord } from '../../core/record.ts';
import type { MoveChange } from '../../store/port.ts';

/** A record as text. */
export function recordText(record: TaskRecord): string {
  const { name, cron, retryDelayMs, policy, pausedAt, firstSeenAt, servedThrough, work, run } = record;
  const { lastAttemptAt, lastSuccessAt, lastFailureAt, pendingRetryUntil } = record;
  const { failures, failingSince, lastDurationMs } = record;
  return (
    `${name} "${cron}" ${retryDelayMs} ${policy} paused ${pausedAt} first ${firstSeenAt} cursor ${servedThrough} attempt ${lastAttemptAt} ` +
    `success ${lastSuccessAt} failure ${lastFailureAt} retry ${pendingRetryUntil} ` +
    `work ${work?.key} ${work?.scheduledFor} ${work?.attempt} run ${run?.runId} ${run?.startedAt} ${run?.reason} ${run?.cutOffAt} ` +
    `failures ${failures} since ${failingSince} took ${lastDurationMs}`
  );
}

/** Records as one text, whatever their order. */
export const recordsText = (records: Iterable<TaskRecord>): string =>
  Array.from(records, recordText).sort().join('\n');

/** The same, with the version of each. */
export const versionsText = (records: Iterable<TaskRecord>): string =>
  Array.from(records, (record) => `${recordText(record)} version ${record.version}`)
    .sort()
    .join('\n');

/** The move that leaves a record with this cursor and this deadline. */
export const moveOf = ({ name, version, servedThrough, pendingRetryUntil }: TaskRecord): MoveChange => ({
  name,
  version,
  servedThrough,
  pendingRetryUntil,
});

/** By which version it was decided is for the store to judge. */
export const moveText = ({ name, servedThrough, pendingRetryUntil }: MoveChange): string =>
  `move ${name} to ${servedThrough}, retry ${pendingRetryUntil}`;

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

/** The move that leaves a record with this cursor and this deadline. */
export const moveOf = ({
  name,
  run,
  lastAttemptAt,
  servedThrough,
  pendingRetryUntil,
}: TaskRecord): MoveChange => ({
  name,
  runId: run?.runId ?? null,
  lastAttemptAt,
  servedThrough,
  pendingRetryUntil,
});

export const moveText = (move: MoveChange): string =>
  `move ${move.name} (run ${move.runId}, attempt ${move.lastAttemptAt}) to ${move.servedThrough}, ` +
  `retry ${move.pendingRetryUntil}`;

/** What a failed stop leaves behind for the next initialization of the same scheduler (D7). */
import type { TaskRecord } from '../../core/record.ts';
import { recordText } from './texts.ts';

/**
 * What a life knew whose stop failed, as far as it counts: where the store still shows an unfinished run of that same life, or a record
 * that differs in nothing but what a move changes.
 */
export function countingOf(
  carried: ReadonlyMap<string, TaskRecord>,
  stored: ReadonlyMap<string, TaskRecord>,
  instance: string,
): ReadonlyMap<string, TaskRecord> {
  const counts = ([name, record]: [string, TaskRecord]): boolean => {
    const found = stored.get(name);
    if (found === undefined) return false;
    const { servedThrough, pendingRetryUntil } = found;
    const moved = { ...record, servedThrough, pendingRetryUntil, pausedAt: found.pausedAt };
    const isMoved = recordText(moved) === recordText(found);
    return found.run?.instanceId === instance || isMoved;
  };
  const counting = [...carried].filter(counts);
  return new Map(counting.map(([name, record]) => [name, endedOn(stored.get(name) ?? record, record)]));
}

/**
 * The record that its last end leaves on top of what is stored. What that end does not write stands as it is: if a rival has written it,
 * the life that was overtaken knew another value.
 */
function endedOn(stored: TaskRecord, record: TaskRecord): TaskRecord {
  // Two runs may be called at the same instant, if the first fails at once.
  const isOver = stored.run !== null && record.run === null;
  const hasEnded = isOver || record.lastAttemptAt !== stored.lastAttemptAt;
  const hasFailed = hasEnded && record.failures > 0;
  return {
    ...record,
    // What an operator asked for is asked again.
    pausedAt: stored.pausedAt,
    lastSuccessAt: hasEnded && !hasFailed ? record.lastSuccessAt : stored.lastSuccessAt,
    lastFailureAt: hasFailed ? record.lastFailureAt : stored.lastFailureAt,
  };
}

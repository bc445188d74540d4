/** What a failed stop leaves behind for the next initialization of the same scheduler (D7). */
import type { TaskRecord } from '../../core/record.ts';
import { recordText } from './rules.ts';

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
    const isMoved = recordText({ ...record, servedThrough, pendingRetryUntil }) === recordText(found);
    return found.run?.instanceId === instance || isMoved;
  };
  return new Map([...carried].filter(counts));
}

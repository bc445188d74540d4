/**
 * Did all of a batch take effect? After an unknown outcome the records of its tasks are read, and each change is looked for in its
 * own record (E9). If all of them show, the batch is durable as it is, and nothing is repeated. If one does not, either nothing of
 * the batch is durable or that change was refused, and only the store can tell: the batch is sent again, which is safe because the
 * store grants again what shows already. So a start whose refusal was lost on the way is never taken for granted.
 */
import type { TaskRecord } from '../core/record.ts';
import { showsEnd, showsMove, showsStart, showsUnstart } from '../core/shown.ts';
import { readRecord } from '../core/stored.ts';
import type { Batch } from '../store/port.ts';

/** The tasks of a batch that a running scheduler writes. */
export function namesOf({ starts = [], ends = [], unstarts = [], moves = [] }: Batch): readonly string[] {
  const names = new Set<string>();
  for (const changes of [starts, ends, unstarts, moves]) for (const { name } of changes) names.add(name);
  return [...names];
}

export function isApplied(
  { starts = [], ends = [], unstarts = [], moves = [], ...others }: Batch,
  stored: readonly unknown[],
): boolean {
  // The other parts are rare, and writing them again does no harm.
  if (Object.values(others).some(({ length }) => length > 0)) return false;
  const records = new Map<string, TaskRecord>();
  try {
    for (const value of stored) {
      const record = readRecord(value);
      records.set(record.name, record);
    }
  } catch {
    return false; // a damaged record shows nothing
  }
  const isShown = <Change extends { readonly name: string }>(
    changes: Iterable<Change>,
    shows: (record: TaskRecord, change: Change) => boolean,
  ): boolean => {
    for (const change of changes) {
      const record = records.get(change.name);
      if (record === undefined || !shows(record, change)) return false;
    }
    return true;
  };
  return (
    isShown(starts, showsStart) &&
    isShown(ends, showsEnd) &&
    isShown(unstarts, showsUnstart) &&
    isShown(moves, showsMove)
  );
}

/**
 * Did all of a batch take effect? After an unknown outcome the records of its tasks are read, and each change is looked for in its
 * own record (E9). If all of them show, the batch is durable as it is, and nothing is repeated. If one does not, either nothing of
 * the batch is durable or that change was refused, and only the store can tell: the batch is sent again, which is safe because the
 * store grants again what shows already. So a start whose refusal was lost on the way is never taken for granted.
 */
import type { TaskRecord } from '../core/record.ts';
import { showsConfigure, showsEnd, showsMove, showsStart, showsUnstart } from '../core/shown.ts';
import { readRecord } from '../core/stored.ts';
import type { Batch, CommitResult, ConfigureChange } from '../store/port.ts';

/** The tasks of a batch. */
export function namesOf(batch: Batch): readonly string[] {
  const {
    starts = [],
    ends = [],
    unstarts = [],
    moves = [],
    puts = [],
    configures = [],
    removes = [],
  } = batch;
  const names = new Set<string>(removes);
  for (const changes of [starts, ends, unstarts, moves, puts, configures])
    for (const { name } of changes) names.add(name);
  return [...names];
}

/** The records by name; `undefined` if one is damaged, which shows nothing. */
function recordsOf(stored: readonly unknown[]): ReadonlyMap<string, TaskRecord> | undefined {
  try {
    return new Map(stored.map(readRecord).map((record) => [record.name, record]));
  } catch {
    return undefined;
  }
}

export function isApplied(
  { starts = [], ends = [], unstarts = [], moves = [], ...others }: Batch,
  stored: readonly unknown[],
): boolean {
  // The other parts are rare, and writing them again does no harm.
  if (Object.values(others).some(({ length }) => length > 0)) return false;
  const records = recordsOf(stored);
  const isShown = <Change extends { readonly name: string }>(
    changes: Iterable<Change>,
    shows: (record: TaskRecord, change: Change) => boolean,
  ): boolean => {
    for (const change of changes) {
      const record = records?.get(change.name);
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

/** The store's answer to a plan, or the same as its records show it. */
export interface PlanResult extends CommitResult {
  /** The versions of the names that have come, if the records were read. */
  readonly versions?: ReadonlyMap<string, number>;
}

/**
 * Returns the store's answer to a plan, as far as its records show it; `undefined` if they do not have the plan. All of a plan differs from what was
 * there before, and all of it was written at once. So one record that shows its part proves the plan. A configuration that does not show was refused.
 */
export function planResultOf(
  { puts = [], configures = [], removes = [], moves = [] }: Batch,
  stored: readonly unknown[],
): PlanResult | undefined {
  const records = recordsOf(stored);
  if (records === undefined) return undefined;
  const shows = <Change extends { readonly name: string }>(
    change: Change,
    isIn: (record: TaskRecord, change: Change) => boolean,
  ): boolean => {
    const record = records.get(change.name);
    return record !== undefined && isIn(record, change);
  };
  const isConfigured = (change: ConfigureChange): boolean => shows(change, showsConfigure);
  const written = Array.from(puts).filter((put) => shows(put, showsPut));
  const isStored =
    written.length > 0 ||
    configures.some(isConfigured) ||
    Array.from(moves).some((move) => shows(move, showsMove)) ||
    (puts.length + configures.length === 0 &&
      removes.length > 0 &&
      removes.every((name) => !records.has(name)));
  if (!isStored) return undefined;
  const refused = configures.flatMap((change) => {
    const record = records.get(change.name);
    return record === undefined || isConfigured(change)
      ? []
      : [{ change: 'configure', name: change.name, record } as const];
  });
  return {
    refused,
    versions: new Map(written.map(({ name }) => [name, records.get(name)?.version ?? Number.NaN])),
  };
}

/** A name came at that instant, and no other record of it did: one that is written over has another configuration (H10). */
const showsPut = (record: TaskRecord, put: TaskRecord): boolean =>
  record.firstSeenAt === put.firstSeenAt && showsConfigure(record, put);

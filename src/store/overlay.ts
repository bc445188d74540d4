/**
 * What a batch makes of the records it touches, as a pure function: the meaning of every change, in one place. The memory store
 * runs on it, and the conformance suite holds every other store against it.
 */
import type { EndChange } from '../core/changes.ts';
import type { RunRecord, TaskRecord, WorkRecord } from '../core/record.ts';
import { StoreRecordMissingError } from './errors.ts';
import type { Batch } from './port.ts';

/** The records that change, by name; `undefined` for one that goes. Throws, with nothing changed, if one is missing. */
export type Overlay = Map<string, TaskRecord | undefined>;

export function overlayOf(records: ReadonlyMap<string, TaskRecord>, batch: Batch, path: string): Overlay {
  const overlay: Overlay = new Map();
  const change = <T extends { readonly name: string }>(
    what: string,
    changes: readonly T[] | undefined,
    apply: (record: TaskRecord, change: T) => TaskRecord,
  ): void => {
    for (const item of changes ?? []) {
      const record = overlay.has(item.name) ? overlay.get(item.name) : records.get(item.name);
      if (record === undefined)
        throw new StoreRecordMissingError({ path, taskName: item.name, change: what });
      overlay.set(item.name, frozen(apply(record, item)));
    }
  };
  for (const name of batch.removes ?? []) overlay.set(name, undefined);
  for (const record of batch.puts ?? []) overlay.set(record.name, frozen(record));
  change('configure', batch.configures, (record, { cron, retryDelayMs }) => ({
    ...record,
    cron,
    retryDelayMs,
  }));
  change('end', batch.ends, ended);
  change('move', batch.moves, (record, { servedThrough, pendingRetryUntil }) => ({
    ...record,
    servedThrough,
    pendingRetryUntil,
  }));
  change('unstart', batch.unstarts, (record, { work, run }) => ({ ...record, work, run }));
  change('start', batch.starts, (record, { work, run }) => ({ ...record, work, run }));
  return overlay;
}

/** A3 and A6: the instant of the call is cursor and last attempt; a success is never erased by later failures. */
function ended(record: TaskRecord, end: EndChange): TaskRecord {
  return {
    ...record,
    servedThrough: end.calledAt,
    lastAttemptAt: end.calledAt,
    lastSuccessAt: end.outcome === 'success' ? end.endedAt : record.lastSuccessAt,
    lastFailureAt: end.outcome === 'failure' ? end.endedAt : record.lastFailureAt,
    pendingRetryUntil: end.pendingRetryUntil,
    work: end.work,
    run: null,
  };
}

/** A copy of exactly the fields of a record, deep-frozen, so that nobody shares state. */
function frozen(record: TaskRecord): TaskRecord {
  return Object.freeze({
    name: record.name,
    cron: record.cron,
    retryDelayMs: record.retryDelayMs,
    firstSeenAt: record.firstSeenAt,
    servedThrough: record.servedThrough,
    lastAttemptAt: record.lastAttemptAt,
    lastSuccessAt: record.lastSuccessAt,
    lastFailureAt: record.lastFailureAt,
    pendingRetryUntil: record.pendingRetryUntil,
    work: record.work && frozenWork(record.work),
    run: record.run && frozenRun(record.run),
  });
}

const frozenWork = ({ key, scheduledFor, attempt }: WorkRecord): WorkRecord =>
  Object.freeze({ key, scheduledFor, attempt });

const frozenRun = ({ runId, instanceId, startedAt }: RunRecord): RunRecord =>
  Object.freeze({ runId, instanceId, startedAt });

/**
 * What a batch makes of the records it touches, as a pure function: the meaning of every change, in one place. The memory store
 * runs on it, and the conformance suite holds every other store against it.
 */
import type { CutOffChange, EndChange, Many, MoveChange, UnstartChange } from '../core/changes.ts';
import type { PastRun } from '../core/history.ts';
import type { LastError, RunRecord, TaskRecord, WorkRecord } from '../core/record.ts';
import { showsEnd, showsMove, showsUnstart } from '../core/shown.ts';
import { StoreRecordMissingError } from './errors.ts';
import type { Batch, Refusal } from './port.ts';

/** The records that change, by name; `undefined` for one that goes. */
export type Overlay = Map<string, TaskRecord | undefined>;

/** The record after a change; `undefined` if the change is refused. */
type Apply<Change> = (record: TaskRecord, change: Change) => TaskRecord | undefined;

/** Throws, with nothing changed, if a record is missing. */
export function overlayOf(
  records: ReadonlyMap<string, TaskRecord>,
  batch: Batch,
  path: string,
): { readonly overlay: Overlay; readonly refused: readonly Refusal[]; readonly past: readonly PastRun[] } {
  const overlay: Overlay = new Map();
  const past: PastRun[] = [];
  const refused: Refusal[] = [];
  const names = new Set<string>();
  const change = <Change extends { readonly name: string }>(
    what: Refusal['change'] | 'cutOff' | 'configure',
    changes: Many<Change> | undefined,
    apply: Apply<Change>,
  ): void => {
    for (const item of changes ?? []) {
      const { name } = item;
      const record = overlay.has(name) ? overlay.get(name) : records.get(name);
      if (record === undefined) throw new StoreRecordMissingError({ path, taskName: name, change: what });
      const after = names.has(name) ? undefined : apply(record, item);
      if (after !== undefined) {
        overlay.set(name, frozen(after));
      } else if (what !== 'configure' && what !== 'cutOff') {
        refused.push({ change: what, name });
        names.add(name);
      }
    }
  };
  change('cutOff', batch.cutOffs, (record, cutOff) => cutOffBy(record, cutOff, past));
  for (const name of batch.removes ?? []) overlay.set(name, undefined);
  for (const record of batch.puts ?? []) overlay.set(record.name, frozen(record));
  change('configure', batch.configures, (record, { name: _, ...config }) => ({ ...record, ...config }));
  change('end', batch.ends, (record, end) => ended(record, end, past));
  change('unstart', batch.unstarts, unstarted);
  change('move', batch.moves, moved);
  change('start', batch.starts, (record, { work, run }) => ({ ...record, work, run }));
  return { overlay, refused, past };
}

/** J1: an unfinished run of a dead instance is in the history from then on, once. */
function cutOffBy(record: TaskRecord, { runId, at }: CutOffChange, past: PastRun[]): TaskRecord {
  const { name: task, run, work } = record;
  if (run?.runId !== runId || work === null || run.cutOffAt !== null) return record;
  const { instanceId, reason, startedAt: calledAt } = run;
  past.push({
    task,
    runId,
    instanceId,
    reason,
    ...work,
    calledAt,
    endedAt: at,
    outcome: 'cut off',
    error: null,
  });
  return { ...record, run: { ...run, cutOffAt: at } };
}

/** A3 and A6: the instant of the call is cursor and last attempt; a success is never erased by later failures. */
function ended(record: TaskRecord, end: EndChange, past: PastRun[]): TaskRecord | undefined {
  if (record.run?.runId !== end.runId) return showsEnd(record, end) ? record : undefined;
  const { runId, instanceId, reason, work, calledAt, endedAt, outcome, error } = end;
  past.push({ task: record.name, runId, instanceId, reason, ...work, calledAt, endedAt, outcome, error });
  return {
    ...record,
    servedThrough: calledAt,
    lastAttemptAt: calledAt,
    lastSuccessAt: outcome === 'success' ? endedAt : record.lastSuccessAt,
    lastFailureAt: outcome === 'failure' ? endedAt : record.lastFailureAt,
    pendingRetryUntil: end.pendingRetryUntil,
    failures: end.failures,
    failingSince: end.failingSince,
    lastError: error ?? record.lastError,
    lastDurationMs: Math.max(endedAt - calledAt, 0),
    work: end.pendingRetryUntil === null ? null : work,
    run: null,
  };
}

function unstarted(record: TaskRecord, unstart: UnstartChange): TaskRecord | undefined {
  if (record.run?.runId !== unstart.runId) return showsUnstart(record, unstart) ? record : undefined;
  return { ...record, work: unstart.work, run: unstart.run };
}

function moved(record: TaskRecord, move: MoveChange): TaskRecord | undefined {
  const isAsSeen = (record.run?.runId ?? null) === move.runId && record.lastAttemptAt === move.lastAttemptAt;
  if (!isAsSeen) return showsMove(record, move) ? record : undefined;
  return { ...record, servedThrough: move.servedThrough, pendingRetryUntil: move.pendingRetryUntil };
}

/** A copy of exactly the fields of a record, deep-frozen, so that no state is shared. */
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
    failures: record.failures,
    failingSince: record.failingSince,
    lastError: record.lastError && frozenError(record.lastError),
    lastDurationMs: record.lastDurationMs,
    work: record.work && frozenWork(record.work),
    run: record.run && frozenRun(record.run),
  });
}

const frozenWork = ({ key, scheduledFor, attempt }: WorkRecord): WorkRecord =>
  Object.freeze({ key, scheduledFor, attempt });

const frozenRun = ({ runId, instanceId, startedAt, reason, cutOffAt }: RunRecord): RunRecord =>
  Object.freeze({ runId, instanceId, startedAt, reason, cutOffAt });

const frozenError = ({ name, message }: LastError): LastError => Object.freeze({ name, message });

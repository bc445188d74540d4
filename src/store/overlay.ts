/**
 * What a batch makes of the records it touches, as a pure function: the meaning of every change, in one place. The memory store
 * runs on it, and the conformance suite holds every other store against it.
 */
import type {
  CutOffChange,
  EndChange,
  Many,
  MoveChange,
  PauseChange,
  StartChange,
  UnstartChange,
} from '../core/changes.ts';
import type { PastRun } from '../core/history.ts';
import type { LastError, RunRecord, TaskRecord, WorkRecord } from '../core/record.ts';
import { showsEnd, showsMove, showsUnstart } from '../core/shown.ts';
import { StoreRecordMissingError } from './errors.ts';
import type { Batch, Refusal } from './port.ts';

/** The records that change, by name; `undefined` for one that goes. */
export type Overlay = Map<string, TaskRecord | undefined>;

/** The record after a change; `undefined` if the change is refused. */
type Apply<Change> = (record: TaskRecord, change: Change) => TaskRecord | undefined;

/** What a store grants. What a change then makes of its record is the same for all. */
export interface Grants {
  /** The record that stays though it is to be removed; `undefined` if it goes. */
  remove(record: TaskRecord): TaskRecord | undefined;
  /** The record that is written over one that is there. */
  put(record: TaskRecord, put: TaskRecord): TaskRecord;
  end(record: TaskRecord, change: EndChange): boolean;
  unstart(record: TaskRecord, change: UnstartChange): boolean;
  start(record: TaskRecord, change: StartChange): boolean;
  move(record: TaskRecord, change: MoveChange): boolean;
}

/** A store with one owner grants everything but changes of a run that is not current. */
const TO_OWNER: Grants = {
  remove: () => undefined,
  put: (_, put) => put,
  end: () => true,
  unstart: () => true,
  start: () => true,
  move: () => true,
};

/** What changes make of records, one change after the other. */
interface Changing {
  readonly overlay: Overlay;
  readonly refused: readonly Refusal[];
  /** The record as the changes so far have left it. */
  current(name: string): TaskRecord | undefined;
  /** A refused change takes the later ones of its task with it, but for those that are never refused. */
  change<Change extends { readonly name: string }>(
    what: Refusal['change'] | 'cutOff' | 'configure',
    changes: Many<Change> | undefined,
    apply: Apply<Change>,
  ): void;
}

function changing(
  records: ReadonlyMap<string, TaskRecord>,
  path: string,
  kept: (record: TaskRecord) => TaskRecord,
): Changing {
  const [overlay, refused]: [Overlay, Refusal[]] = [new Map(), []];
  const names = new Set<string>();
  const current = (name: string): TaskRecord | undefined =>
    overlay.has(name) ? overlay.get(name) : records.get(name);
  const refuse = (refusal: Refusal, record: TaskRecord | undefined): void => {
    refused.push(record ? refusal : { ...refusal, missing: true });
    if (record) names.add(refusal.name);
  };
  const change: Changing['change'] = (what, changes, apply) => {
    for (const item of changes ?? []) {
      const { name } = item;
      const record = current(name);
      const isOfPlan = what === 'configure' || what === 'cutOff';
      const after = record && (isOfPlan || !names.has(name)) ? apply(record, item) : undefined;
      if (after !== undefined) overlay.set(name, kept(after));
      else if (isOfPlan) throw new StoreRecordMissingError({ path, taskName: name, change: what });
      else refuse({ change: what, name }, record);
    }
  };
  return { overlay, refused, current, change };
}

/** What a batch, or a part of one, has made of the records. */
export interface Changed {
  readonly overlay: Overlay;
  readonly refused: readonly Refusal[];
  readonly past: readonly PastRun[];
}

/** Throws, with nothing changed, if a record is missing that is to be configured or was cut off: a plan was made for it. */
export function overlayOf(
  records: ReadonlyMap<string, TaskRecord>,
  batch: Batch,
  path: string,
  grants: Grants = TO_OWNER,
): Changed {
  const past: PastRun[] = [];
  const { overlay, refused, current, change } = changing(records, path, frozen);
  const apply = appliers(grants, past);
  change('cutOff', batch.cutOffs, (record, cutOff) => cutOffBy(record, cutOff, past));
  change('end', batch.ends, apply.end);
  change('unstart', batch.unstarts, apply.unstart);
  rewrite(overlay, current, batch, grants);
  change('configure', batch.configures, (record, { name: _, ...config }) => ({ ...record, ...config }));
  for (const pause of batch.pauses ?? []) paused(overlay, current(pause.name), pause);
  change('move', batch.moves, apply.move);
  change('start', batch.starts, apply.start);
  return { overlay, refused, past };
}

/** The same of what happens to runs alone, for the owner. The records are not frozen. */
export function runOverlayOf(
  records: ReadonlyMap<string, TaskRecord>,
  { cutOffs, ends, unstarts, moves }: Pick<Batch, 'cutOffs' | 'ends' | 'unstarts' | 'moves'>,
  path: string,
): Changed {
  const past: PastRun[] = [];
  const { overlay, refused, change } = changing(records, path, (record) => record);
  change('cutOff', cutOffs, (record, cutOff) => cutOffBy(record, cutOff, past));
  change('end', ends, (record, end) => ended(record, end, past));
  change('unstart', unstarts, unstarted);
  change('move', moves, moved);
  return { overlay, refused, past };
}

/** What changes of runs make of their records, as far as they are granted. */
function appliers(grants: Grants, past: PastRun[]) {
  const granted =
    <Change>(isGranted: (record: TaskRecord, change: Change) => boolean, apply: Apply<Change>) =>
    (record: TaskRecord, change: Change): TaskRecord | undefined =>
      isGranted(record, change) ? apply(record, change) : undefined;
  return {
    end: granted(grants.end, (record, end) => ended(record, end, past)),
    unstart: granted(grants.unstart, unstarted),
    move: granted(grants.move, moved),
    start: granted(grants.start, (record, { work, run }) => ({ ...record, work, run })),
  };
}

/** Whole records go and come. */
function rewrite(
  overlay: Overlay,
  current: (name: string) => TaskRecord | undefined,
  { removes = [], puts = [] }: Batch,
  grants: Grants,
): void {
  for (const name of removes) {
    const record = current(name);
    overlay.set(name, record && grants.remove(record));
  }
  for (const put of puts) {
    const record = current(put.name);
    overlay.set(put.name, frozen(record === undefined ? put : grants.put(record, put)));
  }
}

/** A name that is not there cannot be paused. */
function paused(overlay: Overlay, record: TaskRecord | undefined, { pausedAt }: PauseChange): void {
  if (record !== undefined) overlay.set(record.name, frozen({ ...record, pausedAt }));
}

/** J1: an unfinished run of a dead instance is in the history from then on, once. */
export function cutOffBy(record: TaskRecord, { runId, at }: CutOffChange, past: PastRun[]): TaskRecord {
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

/** A3 and A6: the instant of the call is the last attempt, and the cursor unless the end says otherwise; a success is never erased by later failures. */
function ended(record: TaskRecord, end: EndChange, past: PastRun[]): TaskRecord | undefined {
  if (record.run?.runId !== end.runId) return showsEnd(record, end) ? record : undefined;
  const { runId, instanceId, reason, work, calledAt, endedAt, outcome, error } = end;
  past.push({ task: record.name, runId, instanceId, reason, ...work, calledAt, endedAt, outcome, error });
  return {
    ...record,
    servedThrough: end.servedThrough ?? calledAt,
    lastAttemptAt: calledAt,
    lastSuccessAt: outcome === 'success' ? endedAt : record.lastSuccessAt,
    lastFailureAt: outcome !== 'success' ? endedAt : record.lastFailureAt,
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
    policy: record.policy,
    pausedAt: record.pausedAt,
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

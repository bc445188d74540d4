/**
 * What a batch makes of the records it touches, as a pure function: the meaning of every change, in one place. The memory store
 * runs on it, and the conformance suite holds every other store against it.
 *
 * Each change that is made of a record raises its version by one (K2), in the order of the parts. So whoever sends a batch knows each version after
 * it without asking. Why not once per batch: a store that makes its changes in several statements would have to know which is the last one of a
 * record. A change that was made before, or that leaves the record as it is, raises nothing: then the same batch again counts nothing twice.
 *
 * A name that comes begins above the highest version that any forgotten record had. So no name has the same version twice, for one number per store.
 */
import type {
  ConfigureChange,
  CutOffChange,
  EndChange,
  Many,
  MoveChange,
  PauseChange,
  StartChange,
  UnstartChange,
} from '../core/changes.ts';
import type { PastRun } from '../core/history.ts';
import { isInterrupted, leftByStop } from '../core/interrupted-run.ts';
import type { LastError, RunRecord, TaskRecord, WorkRecord } from '../core/record.ts';
import { showsConfigure, showsEnd, showsMove, showsStart, showsUnstart } from '../core/shown.ts';
import { StoreRecordMissingError } from './errors.ts';
import type { Batch, Refusal } from './port.ts';

/** The records that change, by name; `undefined` for one that goes. */
export type Overlay = Map<string, TaskRecord | undefined>;

/** What a store has. */
export interface Stored {
  readonly records: ReadonlyMap<string, TaskRecord>;
  /** The highest version that a record had when it was forgotten; 0 if none was. */
  readonly forgotten: number;
}

/** The record after a change, the same object if nothing is to be written; `undefined` if the change is refused. */
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
  /** Whether a start is granted already. */
  startAgain(record: TaskRecord, change: StartChange): boolean;
  configure(record: TaskRecord, change: ConfigureChange): boolean;
}

/** A store with one owner grants everything but changes of a run that is not current, or of a version that the record has not. */
const TO_OWNER: Grants = {
  remove: () => undefined,
  put: (_, put) => put,
  end: () => true,
  unstart: () => true,
  start: hasVersion,
  startAgain: (record, start) => showsStart(record, start) && record.run?.cutOffAt === null,
  configure: hasVersion,
};

/** K2: whether a record is the one that a change was decided by. */
export function hasVersion(record: TaskRecord, change: { readonly version: number }): boolean {
  return record.version === change.version;
}

/** What changes make of records, one change after the other. */
interface Changing {
  readonly overlay: Overlay;
  readonly refused: readonly Refusal[];
  /** The record as the changes so far have left it. */
  current(name: string): TaskRecord | undefined;
  /** The runs of dead instances. */
  cutOff(changes: readonly CutOffChange[] | undefined, past: PastRun[]): void;
  /** A refused change takes the later ones of its task with it, but for a configuration. */
  change<Change extends { readonly name: string }>(
    what: Refusal['change'],
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
  const mustBeThere = (name: string, change: 'configure' | 'cutOff'): TaskRecord => {
    const record = current(name);
    if (record === undefined) throw new StoreRecordMissingError({ path, taskName: name, change });
    return record;
  };
  const write = (record: TaskRecord, after: TaskRecord): void => {
    if (after !== record) overlay.set(record.name, kept(written(record, after)));
  };
  const cutOff: Changing['cutOff'] = (changes, past) => {
    for (const item of changes ?? []) {
      const record = mustBeThere(item.name, 'cutOff');
      write(record, cutOffBy(record, item, past));
    }
  };
  const change: Changing['change'] = (what, changes, apply) => {
    for (const item of changes ?? []) {
      const { name } = item;
      const isOfPlan = what === 'configure';
      const record = isOfPlan ? mustBeThere(name, what) : current(name);
      const after = record && (isOfPlan || !names.has(name)) ? apply(record, item) : undefined;
      if (record && after) write(record, after);
      else refuse({ change: what, name }, record);
    }
  };
  return { overlay, refused, current, cutOff, change };
}

/** What a batch, or a part of one, has made of the records. */
export interface Changed {
  readonly overlay: Overlay;
  readonly refused: readonly Refusal[];
  readonly past: readonly PastRun[];
}

/** The same of a whole batch. */
export interface Committed extends Changed {
  readonly forgotten: number;
  /** The version of each name that this batch has brought. */
  readonly firstVersion: number;
}

/** Throws, with nothing changed, if a record is missing that is to be configured or was cut off: a plan was made for it. */
export function overlayOf(stored: Stored, batch: Batch, path: string, grants: Grants = TO_OWNER): Committed {
  const past: PastRun[] = [];
  const { overlay, refused, current, cutOff, change } = changing(stored.records, path, frozen);
  const apply = appliers(grants, past);
  cutOff(batch.cutOffs, past);
  change('end', batch.ends, apply.end);
  change('unstart', batch.unstarts, apply.unstart);
  const forgotten = forgetNames(overlay, current, batch, grants, stored.forgotten);
  putRecords(overlay, current, batch, grants, forgotten + 1);
  change('configure', batch.configures, apply.configure);
  for (const pause of batch.pauses ?? []) paused(overlay, current(pause.name), pause);
  change('move', batch.moves, moved);
  change('start', batch.starts, apply.start);
  return {
    overlay,
    refused: refused.map((refusal) => withRecord(refusal, current(refusal.name))),
    past,
    forgotten,
    firstVersion: forgotten + 1,
  };
}

const withRecord = (refusal: Refusal, record: TaskRecord | undefined): Refusal =>
  record === undefined || refusal.missing ? refusal : { ...refusal, record };

/** The same of what happens to runs alone, for the owner. The records are not frozen. */
export function runOverlayOf(
  records: ReadonlyMap<string, TaskRecord>,
  { cutOffs, ends, unstarts, moves }: Pick<Batch, 'cutOffs' | 'ends' | 'unstarts' | 'moves'>,
  path: string,
): Changed {
  const past: PastRun[] = [];
  const { overlay, refused, cutOff, change } = changing(records, path, (record) => record);
  cutOff(cutOffs, past);
  change('end', ends, (record, end) => ended(record, end, past));
  change('unstart', unstarts, unstarted);
  change('move', moves, moved);
  return { overlay, refused, past };
}

/** What changes make of their records, as far as they are granted. */
function appliers(grants: Grants, past: PastRun[]) {
  const granted =
    <Change>(isGranted: (record: TaskRecord, change: Change) => boolean, apply: Apply<Change>) =>
    (record: TaskRecord, change: Change): TaskRecord | undefined =>
      isGranted(record, change) ? apply(record, change) : undefined;
  return {
    end: granted(grants.end, (record, end) => ended(record, end, past)),
    unstart: granted(grants.unstart, unstarted),
    configure: (record: TaskRecord, change: ConfigureChange) =>
      showsConfigure(record, change) ? record : granted(grants.configure, configured)(record, change),
    start: (record: TaskRecord, start: StartChange) =>
      grants.startAgain(record, start)
        ? record
        : granted(grants.start, (_, { work, run }) => ({ ...record, work, run }))(record, start),
  };
}

export const configured = (
  record: TaskRecord,
  { cron, retryDelayMs, policy }: Pick<TaskRecord, 'cron' | 'retryDelayMs' | 'policy'>,
): TaskRecord => ({ ...record, cron, retryDelayMs, policy });

/** Whole records go; answers the highest version that any had which is forgotten by now. */
function forgetNames(
  overlay: Overlay,
  current: (name: string) => TaskRecord | undefined,
  { removes = [] }: Batch,
  grants: Grants,
  forgotten: number,
): number {
  let highest = forgotten;
  for (const name of removes) {
    const record = current(name);
    const left = record && grants.remove(record);
    overlay.set(name, left);
    if (record !== undefined && left === undefined) highest = Math.max(highest, record.version);
  }
  return highest;
}

/** Whole records come. */
function putRecords(
  overlay: Overlay,
  current: (name: string) => TaskRecord | undefined,
  { puts = [] }: Batch,
  grants: Grants,
  firstVersion: number,
): void {
  for (const put of puts) {
    const record = current(put.name);
    if (record === undefined) overlay.set(put.name, frozen({ ...put, version: firstVersion }));
    else {
      const after = grants.put(record, put);
      overlay.set(put.name, after === record ? record : frozen(written(record, after)));
    }
  }
}

/** A name that is not there cannot be paused. A pause that comes again raises nothing, or what was decided by the first would be refused. */
function paused(overlay: Overlay, record: TaskRecord | undefined, { pausedAt }: PauseChange): void {
  if (record === undefined || record.pausedAt === pausedAt) return;
  overlay.set(record.name, frozen(written(record, { ...record, pausedAt })));
}

/** The record is written once more (K2). */
export const written = ({ version }: TaskRecord, after: TaskRecord): TaskRecord => ({
  ...after,
  version: version + 1,
});

/** J1: an unfinished run of a dead instance is in the history from then on, once. */
export function cutOffBy(record: TaskRecord, { runId, at }: CutOffChange, past: PastRun[]): TaskRecord {
  const { name: task, run, work } = record;
  if (run?.runId !== runId || work === null || run.cutOffAt !== null) return record;
  const { instanceId, reason, startedAt: calledAt } = run;
  if (reason === 'interrupted') return record; // it has a row, and the mark
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
  if (showsEnd(record, end)) return record;
  if (record.run?.runId !== end.runId || isInterrupted(record)) return undefined;
  const { runId, instanceId, reason, work, calledAt, endedAt, outcome, error } = end;
  past.push({ task: record.name, runId, instanceId, reason, ...work, calledAt, endedAt, outcome, error });
  return {
    ...record,
    servedThrough: end.servedThrough ?? calledAt,
    lastAttemptAt: calledAt,
    lastSuccessAt: outcome === 'success' ? endedAt : record.lastSuccessAt,
    lastFailureAt: isFailure(outcome) ? endedAt : record.lastFailureAt,
    pendingRetryUntil: end.pendingRetryUntil,
    failures: end.failures,
    failingSince: end.failingSince,
    lastError: error ?? record.lastError,
    lastDurationMs: Math.max(endedAt - calledAt, 0),
    ...(outcome === 'interrupted'
      ? leftByStop(end)
      : { work: end.pendingRetryUntil === null ? null : work, run: null }),
  };
}

/** A run that a stop has interrupted has not failed (A13). */
const isFailure = (outcome: EndChange['outcome']): boolean =>
  outcome !== 'success' && outcome !== 'interrupted';

function unstarted(record: TaskRecord, unstart: UnstartChange): TaskRecord | undefined {
  if (record.run?.runId !== unstart.runId || isInterrupted(record))
    return showsUnstart(record, unstart) ? record : undefined;
  return { ...record, work: unstart.work, run: unstart.run };
}

function moved(record: TaskRecord, move: MoveChange): TaskRecord | undefined {
  if (!hasVersion(record, move)) return showsMove(record, move) ? record : undefined;
  return { ...record, servedThrough: move.servedThrough, pendingRetryUntil: move.pendingRetryUntil };
}

/** A copy of exactly the fields of a record, deep-frozen, so that no state is shared. */
function frozen(record: TaskRecord): TaskRecord {
  return Object.freeze({
    name: record.name,
    cron: record.cron,
    retryDelayMs: record.retryDelayMs,
    policy: record.policy,
    version: record.version,
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

/**
 * What a cluster makes of a batch of one instance (K2, K4, K5); `rows.ts` has the states and why this is safe. What a granted change makes
 * of its record is the same as everywhere (`overlay.ts`). Only what is granted differs:
 *
 *     change     is granted if its instance is present, and                      and again, with no effect, if
 *     start      it is a member, it knows the last epoch, the record has the     that run is current, of that instance
 *                version that the claim names and no current run, and is not
 *                paused or was asked for; and the claim is not from the future
 *     end        its run is the current run, of that instance                    the record shows that end already
 *     unstart    its run is the current run, of that instance, and what it       the record shows what it brings back
 *                brings back is not current
 *     move       the record has the version that it names                        the record shows where it moves to
 *     put        the name is new, or an initialize writes it anew; if it has a
 *                current run then, only its configuration changes
 *     remove     no other member has the name, and it has no current run;
 *                otherwise the record stays (K5)
 *     cutOff     never: a current run belongs to a present instance, and a
 *                plan that takes it for dead (E6) knows only its own
 *     configure, pause    always
 *
 * An *initialize* brings a list. It was planned from the records of one epoch, and is refused as a whole (`stale`) if there is a later one
 * by now: the plan is made again. So lists take effect one after the other, and each knows all before it. If it changes records, its epoch
 * is the next one. The next claim learns by that that its configurations are old. A move learns it by the version: a configuration raises it, too.
 *
 * *An instance that gives a name up* which others have makes a new epoch too, by its list or at the end of a run that it had dropped (I5). It may leave a
 * retry that no other instance knows of: each of them retries what it ran, for as long as it lives and has the name. The others hear of the epoch
 * with their next heartbeat, and look for what was left.
 *
 * An instance that is alone is granted everything that the owner of an embedded store is.
 */
import type { EndChange, StartChange, UnstartChange } from '../../core/changes.ts';
import { AHEAD_MS } from '../../core/clock-step.ts';
import type { PastRun } from '../../core/history.ts';
import type { TaskRecord } from '../../core/record.ts';
import { showsEnd, showsStart, showsUnstart } from '../../core/shown.ts';
import { configured, type Grants, hasVersion, overlayOf } from '../overlay.ts';
import type { Batch, Refusal } from '../port.ts';
import { isLeased } from './members.ts';
import type { Changed, Cluster, Member } from './rows.ts';

/** A batch of one instance. */
export interface ClusterBatch extends Omit<Batch, 'timeZone'> {
  /** The epoch of the configurations that the instance knows. */
  readonly epoch: number;
  /** Given by an initialize: the names of its list. */
  readonly list?: ReadonlySet<string>;
  /**
   * The number of the request. Every request of an instance has a higher one than the request before, also if it brings the same batch again.
   * So a request that was given up, and arrives after a later one was answered, does nothing: no one would hear that its claim was granted.
   */
  readonly sent?: number;
}

/** What was done. */
export interface Committed extends Changed {
  readonly refused: readonly Refusal[];
  readonly past: readonly PastRun[];
  /** The version of the names that the batch has brought. */
  readonly firstVersion: number;
  /** Names that were to be removed and stay, since somebody has or runs them. */
  readonly held: readonly string[];
  /** The epoch after it. */
  readonly epoch: number;
  /** The epoch of the configurations that the instance knows after it: the new one if it knew the last one before, else what it knew. */
  readonly known: number;
}

/** Nothing was done: the instance is absent (K4), its plan is of an earlier epoch (K5), or a later request of it came first. */
export interface NotCommitted {
  readonly why: 'fenced' | 'stale' | 'late';
}

export function commit(
  cluster: Cluster,
  id: string,
  batch: ClusterBatch,
  now: number,
): Committed | NotCommitted {
  const me = cluster.members.get(id);
  if (me === undefined) return { why: 'fenced' };
  const { list = me.names, sent = me.lastSent } = batch;
  if (sent < me.lastSent) return { why: 'late' };
  if (batch.list !== undefined && batch.epoch !== cluster.epoch) return { why: 'stale' };
  const held: string[] = [];
  const grants = grantsTo(me, cluster, batch, held, now);
  const { cutOffs = [] } = me.isAlone ? batch : {};
  const { overlay, ...done } = overlayOf(cluster, { ...batch, cutOffs }, 'cluster', grants);
  const { puts = [], configures = [], removes = [] } = batch;
  const removed = removes.filter((name) => cluster.records.has(name)).length - held.length;
  const isGivenUp = held.some((name) => batch.list === undefined || me.names.has(name));
  const isChanged = isGivenUp || puts.length + configures.length + removed > 0;
  const epoch = cluster.epoch + (isChanged ? 1 : 0);
  const isOther = list !== me.names || sent !== me.lastSent;
  const members = new Map(isOther ? [[id, { ...me, names: list, lastSent: sent }]] : []);
  const known = batch.epoch === cluster.epoch ? epoch : batch.epoch;
  return { members, records: overlay, epoch, known, held, ...done };
}

function grantsTo(me: Member, cluster: Cluster, batch: ClusterBatch, held: string[], now: number): Grants {
  const knows = batch.epoch === cluster.epoch;
  const othersHave = (name: string): boolean =>
    Array.from(cluster.members.values()).some(({ id, names }) => id !== me.id && names.has(name));
  return {
    remove(record) {
      if (me.isAlone || !(isCurrent(record) || othersHave(record.name))) return undefined;
      held.push(record.name);
      return record;
    },
    put(record, put) {
      if (me.isAlone) return put;
      if (batch.list === undefined) return record;
      return isCurrent(record) ? configured(record, put) : put;
    },
    end: (record, change) => me.isAlone || mayEnd(me.id, record, change),
    unstart: (record, change) => me.isAlone || mayUnstart(me.id, record, change),
    configure: (record, change) => !me.isAlone || hasVersion(record, change),
    // A run that is durable is granted again even if the lease is over by now: nobody else would ever end it (E9).
    startAgain: (record, change) =>
      me.isAlone
        ? showsStart(record, change) && isCurrent(record)
        : change.run.instanceId === me.id && isRunOf(me.id, record, change.run.runId),
    start: (record, change) =>
      isLeased(me, now) &&
      hasVersion(record, change) &&
      (me.isAlone || mayStart(me.id, record, change, knows, now)),
  };
}

/** Whether a record shows a run that is not cut off. */
export const isCurrent = ({ run }: TaskRecord): boolean => run !== null && run.cutOffAt === null;

const isRunOf = (id: string, { run }: TaskRecord, runId: string): boolean =>
  run !== null && run.cutOffAt === null && run.runId === runId && run.instanceId === id;

/** K2. `knows`: whether the claimant knows the configuration that holds. */
function mayStart(id: string, record: TaskRecord, start: StartChange, knows: boolean, now: number): boolean {
  const { run } = start;
  return (
    run.instanceId === id &&
    // A run that was cut off is over for its instance, and does not begin again.
    record.run?.runId !== run.runId &&
    knows &&
    !isCurrent(record) &&
    (record.pausedAt === null || run.reason === 'manual') &&
    run.startedAt <= now + AHEAD_MS
  );
}

/** K4: an end names its run and its instance. */
const mayEnd = (id: string, record: TaskRecord, end: EndChange): boolean =>
  end.instanceId === id && (isRunOf(id, record, end.runId) || showsEnd(record, end));

/** K4. Nothing makes a run current again. */
const mayUnstart = (id: string, record: TaskRecord, unstart: UnstartChange): boolean =>
  unstart.run?.cutOffAt !== null && (isRunOf(id, record, unstart.runId) || showsUnstart(record, unstart));

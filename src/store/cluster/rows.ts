/**
 * Several schedulers over one database, as rows (K1). This folder decides everything that the database decides, as pure functions: time
 * comes in as an argument, and what changes comes out. The statements of the PostgreSQL store are tested against them row by row.
 *
 * `now` is always the reading of one clock, the database's. It may be read late or step back: only promptness depends on it.
 *
 * ## An instance
 *
 *     absent ──join──▶ member ──renew: every few seconds──▶ member
 *                        │ ▲
 *          lease is over │ │ renew, before anybody declares it dead: then `steadySince` begins again
 *                        ▼ │
 *                      lapsed ──declareDead, by a steady member──▶ absent
 *                        └────────────── leave ──────────────────▶ absent
 *
 * - *member*: there is a row, and its lease lasts. It may do everything.
 * - *lapsed*: there is a row, and the lease is over. It may renew, end and take back its runs, and leave; it may claim nothing (K2).
 * - *absent*: there is no row. An instance that finds itself absent is *fenced*: nothing that it asks for is done (K4). Ids are never used
 *   twice, so an absent instance never comes back; the process joins again under a new id.
 *
 * Only a *steady* member declares others dead: one that has held its own lease without a gap, for a whole lease of its own and of the
 * other. While the database is down
 * every lease runs out. When it is back nobody is steady, so everybody has time to renew, and no run is taken from an instance that lives.
 *
 * ## A task in the cluster
 *
 *              claim                            end, unstart
 *     idle ────────────▶ current run of a ─────────────────────▶ idle
 *       ▲                 │ a is declared dead, or leaves
 *       │                 ▼
 *       └──unstart──── orphaned: the run is cut off ──claim──▶ current run of b
 *
 * - *idle*: the record has no run.
 * - *current*: the record has a run that is not cut off. Its instance is present (member or lapsed).
 * - *orphaned*: the record has a run that is cut off. It belongs to nobody, and any member that has the task may claim it.
 *
 * ## Why it is safe (K1)
 *
 * *A current run belongs to a present instance.* A claim makes a run only for a member. An instance becomes absent by `declareDead` or
 * `leave` alone, and both cut off all of its runs in the same step. Nothing makes a run current again: an end and an unstart need a
 * current run, and an unstart brings back no run or one that is cut off.
 *
 * *A task has at most one current run, and no start is doubled.* The record has room for one run. A claim is granted only if there is
 * none or it is cut off, and only if the record still has the version that the claimant has decided by. Every write raises it, and none is given
 * twice. So of two claims for one due one is granted, and the other names a version that is gone. The same claim again is known by
 * its run's id, and granted again without effect (E9).
 *
 * *A fenced instance changes nothing.* Every change asks first whether its instance is present, and an end or an unstart names its run.
 * The run of a dead instance is cut off, so its end finds no current run even if it comes after the next claim.
 *
 * *No reason is lost.* The record keeps every reason (A1) until a start discharges it, and a start that comes to nothing leaves an
 * orphaned run or is taken back. So whatever an instance has not done when it becomes absent stands in the record, for everybody.
 *
 * *No run is current that its instance does not know of.* An instance hears the answer to its last request, or sends the batch again until it
 * does; what is durable is granted again, also to a lapsed instance. What the network delivers late has a lower number than that last
 * request, and does nothing.
 *
 * `test/store/cluster/model` explores all of this in every order of steps; docs/cluster-proof.md has what it found.
 *
 * Each step must be atomic, and steps of one row happen one after the other. In SQL that is: `declareDead` and `leave` delete the row of the
 * instance, and every change of an instance updates that row first (its `lastSent`), and so locks it until it commits. So a claim either
 * commits before the death, which then sees its run and cuts it off, or comes after it, and finds no instance. In the same way a request
 * that the server still executes is waited for by the next one of its instance.
 *
 * One change leaves the row of its instance alone: the end that a user commits in a transaction of their own (K8), which may take long.
 * `store/postgres/complete.ts` says why the row of the task is enough for it.
 */
import type { TaskRecord } from '../../core/record.ts';

/** An instance that is present. Instants are of the database's clock. */
export interface Member {
  readonly id: string;
  readonly leaseMs: number;
  readonly leaseUntil: number;
  /** Since when it has held its lease without a gap. */
  readonly steadySince: number;
  /** It wants no other member next to it: one owner, as with an embedded store. */
  readonly isAlone: boolean;
  /** The names that it has callbacks for; empty before its first initialize. */
  readonly names: ReadonlySet<string>;
  /** The number of the last request that was done for it. */
  readonly lastSent: number;
}

/** All that a cluster has. */
export interface Cluster {
  readonly members: ReadonlyMap<string, Member>;
  readonly records: ReadonlyMap<string, TaskRecord>;
  /** The number of the last initialize that changed records. Who has seen another one does not know the configuration (K5). */
  readonly epoch: number;
  /** The highest version that a record had when it was forgotten (K2). */
  readonly forgotten: number;
}

/** What a step changes of a cluster. `undefined` stands for a row that goes. */
export interface Changed {
  readonly members?: ReadonlyMap<string, Member | undefined>;
  readonly records?: ReadonlyMap<string, TaskRecord | undefined>;
  readonly epoch?: number;
  readonly forgotten?: number;
}

export const EMPTY: Cluster = { members: new Map(), records: new Map(), epoch: 0, forgotten: 0 };

/** The cluster after a step. It copies: a store with many records writes the changes into its own. */
export const after = (cluster: Cluster, { members, records, epoch, forgotten }: Changed): Cluster => ({
  members: merged(cluster.members, members),
  records: merged(cluster.records, records),
  epoch: epoch ?? cluster.epoch,
  forgotten: forgotten ?? cluster.forgotten,
});

function merged<Row>(
  rows: ReadonlyMap<string, Row>,
  changes: ReadonlyMap<string, Row | undefined> | undefined,
): ReadonlyMap<string, Row> {
  if (changes === undefined || changes.size === 0) return rows;
  const next = new Map(rows);
  for (const [name, row] of changes) {
    if (row === undefined) next.delete(name);
    else next.set(name, row);
  }
  return next;
}

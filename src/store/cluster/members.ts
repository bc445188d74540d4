/** Life and death of instances (K3); `rows.ts` has their states. */
import type { CutOffChange } from '../../core/changes.ts';
import type { PastRun } from '../../core/history.ts';
import type { TaskRecord } from '../../core/record.ts';
import { cutOffBy, written } from '../overlay.ts';
import type { Changed, Cluster, Member } from './rows.ts';

/** Who wants to join. */
export interface Joining {
  readonly id: string;
  readonly leaseMs: number;
  readonly isAlone: boolean;
}

/** What became of the members, and of the runs of those that are gone. */
export interface Departure extends Changed {
  /** The instances that are gone. */
  readonly gone: readonly string[];
  /** Their runs, which are cut off: one row of the history each (J1). */
  readonly past: readonly PastRun[];
}

export const isLeased = ({ leaseUntil }: Member, now: number): boolean => leaseUntil > now;

/**
 * Whether a member may declare another one dead: it has held its lease without a gap for as long as its own lease lasts, and that of the
 * other. How often an instance renews depends on its lease. So after an outage a member with a short lease waits until one with a
 * long lease has had the time to renew, too.
 */
const isSteady = (member: Member, other: Member, now: number): boolean =>
  isLeased(member, now) && member.steadySince + Math.max(member.leaseMs, other.leaseMs) <= now;

/**
 * absent → member. It is granted again if the answer was lost. An instance that wants to be alone waits for all others to be gone, and
 * everybody waits for it. It may be the first to come after a crash, so it takes a lapsed instance for dead, and so does who comes after
 * it: where there is one owner, a lease that is over is its end.
 */
export function join(
  { members, records }: Cluster,
  { id, leaseMs, isAlone }: Joining,
  now: number,
): Departure | { readonly occupied: readonly string[] } {
  if (members.has(id)) return { gone: [], past: [] };
  const others = [...members.values()].filter((member) => isAlone || member.isAlone);
  const occupied = others.filter((member) => isLeased(member, now)).map((member) => member.id);
  if (occupied.length > 0) return { occupied };
  const departure = departed(
    records,
    others.map((member) => member.id),
    now,
  );
  const member: Member = {
    id,
    leaseMs,
    leaseUntil: now + leaseMs,
    steadySince: now,
    isAlone,
    names: new Set(),
    lastSent: 0,
  };
  return { ...departure, members: new Map([...departure.members, [id, member]]) };
}

/** Lengthens a lease, also one that is over: whose death nobody has declared is not dead. `undefined`: it is absent (K4). */
export function renew({ members }: Cluster, id: string, now: number): Changed | undefined {
  const member = members.get(id);
  if (member === undefined) return undefined;
  const steadySince = isLeased(member, now) ? member.steadySince : now;
  return { members: new Map([[id, { ...member, steadySince, leaseUntil: now + member.leaseMs }]]) };
}

/** A steady member declares dead whose lease is over. Their runs are cut off in the same step. */
export function declareDead({ members, records }: Cluster, by: string, now: number): Departure {
  const declarer = members.get(by);
  if (declarer === undefined) return { gone: [], past: [] };
  const dead = [...members.values()].filter(
    (member) => member.id !== by && !isLeased(member, now) && isSteady(declarer, member, now),
  );
  return departed(
    records,
    dead.map(({ id }) => id),
    now,
  );
}

/** An instance leaves by itself. What it could not end is cut off, so that the others need not wait for its lease. */
export function leave({ members, records }: Cluster, id: string, now: number): Departure {
  return departed(records, members.has(id) ? [id] : [], now);
}

function departed(
  records: ReadonlyMap<string, TaskRecord>,
  gone: readonly string[],
  at: number,
): Departure & { readonly members: ReadonlyMap<string, Member | undefined> } {
  const members = new Map(gone.map((id) => [id, undefined]));
  const [changed, past]: [Map<string, TaskRecord>, PastRun[]] = [new Map(), []];
  for (const record of gone.length === 0 ? [] : records.values()) {
    const { name, run } = record;
    if (run === null || run.cutOffAt !== null || !gone.includes(run.instanceId)) continue;
    const cutOff: CutOffChange = { name, runId: run.runId, at };
    changed.set(name, written(record, cutOffBy(record, cutOff, past)));
  }
  return { members, records: changed, gone, past };
}

/** A planted fault: what it overrides, where it is looked for, and which property must refute it. */
import type { TaskRecord } from '../../../../src/core/record.ts';
import { type ClusterBatch, commit } from '../../../../src/store/cluster/decide.ts';
import { after, type Cluster, type Member } from '../../../../src/store/cluster/rows.ts';
import type { Bounds, Counts, List, Operations } from './world.ts';

export interface Mutant {
  readonly name: string;
  readonly mutations: Partial<Operations>;
  readonly bounds: Bounds;
  readonly refutes: string;
  /** Set where the fault breaks something else first. */
  readonly only?: readonly string[];
}

export const T: List = { t: '1' };
export const T_CHANGED: List = { t: '2' };
export const U: List = { u: '1' };
export const T_AND_U: List = { t: '1', u: '1' };

/** Two instances that have the same task. */
export const two = (counts: Partial<Counts>): Bounds => ({ slots: [{ lives: [T] }, { lives: [T] }], counts });

export const one = (counts: Partial<Counts>): Bounds => ({ slots: [{ lives: [T] }], counts });

/** A commit that sees the cluster, or its batch, in another way. */
export const commitOn =
  (
    see: (cluster: Cluster, id: string, batch: ClusterBatch) => Partial<Cluster>,
    take: (batch: ClusterBatch, cluster: Cluster, id: string) => Partial<ClusterBatch> = () => ({}),
  ): Operations['commit'] =>
  (cluster, id, batch, now) =>
    commit({ ...cluster, ...see(cluster, id, batch) }, id, { ...batch, ...take(batch, cluster, id) }, now);

export const commitOf = (
  take: (batch: ClusterBatch, cluster: Cluster, id: string) => Partial<ClusterBatch>,
): Operations['commit'] => commitOn(() => ({}), take);

export const membersWith = (
  { members }: Cluster,
  change: (member: Member) => Partial<Member>,
): Map<string, Member> => new Map([...members].map(([id, member]) => [id, { ...member, ...change(member) }]));

export const recordsWith = (
  { records }: Cluster,
  names: Iterable<{ readonly name: string }>,
  change: (record: TaskRecord) => Partial<TaskRecord>,
): Map<string, TaskRecord> => {
  const changed = new Map(records);
  for (const { name } of names) {
    const record = records.get(name);
    if (record !== undefined) changed.set(name, { ...record, ...change(record) });
  }
  return changed;
};

/** Claims that name the version of now, whatever they were decided by. */
export const seeing = (
  { starts = [] }: ClusterBatch,
  { records }: Pick<Cluster, 'records'>,
): Partial<ClusterBatch> => ({
  starts: [...starts].map((start) => {
    const record = records.get(start.name);
    return record === undefined ? start : { ...start, version: record.version };
  }),
});

/** A commit by which some writes raise no version. */
export const unraised =
  (written: (batch: ClusterBatch) => Iterable<{ readonly name: string }>): Operations['commit'] =>
  (cluster, id, batch, now) => {
    const answer = commit(cluster, id, batch, now);
    if ('why' in answer) return answer;
    const before = (name: string): Partial<TaskRecord> => {
      const { version } = cluster.records.get(name) ?? {};
      return version === undefined ? {} : { version };
    };
    const records = recordsWith(after(cluster, answer), written(batch), ({ name }) => before(name));
    return { ...answer, records };
  };

/** A commit that refuses some changes which it should grant. */
export const refusing =
  (
    change: 'start' | 'end',
    isRefused: (record: TaskRecord, runId: string, member: Member | undefined, now: number) => boolean,
  ): Operations['commit'] =>
  (cluster, id, batch, now) => {
    const member = cluster.members.get(id);
    const refuses = (name: string, runId: string): boolean => {
      const record = cluster.records.get(name);
      return record !== undefined && isRefused(record, runId, member, now);
    };
    const starts = [...(batch.starts ?? [])];
    const ends = [...(batch.ends ?? [])];
    const refused =
      change === 'start'
        ? starts.filter(({ name, run }) => refuses(name, run.runId))
        : ends.filter(({ name, runId }) => refuses(name, runId));
    const names = new Set(refused.map(({ name }) => name));
    const kept =
      change === 'start'
        ? { starts: starts.filter(({ name }) => !names.has(name)) }
        : { ends: ends.filter(({ name }) => !names.has(name)) };
    const answer = commit(cluster, id, { ...batch, ...kept }, now);
    if ('why' in answer) return answer;
    return { ...answer, refused: [...answer.refused, ...[...names].map((name) => ({ change, name }))] };
  };

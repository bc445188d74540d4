/** Faults in what a claim, an end or an unstart is granted by. */
import { type ClusterBatch, commit } from '../../../../src/store/cluster/decide.ts';
import { declareDead, isLeased } from '../../../../src/store/cluster/members.ts';
import { after, type Cluster } from '../../../../src/store/cluster/rows.ts';
import {
  commitOf,
  commitOn,
  type Mutant,
  membersWith,
  one,
  recordsWith,
  refusing,
  seeing,
  T,
  T_AND_U,
  T_CHANGED,
  two,
  unraised,
} from './mutant.ts';
import { PROPERTIES, STEP_FAULTS } from './properties.ts';
import { LEASE_MS, type Operations } from './world.ts';

const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** The instance stays though it was declared dead. */
const dyingWithoutLeaving: Operations['declareDead'] = (cluster, by, now) => ({
  ...declareDead(cluster, by, now),
  members: new Map(),
});

/** Moves that name the version of now, whatever they were decided by. */
const movingNow = ({ moves = [] }: ClusterBatch, { records }: Cluster): Partial<ClusterBatch> => ({
  moves: [...moves].map((move) => ({ ...move, version: records.get(move.name)?.version ?? 0 })),
});

const claims: Mutant[] = [
  {
    name: 'a claim is granted without a look at what it was decided by',
    mutations: { commit: commitOf((batch, cluster) => seeing(batch, cluster)) },
    bounds: two({ dues: 1 }),
    refutes: STEP_FAULTS.pending,
  },
  {
    name: 'a claim takes the place of a current run',
    mutations: {
      commit: (cluster, id, batch, now) => {
        const records = recordsWith(cluster, batch.starts ?? [], () => ({ run: null }));
        return commit({ ...cluster, records }, id, { ...batch, ...seeing(batch, { records }) }, now);
      },
    },
    bounds: two({ dues: 1 }),
    refutes: STEP_FAULTS.doubled,
  },
  {
    name: 'a claim is granted without a lease',
    mutations: {
      commit: commitOn((cluster) => ({ members: membersWith(cluster, () => ({ leaseUntil: FOR_EVER })) })),
    },
    bounds: two({ dues: 1, freezes: 1 }),
    refutes: STEP_FAULTS.leased,
  },
  {
    name: 'a lease is judged by the clock of the claimant, which is slow',
    mutations: { commit: (cluster, id, batch, now) => commit(cluster, id, batch, now - LEASE_MS) },
    bounds: two({ dues: 1, freezes: 1 }),
    refutes: STEP_FAULTS.leased,
  },
  {
    name: 'a claim is granted that was decided by an old configuration',
    mutations: {
      commit: commitOf((batch, cluster) => ({
        ...seeing(batch, cluster),
        epoch: batch.list ? batch.epoch : cluster.epoch,
      })),
    },
    bounds: { slots: [{ lives: [T], reloads: [T_CHANGED] }, { lives: [T] }], counts: { dues: 1 } },
    refutes: STEP_FAULTS.configured,
    only: [PROPERTIES.step],
  },
  {
    name: 'a move is granted that was decided by an old configuration',
    mutations: { commit: commitOf(movingNow) },
    bounds: { slots: [{ lives: [T], reloads: [T_CHANGED] }, { lives: [T] }], counts: { dues: 1, skips: 1 } },
    refutes: STEP_FAULTS.moved,
  },
  {
    name: 'a move is granted that takes the cursor back',
    mutations: { commit: commitOf(movingNow) },
    bounds: two({ dues: 2, skips: 2 }),
    refutes: STEP_FAULTS.back,
  },
  {
    name: 'a claim that is durable is refused when it comes again after the lease',
    mutations: {
      commit: refusing(
        'start',
        ({ run }, runId, me, now) => run?.runId === runId && !!me && !isLeased(me, now),
      ),
    },
    bounds: two({ dues: 1, losses: 1, freezes: 1 }),
    refutes: PROPERTIES.granted,
  },
  {
    name: 'a claim that is durable is refused when it comes again after the lease, to the end',
    mutations: {
      commit: refusing(
        'start',
        ({ run }, runId, me, now) => run?.runId === runId && !!me && !isLeased(me, now),
      ),
    },
    bounds: one({ dues: 1, losses: 1, freezes: 1 }),
    refutes: PROPERTIES.served,
    only: [PROPERTIES.served],
  },
  {
    name: 'requests are not numbered, so a claim that was refused is granted later',
    mutations: { commit: (cluster, id, { sent: _, ...batch }, now) => commit(cluster, id, batch, now) },
    bounds: one({ dues: 1, copies: 1, freezes: 1 }),
    refutes: PROPERTIES.served,
  },
  {
    name: 'a lost answer is taken for a grant',
    mutations: { isApplied: () => true },
    bounds: two({ dues: 1, losses: 1 }),
    refutes: PROPERTIES.runner,
  },
];

const ends: Mutant[] = [
  {
    name: 'a configuration raises no version',
    mutations: { commit: unraised(({ configures = [] }) => configures) },
    bounds: { slots: [{ lives: [T], reloads: [T_CHANGED] }, { lives: [T] }], counts: {} },
    refutes: STEP_FAULTS.version,
  },
  {
    name: 'an end raises no version',
    mutations: { commit: unraised(({ ends: written = [] }) => written) },
    bounds: two({ dues: 1 }),
    refutes: STEP_FAULTS.version,
  },
  {
    name: 'a name that comes back begins with a version that it had before',
    mutations: { commit: commitOn(() => ({ forgotten: 0 })) },
    bounds: {
      slots: [{ lives: [T_AND_U], reloads: [T, T_AND_U] }, { lives: [T] }],
      counts: {},
    },
    refutes: STEP_FAULTS.version,
  },
  {
    name: 'an absent instance is not fenced',
    mutations: {
      commit: commitOn(({ members }, id) => {
        const row = { id, leaseMs: LEASE_MS, isAlone: false, names: new Set<string>(), lastSent: 0 };
        return { members: new Map([[id, { ...row, leaseUntil: FOR_EVER, steadySince: 0 }], ...members]) };
      }),
    },
    bounds: two({ dues: 1, freezes: 1 }),
    refutes: STEP_FAULTS.fenced,
  },
  {
    name: 'an end names neither run nor instance, and the dead are not fenced',
    mutations: {
      declareDead: dyingWithoutLeaving,
      commit: (cluster, id, batch, now) => {
        const owner = [...(batch.ends ?? [])].map(({ name }) => cluster.records.get(name)?.run);
        const ended = [...(batch.ends ?? [])].map((end, index) => ({
          ...end,
          runId: owner[index]?.runId ?? end.runId,
          instanceId: owner[index]?.instanceId ?? end.instanceId,
        }));
        return commit(cluster, owner[0]?.instanceId ?? id, { ...batch, ends: ended, sent: FOR_EVER }, now);
      },
    },
    bounds: two({ dues: 1, freezes: 1 }),
    refutes: STEP_FAULTS.ended,
    only: [PROPERTIES.step],
  },
  {
    name: 'an unstart names no run, and the dead are not fenced',
    mutations: {
      declareDead: dyingWithoutLeaving,
      commit: (cluster, id, batch, now) => {
        const owner = [...(batch.unstarts ?? [])].map(({ name }) => cluster.records.get(name)?.run);
        const unstarts = [...(batch.unstarts ?? [])].map((unstart, index) => ({
          ...unstart,
          runId: owner[index]?.runId ?? unstart.runId,
        }));
        return commit(cluster, owner[0]?.instanceId ?? id, { ...batch, unstarts, sent: FOR_EVER }, now);
      },
    },
    bounds: two({ dues: 1, freezes: 1, stops: 1 }),
    refutes: STEP_FAULTS.takenBack,
    only: [PROPERTIES.step],
  },
  {
    name: 'an unstart makes the run current again that it brings back',
    mutations: {
      commit: (cluster, id, batch, now) => {
        const answer = commit(cluster, id, batch, now);
        if ('why' in answer) return answer;
        const revived = recordsWith(after(cluster, answer), batch.unstarts ?? [], ({ run }) => ({
          run: run && { ...run, cutOffAt: null },
        }));
        return { ...answer, records: revived };
      },
    },
    bounds: two({ dues: 1, crashes: 1, stops: 1 }),
    refutes: PROPERTIES.present,
  },
  {
    name: 'an end that is durable is refused when it comes again',
    mutations: { commit: refusing('end', ({ run }, runId) => run?.runId !== runId) },
    bounds: two({ dues: 1 }),
    refutes: STEP_FAULTS.again,
  },
  {
    name: 'an end is refused once the lease is over',
    mutations: { commit: refusing('end', (_, __, me, now) => me !== undefined && !isLeased(me, now)) },
    bounds: two({ dues: 1, freezes: 1 }),
    refutes: PROPERTIES.served,
  },
];

export const claimMutants: readonly Mutant[] = [...claims, ...ends];

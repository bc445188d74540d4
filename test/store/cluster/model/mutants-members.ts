/** Faults in life and death, and in lists. */
import { commit } from '../../../../src/store/cluster/decide.ts';
import { declareDead, join, leave, renew } from '../../../../src/store/cluster/members.ts';
import { after } from '../../../../src/store/cluster/rows.ts';
import { commitOf, commitOn, type Mutant, membersWith, recordsWith, T, T_AND_U, two, U } from './mutant.ts';
import { PROPERTIES, STEP_FAULTS } from './properties.ts';
import { LEASE_MS } from './world.ts';

const FOR_EVER = Number.MAX_SAFE_INTEGER;

const deaths: Mutant[] = [
  {
    name: 'death does not cut off the runs of the dead',
    mutations: { declareDead: (...of) => ({ ...declareDead(...of), records: new Map() }) },
    bounds: two({ dues: 1, crashes: 1 }),
    refutes: PROPERTIES.present,
  },
  {
    name: 'leaving does not cut off what runs',
    mutations: { leave: (...of) => ({ ...leave(...of), records: new Map() }) },
    bounds: two({ dues: 1, stops: 1 }),
    refutes: PROPERTIES.present,
  },
  {
    name: 'death cuts off the runs of all',
    mutations: {
      declareDead: (cluster, by, now) => {
        const departure = declareDead(cluster, by, now);
        return departure.gone.length === 0 ? departure : { ...departure, records: cut(cluster, now) };
      },
    },
    bounds: two({ dues: 1, crashes: 1 }),
    refutes: PROPERTIES.oneScheduler,
  },
  {
    name: 'a lease is judged by the clock of the declarer, which is fast',
    mutations: {
      declareDead: (cluster, by, now) =>
        declareDead(
          {
            ...cluster,
            members: membersWith(cluster, ({ id, leaseUntil }) => ({
              leaseUntil: id === by ? FOR_EVER : leaseUntil,
            })),
          },
          by,
          now + LEASE_MS,
        ),
    },
    bounds: two({}),
    refutes: STEP_FAULTS.dead,
  },
  {
    name: 'a member that is not steady declares others dead',
    mutations: {
      declareDead: (cluster, by, now) =>
        declareDead({ ...cluster, members: membersWith(cluster, () => ({ steadySince: 0 })) }, by, now),
    },
    bounds: two({ freezes: 1 }),
    refutes: STEP_FAULTS.steady,
  },
  {
    name: 'joining takes the lapsed for dead',
    mutations: {
      join: (cluster, joining, now) => {
        const members = membersWith(cluster, () => ({ isAlone: true }));
        const answer = join({ ...cluster, members }, joining, now);
        return 'occupied' in answer ? join(cluster, joining, now) : answer;
      },
    },
    bounds: { slots: [{ lives: [T] }, { lives: [T], comesLater: true }], counts: { freezes: 1 } },
    refutes: STEP_FAULTS.steady,
  },
  {
    name: 'renewing brings an absent instance back',
    mutations: {
      renew: (cluster, id, now) => {
        const { names } = [...cluster.members.values()][0];
        const row = { id, leaseMs: LEASE_MS, isAlone: false, names, lastSent: 0 };
        const back = { members: new Map([[id, { ...row, leaseUntil: now + LEASE_MS, steadySince: now }]]) };
        return renew(cluster, id, now) ?? back;
      },
    },
    bounds: two({ dues: 1, freezes: 1 }),
    refutes: STEP_FAULTS.fenced,
  },
  {
    name: 'renewing brings an absent instance back, with what it runs',
    mutations: {
      renew: (cluster, id, now) => {
        const { names } = [...cluster.members.values()][0];
        const row = { id, leaseMs: LEASE_MS, isAlone: false, names, lastSent: 0 };
        const back = { members: new Map([[id, { ...row, leaseUntil: now + LEASE_MS, steadySince: now }]]) };
        return renew(cluster, id, now) ?? back;
      },
    },
    bounds: two({ dues: 1, freezes: 1 }),
    refutes: PROPERTIES.runner,
    only: [PROPERTIES.runner],
  },
  {
    name: 'no instance is ever declared dead',
    mutations: { declareDead: () => ({ gone: [], past: [] }) },
    bounds: two({ dues: 1, crashes: 1 }),
    refutes: PROPERTIES.served,
  },
];

/** Every record, with its run cut off. */
const cut = (cluster: Parameters<typeof declareDead>[0], now: number): ReturnType<typeof recordsWith> =>
  recordsWith(cluster, cluster.records.values(), ({ run }) => ({ run: run && { ...run, cutOffAt: now } }));

const lists: Mutant[] = [
  {
    name: 'a name is forgotten although another instance has it',
    mutations: {
      commit: commitOn((cluster, id) => ({
        members: membersWith(cluster, (member) => ({ names: member.id === id ? member.names : new Set() })),
      })),
    },
    bounds: { slots: [{ lives: [T_AND_U], reloads: [T] }, { lives: [T_AND_U] }], counts: {} },
    refutes: STEP_FAULTS.forgotten,
  },
  {
    name: 'a name is forgotten although it runs',
    mutations: {
      commit: commitOn((cluster, _, { removes = [] }) => ({
        records: recordsWith(
          cluster,
          removes.map((name) => ({ name })),
          () => ({ run: null }),
        ),
      })),
    },
    bounds: { slots: [{ lives: [U], reloads: [T] }, { lives: [T] }], counts: { dues: 1 } },
    refutes: STEP_FAULTS.forgotten,
  },
  {
    name: 'a plan of an earlier epoch is taken',
    mutations: { commit: commitOf(({ list, epoch }, cluster) => ({ epoch: list ? cluster.epoch : epoch })) },
    bounds: {
      slots: [
        { lives: [T_AND_U], reloads: [T] },
        { lives: [U], comesLater: true },
      ],
      counts: {},
    },
    refutes: PROPERTIES.stored,
  },
  {
    name: 'an initialize cuts off the runs of others',
    mutations: {
      commit: (cluster, id, batch, now) => {
        const answer = commit(cluster, id, batch, now);
        if ('why' in answer || batch.list === undefined) return answer;
        const cutOffs = batch.cutOffs ?? [];
        const isCut = recordsWith(after(cluster, answer), cutOffs, ({ run, version }) => ({
          run: run && { ...run, cutOffAt: now },
          version: version + 1,
        }));
        return { ...answer, records: isCut };
      },
    },
    bounds: { slots: [{ lives: [T] }, { lives: [T], comesLater: true }], counts: { dues: 1 } },
    refutes: PROPERTIES.oneScheduler,
  },
  {
    name: 'a name that no instance has any more is kept',
    mutations: { commit: (cluster, id, batch, now) => commit(cluster, id, { ...batch, removes: [] }, now) },
    bounds: { slots: [{ lives: [T_AND_U], reloads: [T] }, { lives: [T] }], counts: {} },
    refutes: STEP_FAULTS.remembered,
  },
];

export const memberMutants: readonly Mutant[] = [...deaths, ...lists];

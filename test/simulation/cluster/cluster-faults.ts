/** Faults of a cluster, each found by a few seconds of simulated worlds. */
import type { PlantedFault } from '../../faults/fault.ts';

export const foundBy = [
  'simulation/cluster/worlds.test.ts',
  'K1 K2 K3 K4 K5 K6 K7 K9 worlds of several instances keep every rule, and their merged traces every axiom',
] as const;

export const keptWorld = (title: string) =>
  ['simulation/cluster/worlds.test.ts', `K1 a world that failed once: ${title}`] as const;

export const CLUSTER_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K4 no fencing: what an absent instance asks for is done',
    in: 'commit',
    find: 'cluster.members.get(id)',
    replace:
      'cluster.members.get(id) ?? { id, leaseMs: 1000, leaseUntil: 1e15, steadySince: 0, isAlone: false, names: new Set<string>(), lastSent: 0 }',
    foundBy,
  },
  {
    name: 'K2 a lease is judged by a clock that is slow',
    in: 'isLeased',
    find: 'leaseUntil > now',
    replace: 'leaseUntil > now - 30_000',
    foundBy,
  },
  {
    name: 'K3 a lease is judged by a clock that is fast',
    in: 'isLeased',
    find: 'leaseUntil > now',
    replace: 'leaseUntil > now + 1500',
    foundBy,
  },
  {
    name: 'K2 a claim is granted without a look at what it was decided by',
    in: 'grantsTo',
    find: 'hasVersion(record, change) && (me.isAlone',
    replace: '(me.isAlone',
    foundBy,
  },
  {
    name: 'K3 death does not cut off the runs of the dead',
    in: 'departed',
    find: 'changed.set(name, written(record, cutOffBy(record, cutOff, past)))',
    replace: 'cutOffBy(record, cutOff, past)',
    foundBy,
  },
  {
    name: 'K3 no instance is ever declared dead',
    in: 'declareDead',
    find: 'declarer === undefined',
    replace: 'declarer === undefined || now > 0',
    foundBy,
  },
  {
    name: 'K5 a name is forgotten although another instance has it',
    in: 'grantsTo',
    find: 'othersHave(record.name)',
    replace: 'othersHave("")',
    foundBy,
  },
  {
    name: 'K6 an instance goes by the clock of its host',
    in: 'clockOf',
    find: 'sharing.now',
    replace: 'clock.now',
    foundBy,
  },
  {
    name: 'K7 what falls to another instance is never looked at again',
    in: 'SharedView.lookLater',
    find: 'this.#later.add(task)',
    replace: 'if (task >= 0) return',
    foundBy,
  },
  {
    name: 'K3 what an instance leaves behind is not looked for when it has gone',
    in: 'SharedView.news',
    find: 'if (members.gone > 0) this.lookForLeft();',
    foundBy: keptWorld(
      'an instance died with a run, and the other one had to look for what it left (with a planted fault alone)',
    ),
  },
  {
    name: 'K4 an instance that was declared dead does not join again',
    in: 'Membership.fenced',
    find: 'this.#ports.inTurn(() => this.#rejoin(list));',
    foundBy,
  },
  {
    name: 'K9 an instance does not say that another one is gone',
    in: 'Dues.#viewOf',
    find: "trace?.({ event: 'InstanceGone', at: clock.now(), ...gone })",
    replace: 'void [trace, clock, gone]',
    foundBy,
  },
  {
    name: 'K4 an instance that cannot follow the others keeps its lease',
    in: 'Membership.#rejoin',
    find: 'await joined?.life.engine.stop(0); await joined?.life.session.close().catch(() => {});',
    foundBy: keptWorld(
      'an instance that joined again and could not follow the others kept its lease, and ran',
    ),
  },
  {
    name: 'K4 a life that joins again is in force before it goes by what the others have configured',
    in: 'Membership.#rejoin',
    find: 'joined = { life, list };',
    replace: 'joined = { life, list }; this.#ports.use(joined);',
    foundBy: [
      'scheduler/membership.test.ts',
      'K4 an instance that dies again before it is in force joins once more, and once: the store fails',
    ],
  },
  {
    name: 'K4 an instance that dies again before its life is in force does not join once more',
    in: 'Membership.#rejoin',
    find: 'life.engine.isFenced',
    replace: 'life.engine.isFenced && life.engine.running > 0',
    foundBy: [
      'scheduler/membership.test.ts',
      'K4 an instance that dies again before it is in force joins once more, and once: the store answers',
    ],
  },
  {
    name: 'D7 whoever stops an engine that stops already takes the end from the one before',
    in: 'Engine.stop',
    find: 'if (this.#stopping !== undefined) return this.#stopping.over;',
    foundBy: ['scheduler/membership.test.ts', 'D7 an engine that is stopped twice ends for both'],
  },
  {
    name: 'K2 a claim of a retry that was refused is not made again',
    in: 'SharedView.refused',
    find: 'this.#again.add(task);',
    foundBy: keptWorld('the claim of a retry was refused while the lease was over, and not made again'),
  },
  {
    name: 'I5 a task that runs under the list before is taken for idle',
    in: 'Dues.#viewOf',
    find: 'this.#moves.isOut',
    replace: 'this.#moves.isCalled(task) && !this.#tasks.isClaimed',
    foundBy: keptWorld(
      'a task that ran under the list before: a sweep took it for idle, and nothing of it was started when its run had failed',
    ),
  },
  {
    name: 'K9 the merged trace does not have a start that only the store knew of',
    in: 'OneScheduler.#unheard',
    find: '[task]',
    replace: '[]',
    foundBy: keptWorld(
      'a start that was granted and never heard of, under a list that no longer counts: its instance died, and it was started again',
    ),
  },
];

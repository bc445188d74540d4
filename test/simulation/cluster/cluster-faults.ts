/** Faults of a cluster, each found by a few seconds of simulated worlds. */
import type { PlantedFault } from '../../planted-fault.ts';

export const foundBy = [
  'simulation/cluster/worlds.test.ts',
  'K1 K2 K3 K4 K5 K6 K7 K9 worlds of several instances keep every rule, and their merged traces every axiom',
] as const;

export const keptWorld = (title: string) =>
  ['simulation/cluster/worlds.test.ts', `K1 a world that failed once: ${title}`] as const;

export const CLUSTER_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K4 no fencing: what an absent instance asks for is done',
    file: 'store/cluster/decide.ts',
    find: 'const me = cluster.members.get(id);',
    replace:
      'const me = cluster.members.get(id) ?? { id, leaseMs: 1000, leaseUntil: 1e15, steadySince: 0, isAlone: false, names: new Set<string>(), lastSent: 0 };',
    foundBy,
  },
  {
    name: 'K2 a lease is judged by a clock that is slow',
    file: 'store/cluster/members.ts',
    find: 'boolean => leaseUntil > now;',
    replace: 'boolean => leaseUntil > now - 30_000;',
    foundBy,
  },
  {
    name: 'K3 a lease is judged by a clock that is fast',
    file: 'store/cluster/members.ts',
    find: 'boolean => leaseUntil > now;',
    replace: 'boolean => leaseUntil > now + 1500;',
    foundBy,
  },
  {
    name: 'K2 a claim is granted without a look at what it was decided by',
    file: 'store/cluster/decide.ts',
    find: '    isAsSeen(record, seen) &&\n',
    replace: '',
    foundBy,
  },
  {
    name: 'K3 death does not cut off the runs of the dead',
    file: 'store/cluster/members.ts',
    find: 'changed.set(name, cutOffBy(record, cutOff, past));',
    replace: 'cutOffBy(record, cutOff, past);',
    foundBy,
  },
  {
    name: 'K3 no instance is ever declared dead',
    file: 'store/cluster/members.ts',
    find: 'if (declarer === undefined) return { gone: [], past: [] };',
    replace: 'if (declarer === undefined || now > 0) return { gone: [], past: [] };',
    foundBy,
  },
  {
    name: 'K5 a name is forgotten although another instance has it',
    file: 'store/cluster/decide.ts',
    find: '!(isCurrent(record) || othersHave(record.name))',
    replace: '!(isCurrent(record) || othersHave(""))',
    foundBy,
  },
  {
    name: 'K5 a claim that was decided by old configurations is granted',
    file: 'store/cluster/decide.ts',
    find: '    knows &&\n',
    replace: '',
    foundBy,
  },
  {
    name: 'K6 an instance goes by the clock of its host',
    file: 'scheduler/life.ts',
    find: 'now: () => sharing.now(),',
    replace: 'now: () => clock.now(),',
    foundBy,
  },
  {
    name: 'K7 what falls to another instance is never looked at again',
    file: 'store/sharing/shared-view.ts',
    find: '    this.#later.add(task);\n',
    replace: '    if (task >= 0) return;\n',
    foundBy,
  },
  {
    name: 'K3 what an instance leaves behind is not looked for when it has gone',
    file: 'store/sharing/shared-view.ts',
    find: 'if (members.gone > 0) this.lookForLeft();',
    replace: '',
    foundBy: keptWorld(
      'an instance died with a run, and the other one had to look for what it left (with a planted fault alone)',
    ),
  },
  {
    name: 'K4 an instance that was declared dead does not join again',
    file: 'scheduler/membership.ts',
    find: 'this.#ports.inTurn(() => this.#rejoin(list));',
    replace: '',
    foundBy,
  },
  {
    name: 'K9 an instance does not say that another one is gone',
    file: 'scheduler/dues.ts',
    find: "trace?.({ event: 'InstanceGone', at: clock.now(), ...gone })",
    replace: 'void [trace, clock, gone]',
    foundBy,
  },
  {
    name: 'K4 a list that comes while an instance is fenced waits for ever',
    file: 'scheduler/engine.ts',
    find: 'if (this.#writer.isLost) return Promise.reject(this.#writer.trouble);',
    replace: '',
    foundBy: keptWorld('a list that came while the instance was fenced: it never joined again'),
  },
  {
    name: 'K4 an instance that cannot follow the others keeps its lease',
    file: 'scheduler/membership.ts',
    find: 'await joined?.life.engine.stop(0);\n        await joined?.life.session.close().catch(() => {});',
    replace: '',
    foundBy: keptWorld(
      'an instance that joined again and could not follow the others kept its lease, and ran',
    ),
  },
  {
    name: 'K4 a life that joins again is in force before it goes by what the others have configured',
    file: 'scheduler/membership.ts',
    find: 'joined = { life, list };\n',
    replace: 'joined = { life, list };\n        this.#ports.use(joined);\n',
    foundBy: [
      'scheduler/membership.test.ts',
      'K4 an instance that dies again before it is in force joins once more, and once: the store fails',
    ],
  },
  {
    name: 'K4 an instance that dies again before its life is in force does not join once more',
    file: 'scheduler/membership.ts',
    find: 'if (life.engine.isFenced) throw',
    replace: 'if (life.engine.isFenced && life.engine.running > 0) throw',
    foundBy: [
      'scheduler/membership.test.ts',
      'K4 an instance that dies again before it is in force joins once more, and once: the store answers',
    ],
  },
  {
    name: 'D7 whoever stops an engine that stops already takes the end from the one before',
    file: 'scheduler/engine.ts',
    find: '    if (this.#stopping !== undefined) return this.#stopping.over;\n',
    replace: '',
    foundBy: ['scheduler/membership.test.ts', 'D7 an engine that is stopped twice ends for both'],
  },
  {
    name: 'K2 a claim of a retry that was refused is not made again',
    file: 'store/sharing/shared-view.ts',
    find: '      this.#again.add(task);\n',
    replace: '',
    foundBy: keptWorld('the claim of a retry was refused while the lease was over, and not made again'),
  },
  {
    name: 'I5 a task that runs under the list before is taken for idle',
    file: 'scheduler/dues.ts',
    find: 'isIdle: (task) => !this.#moves.isOut(task),',
    replace: 'isIdle: (task) => !this.#moves.isCalled(task) && !this.#tasks.isClaimed(task),',
    foundBy: keptWorld(
      'a task that ran under the list before: a sweep took it for idle, and nothing of it was started when its run had failed',
    ),
  },
  {
    name: 'K5 an instance follows a list that no longer counts',
    file: 'scheduler/durable-plan.ts',
    find: 'if (follows && before !== undefined && overridden.length > 0)',
    replace: 'if (follows && before !== undefined && overridden.length > 1000)',
    foundBy: keptWorld(
      'a list that came while another one was being followed: the instance went by the one that no longer counted',
    ),
  },
  {
    name: 'K9 the merged trace does not have a start that only the store knew of',
    file: 'trace/merge/one-scheduler.ts',
    find: '    return [task];\n',
    replace: '    return [];\n',
    foundBy: keptWorld(
      'a start that was granted and never heard of, under a list that no longer counts: its instance died, and it was started again',
    ),
  },
  {
    name: 'K4 what runs under earlier lists is not fenced',
    file: 'scheduler/membership.ts',
    find: '    const { engines } = this.#retired;\n    this.#retired.clear();\n',
    replace: '    const { engines } = { engines: [] as readonly Engine[] };\n',
    foundBy: keptWorld(
      'a run under an earlier list, of an instance that was fenced: the one that joined again waited for its end for ever',
    ),
  },
];

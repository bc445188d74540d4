/**
 * The whole examination of one set of bounds: every state that can be reached, what must hold in each, and what must come about in every
 * execution in which processes and clock go on.
 */
import { isCurrent } from '../../../../src/store/cluster/decide.ts';
import {
  explore,
  type Graph,
  type Invariant,
  type System,
  type Violation,
} from '../../../executor/model/explorer.ts';
import type { FairnessClass } from '../../../executor/model/fairness.ts';
import { type LeadsTo, refuteLeadsTo } from '../../../executor/model/liveness.ts';
import { actionsOf } from './actions.ts';
import { codecOf } from './codec.ts';
import { NOW } from './coder.ts';
import { PROPERTIES } from './properties.ts';
import { isOwed } from './truth.ts';
import {
  type Bounds,
  type Counts,
  idOf,
  namesOf,
  type Operations,
  operations,
  type Slot,
  type World,
} from './world.ts';

const NONE: Counts = {
  dues: 0,
  failures: 0,
  losses: 0,
  copies: 0,
  crashes: 0,
  stops: 0,
  freezes: 0,
  skips: 0,
};
const NOBODY: Pick<Slot, 'phase' | 'life' | 'reloads' | 'next' | 'flight' | 'runs' | 'copy'> = {
  phase: 'out',
  life: 0,
  reloads: 0,
  next: null,
  flight: null,
  runs: new Map(),
  copy: null,
};

/** Everybody has joined and is steady, but who comes later. */
function initial(bounds: Bounds, used: Operations): World {
  const known = bounds.knowledge === 'kept' ? { records: new Map(), epoch: 0 } : null;
  let world: World = {
    now: NOW,
    cluster: { members: new Map(), records: new Map(), epoch: 1, forgotten: 0 },
    ages: new Map(),
    tasks: new Map(),
    dueAt: new Map(namesOf(bounds).map((name) => [name, 1])),
    slots: bounds.slots.map(({ lives }) => ({ ...NOBODY, list: lives[0], known })),
    left: { ...NONE, ...bounds.counts },
    fault: '',
  };
  const actions = actionsOf(bounds, used);
  bounds.slots.forEach(({ comesLater = false }, index) => {
    for (const name of comesLater ? [] : ['join', 'plan', 'deliver']) {
      const process = String.fromCharCode(97 + index);
      const action = actions.find((each) => each.name === name && each.process === process);
      world = action?.step(world) ?? world;
    }
  });
  const tick = actions.find(({ name }) => name === 'tick');
  for (const _ of ['half a lease', 'a whole one']) world = tick?.step(world) ?? world;
  return world;
}

function systemOf(bounds: Bounds, mutations: Partial<Operations> = {}): System<World> {
  const used = { ...operations, ...mutations };
  return { initial: () => initial(bounds, used), actions: actionsOf(bounds, used), ...codecOf(bounds) };
}

/** Whether a process takes itself for a member with a list. */
const isServing = ({ phase }: Slot): boolean => phase === 'ready' || phase === 'stopping';

/** Processes that are members, with their ids. */
const present = ({ cluster, slots }: World): { id: string; slot: Slot }[] =>
  slots
    .map((slot, index) => ({ id: idOf(index, slot.life), slot }))
    .filter(({ id, slot }) => slot.phase !== 'out' && cluster.members.has(id));

function invariants(used: Operations): Invariant<World>[] {
  return [
    { name: PROPERTIES.step, holds: ({ fault }) => fault === '' },
    {
      name: PROPERTIES.present,
      holds: ({ cluster }) =>
        [...cluster.records.values()].every(
          (record) => !isCurrent(record) || cluster.members.has(record.run?.instanceId ?? ''),
        ),
    },
    { name: PROPERTIES.oneScheduler, holds: isOneScheduler },
    {
      name: PROPERTIES.runner,
      holds: (world) =>
        present(world).every(({ slot }) =>
          [...slot.runs].every(([name, run]) => {
            const runId = run.stage === 'ended' ? run.end.runId : run.claim.run.runId;
            return world.tasks.get(name)?.run?.runId === runId || isWritten(slot, name);
          }),
        ),
    },
    { name: PROPERTIES.granted, holds: (world) => isGrantedAgain(world, used) },
    {
      name: PROPERTIES.stored,
      holds: (world) =>
        present(world).every(
          ({ slot }) =>
            !isServing(slot) ||
            Object.keys(slot.list).every((name) => isGivenUp(slot, name) || world.cluster.records.has(name)),
        ),
    },
  ];
}

/** Whether a list on its way has the name no more. */
const isGivenUp = ({ next }: Slot, name: string): boolean => next !== null && !(name in next);

/** Whether an end or an unstart of the task is on its way, and may have arrived. */
const isWritten = ({ flight }: Slot, name: string): boolean =>
  [...(flight?.batch.ends ?? []), ...(flight?.batch.unstarts ?? [])].some((change) => change.name === name);

function isOneScheduler({ cluster, tasks }: World): boolean {
  if (cluster.records.size !== tasks.size) return false;
  return [...cluster.records.values()].every(({ name, run, servedThrough, pendingRetryUntil }) => {
    const truth = tasks.get(name);
    if (truth === undefined) return false;
    const current = run !== null && run.cutOffAt === null ? run : null;
    return (
      truth.servedThrough === servedThrough &&
      truth.retryAt === pendingRetryUntil &&
      truth.isOrphaned === (run !== null && current === null) &&
      truth.run?.runId === current?.runId &&
      truth.run?.instanceId === current?.instanceId
    );
  });
}

function isGrantedAgain(world: World, { commit }: Operations): boolean {
  return present(world).every(({ id, slot: { flight } }) => {
    const durable = [...(flight?.batch.starts ?? [])].filter(
      ({ name, run }) => world.tasks.get(name)?.run?.runId === run.runId,
    );
    if (flight === null || durable.length === 0) return true;
    const answer = commit(world.cluster, id, flight.batch, world.now);
    return (
      'refused' in answer &&
      durable.every(({ name }) => answer.refused.every((refusal) => refusal.name !== name))
    );
  });
}

function liveness(bounds: Bounds): LeadsTo<World>[] {
  const isServed = (world: World, name: string): boolean => {
    const truth = world.tasks.get(name);
    return truth === undefined || !isOwed(truth, world.dueAt.get(name) ?? 0);
  };
  const hasIt = ({ slots }: World, name: string): boolean =>
    slots.some(({ phase, list }) => phase === 'ready' && name in list);
  return namesOf(bounds).map((name) => ({
    name: `${PROPERTIES.served} (${name})`,
    whenever: () => true,
    eventually: (world) => isServed(world, name) || !hasIt(world, name),
  }));
}

/** What a process must go on doing, by groups of actions of which one is enabled at a time. Everything else may stay away. */
const DUTIES: readonly RegExp[] = [
  /^(deliver|read back|resend)$/,
  /^plan$/,
  /^look$/,
  /^write$/,
  /^renew$/,
  /^declare$/,
  /^leave$/,
];

function fairness({ slots, knowledge }: Bounds, names: readonly string[]): FairnessClass[] {
  const duties = [
    ...DUTIES.filter((duty) => knowledge === 'kept' || !duty.test('look')),
    ...names.map((name) => new RegExp(`^claim ${name}$`)),
    ...names.map((name) => new RegExp(`^(call|end well|take back) ${name}$`)),
  ];
  const ofSlots = slots.flatMap((_, index) =>
    duties.map(
      (duty): FairnessClass => ({
        strength: 'weak',
        covers: ({ name, process }) => process === String.fromCharCode(97 + index) && duty.test(name),
      }),
    ),
  );
  return [...ofSlots, { strength: 'weak', covers: ({ name }) => name === 'tick' }];
}

export interface Proof {
  readonly graph: Graph<World>;
  readonly violation: Violation | undefined;
  readonly elapsedMs: number;
}

export interface CheckOptions {
  readonly mutations?: Partial<Operations>;
  /** Properties to look at alone. */
  readonly only?: readonly string[];
}

/** The first violation counts. That of a step is named by what the step did. */
export function check(bounds: Bounds, { mutations = {}, only }: CheckOptions = {}): Proof {
  const startedAt = performance.now();
  const wanted = (name: string): boolean => only === undefined || only.some((each) => name.startsWith(each));
  const system = systemOf(bounds, mutations);
  const graph = explore(
    system,
    invariants({ ...operations, ...mutations }).filter(({ name }) => wanted(name)),
  );
  let violation = named(graph);
  for (const property of violation === undefined ? liveness(bounds) : []) {
    if (wanted(property.name))
      violation ??= refuteLeadsTo(graph, property, fairness(bounds, namesOf(bounds)));
  }
  return { graph, violation, elapsedMs: performance.now() - startedAt };
}

/** A wrong step goes by the name of what it did wrong. */
function named({ keys, system, violation }: Graph<World>): Violation | undefined {
  if (violation?.property !== PROPERTIES.step) return violation;
  const faults = keys.slice(-system.actions.length).map((key) => system.decode(key).fault);
  return { ...violation, property: faults.find((fault) => fault !== '') ?? violation.property };
}

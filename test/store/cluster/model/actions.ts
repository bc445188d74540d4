/** Everything that can happen, by the process that does it. An action is enabled where its step answers a state. */
import type { Action } from '../../../executor/model/explorer.ts';
import { applyRenewal } from './database.ts';
import { Process } from './process.ts';
import {
  type Bounds,
  idOf,
  letterOf,
  namesOf,
  type Operations,
  spend,
  stamped,
  TICK_MS,
  type World,
} from './world.ts';

function due(world: World, name: string, bounds: Bounds): World | undefined {
  const spent = spend(world, 'dues');
  if (spent === undefined) return undefined;
  const at = stamped(spent, bounds);
  return { ...at, dueAt: new Map(at.dueAt).set(name, at.now) };
}

/** Half a lease goes by. Instances that live, and still hold their lease, renew it; those that are frozen do not. */
function pass(world: World, operations: Operations, isFrozen: (index: number) => boolean): World {
  const ages = new Map(
    [...world.ages].map(([id, { sinceRenewal, held }]) => [
      id,
      { sinceRenewal: Math.min(sinceRenewal + 1, 2), held: Math.min(held + 1, 2) },
    ]),
  );
  let next: World = { ...world, now: world.now + TICK_MS, ages };
  world.slots.forEach(({ phase, life }, index) => {
    const id = idOf(index, life);
    if (phase === 'out' || isFrozen(index) || (ages.get(id)?.sinceRenewal ?? 2) >= 2) return;
    next = applyRenewal(next, operations, id) ?? next;
  });
  return next;
}

/** A lease goes by, and nothing is heard of some: they are paused, or cut off from the database; of all, if the database is away. */
function freeze(
  world: World,
  operations: Operations,
  isFrozen: (index: number) => boolean,
): World | undefined {
  const isAway = world.slots.every(({ phase }, index) => phase === 'out' || !isFrozen(index));
  const spent = isAway ? undefined : spend(world, 'freezes');
  return spent && pass(pass(spent, operations, isFrozen), operations, isFrozen);
}

export function actionsOf(bounds: Bounds, operations: Operations): Action<World>[] {
  const names = namesOf(bounds);
  const ofSlots = bounds.slots.flatMap((_, index) =>
    slotActions(new Process(index, operations, bounds), names, letterOf(index)),
  );
  const ofWorld: [string, Action<World>['step']][] = [
    ...names.map((name): [string, Action<World>['step']] => [
      `due ${name}`,
      (world) => due(world, name, bounds),
    ]),
    ...bounds.slots.map((_, index): [string, Action<World>['step']] => [
      `freeze ${letterOf(index)}`,
      (world) => freeze(world, operations, (each) => each === index),
    ]),
    ['freeze all', (world) => freeze(world, operations, () => true)],
    ['tick', (world) => pass(world, operations, () => false)],
  ];
  return [...ofSlots, ...ofWorld.map(([name, step]) => ({ name, process: 'world', step }))];
}

function slotActions(slot: Process, names: readonly string[], process: string): Action<World>[] {
  type Steps = [string, Action<World>['step']][];
  const steps: Steps = [
    ['join', (world) => slot.join(world)],
    ['reload', (world) => slot.reload(world)],
    ['plan', (world) => slot.plan(world)],
    ['look', (world) => slot.look(world)],
    ['write', (world) => slot.write(world)],
    ['deliver', (world) => slot.deliver(world)],
    ['lose answer', (world) => slot.loseAnswer(world)],
    ['lose request', (world) => slot.loseRequest(world)],
    ['delay request', (world) => slot.delayRequest(world)],
    ['deliver copy', (world) => slot.deliverCopy(world)],
    ['read back', (world) => slot.readBack(world)],
    ['resend', (world) => slot.resend(world)],
    ['renew', (world) => slot.renew(world)],
    ['declare', (world) => slot.declare(world)],
    ['crash', (world) => slot.crash(world)],
    ['stop', (world) => slot.stop(world)],
    ['leave', (world) => slot.leave(world)],
  ];
  const ofTasks = names.flatMap(
    (name): Steps => [
      [`claim ${name}`, (world) => slot.claim(world, [name])],
      [`skip ${name}`, (world) => slot.skip(world, name)],
      [`call ${name}`, (world) => slot.call(world, name)],
      [`take back ${name}`, (world) => slot.takeBack(world, name)],
      [`end well ${name}`, (world) => slot.end(world, name, 'success')],
      [`end badly ${name}`, (world) => slot.end(world, name, 'failure')],
    ],
  );
  const ofAll: Steps = names.length > 1 ? [['claim all', (world) => slot.claim(world, names)]] : [];
  return [...steps, ...ofTasks, ...ofAll].map(([name, step]) => ({ name, process, step }));
}

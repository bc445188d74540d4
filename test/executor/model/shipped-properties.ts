/**
 * What must hold in every state of the executor. The truth is taken from the ghosts and from recounting; the
 * executor's lists, counters and answers are compared with it.
 */
import {
  type ExecutorState,
  FREE,
  NONE,
  QUEUED,
  RUNNING,
  SUBSCRIBER,
  TIMER,
  WAITING,
} from '../../../src/executor/state.ts';
import type { Invariant } from './explorer.ts';
import { FREE_LIST, RUN_QUEUE, walk } from './shipped-lists.ts';
import { type Model, type Operations, operations } from './shipped-model.ts';
import { STEP_FAULTS } from './shipped-steps.ts';

/** The names of the properties that are not about one step. */
export const PROPERTIES = {
  onePhase: 'a task is in exactly one of waiting, queued, running',
  lists: 'each list holds exactly the tasks of its phase, and ends where it says',
  counters: 'every counter equals its recount',
  bound: 'never more than `workers` running',
  lost: 'no trigger is lost',
  twice: 'no trigger is served twice',
  doneEarly: 'not done before every source has ended and every trigger is served',
  doneLate: 'done once every source has ended and every trigger is served',
  questions: 'questions about the state are answered truly',
  afterwards: 'nothing runs once the end was announced',
  deadlock: 'no end but the announced one',
  vacuous: 'every action happens',
  starvation: 'every triggered task eventually runs',
  termination: 'the executor ends',
};

const all = (model: Model, holds: (slot: number) => boolean): boolean => {
  for (let slot = 0; slot < model.live.length; slot++) if (!holds(slot)) return false;
  return true;
};

const recount = (model: Model, counts: (slot: number) => boolean): number => {
  let total = 0;
  for (let slot = 0; slot < model.live.length; slot++) if (model.live[slot] && counts(slot)) total++;
  return total;
};

/** Every source of a task has ended, as the sources themselves see it. */
const hasEnded = ({ left }: Model, slot: number): boolean => left[slot].every((triggers) => triggers === 0);
const isOver = (model: Model): boolean =>
  all(model, (slot) => hasEnded(model, slot) && !model.owed[slot] && !model.inFlight[slot]);

function onePhase({ executor: { phase, size }, live, inFlight, owed }: Model, slot: number): boolean {
  if (!live[slot]) return slot >= size || phase[slot] === FREE;
  if (inFlight[slot]) return phase[slot] === RUNNING;
  return phase[slot] === WAITING || (phase[slot] === QUEUED && owed[slot]);
}

/** For each list, who belongs in it. */
function membership({ phase, kind, triggered }: ExecutorState): ((slot: number) => boolean)[] {
  const ready = (slot: number): boolean => phase[slot] === WAITING && triggered[slot] === 1;
  const members: ((slot: number) => boolean)[] = [];
  members[TIMER] = (slot) => ready(slot) && kind[slot] === TIMER;
  members[SUBSCRIBER] = (slot) => ready(slot) && kind[slot] === SUBSCRIBER;
  members[RUN_QUEUE] = (slot) => phase[slot] === QUEUED;
  members[FREE_LIST] = (slot) => phase[slot] === FREE;
  return members;
}

function listsAgree({ executor }: Model): boolean {
  const { lists, next, size } = executor;
  let linksDue = 0;
  const eachAgrees = membership(executor).every((belongs, list) => {
    const tasks = walk(executor, list);
    const last = tasks.at(-1) ?? NONE;
    linksDue += Math.max(0, tasks.length - 1);
    let belonging = 0;
    for (let slot = 0; slot < size; slot++) if (belongs(slot)) belonging++;
    return (
      lists[2 * list + 1] === last &&
      (last === NONE ? lists[2 * list] : next[last]) === NONE &&
      new Set(tasks).size === tasks.length &&
      belonging === tasks.length &&
      tasks.every(belongs)
    );
  });
  // A link of somebody in no list, or at the end of one, would be followed when that task is next listed.
  let links = 0;
  for (let slot = 0; slot < next.length; slot++) if (next[slot] !== NONE) links++;
  return eachAgrees && links === linksDue;
}

function countersAgree(model: Model): boolean {
  const { executor, left } = model;
  let open = 0;
  const perTask = all(model, (slot) => {
    const stillOpen = left[slot].filter((triggers) => triggers !== 0).length;
    open += stillOpen;
    return !model.live[slot] || executor.openSources[slot] === stillOpen;
  });
  return (
    perTask &&
    executor.openSourceCount === open &&
    executor.triggeredCount === recount(model, (slot) => executor.triggered[slot] === 1) &&
    executor.queuedCount === recount(model, (slot) => executor.phase[slot] === QUEUED) &&
    executor.runningCount === recount(model, (slot) => executor.phase[slot] === RUNNING)
  );
}

function answersAreTrue(model: Model, { hasReady, canTake, isSpent, isQuiescent }: Operations): boolean {
  const { executor, owed, inFlight, live } = model;
  const running = recount(model, (slot) => inFlight[slot]);
  const queued = recount(model, (slot) => executor.phase[slot] === QUEUED);
  const ready = recount(model, (slot) => owed[slot] && executor.phase[slot] === WAITING);
  const spent = (slot: number): boolean => hasEnded(model, slot) && !owed[slot] && !inFlight[slot];
  return (
    hasReady(executor) === ready > 0 &&
    canTake(executor) === (!executor.stopped && queued > 0 && running < executor.workers) &&
    isQuiescent(executor) === (running === 0) &&
    all(model, (slot) => !live[slot] || isSpent(executor, slot) === spent(slot))
  );
}

export function shippedInvariants(mutations: Partial<Operations> = {}): Invariant<Model>[] {
  const used = { ...operations, ...mutations };
  const comes = ({ executor }: Model, slot: number): boolean =>
    executor.triggered[slot] === 1 || executor.phase[slot] === QUEUED;
  return [
    ...Object.values(STEP_FAULTS).map((name) => ({ name, holds: (model: Model) => model.fault !== name })),
    {
      name: PROPERTIES.bound,
      holds: (model) =>
        recount(model, (slot) => model.executor.phase[slot] === RUNNING) <= model.executor.workers,
    },
    {
      name: PROPERTIES.lost,
      holds: (model) => all(model, (slot) => !model.owed[slot] || comes(model, slot)),
    },
    {
      name: PROPERTIES.twice,
      holds: (model) => all(model, (slot) => model.owed[slot] || !comes(model, slot)),
    },
    { name: PROPERTIES.doneEarly, holds: (model) => !used.isDone(model.executor) || isOver(model) },
    { name: PROPERTIES.doneLate, holds: (model) => used.isDone(model.executor) || !isOver(model) },
    { name: PROPERTIES.afterwards, holds: (model) => !model.settled || !model.inFlight.includes(true) },
    { name: PROPERTIES.onePhase, holds: (model) => all(model, (slot) => onePhase(model, slot)) },
    { name: PROPERTIES.counters, holds: countersAgree },
    { name: PROPERTIES.lists, holds: listsAgree },
    { name: PROPERTIES.questions, holds: (model) => answersAreTrue(model, used) },
  ];
}

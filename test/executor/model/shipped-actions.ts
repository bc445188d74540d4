/**
 * Each step that sources, scheduler, workers, callbacks and owner can take, and what must be true of the step
 * itself: whom a worker took, what a pass moved and in which order, what a trigger was told. The expectations
 * come from the ghosts and from the queue as it was, never from the executor's own counters or flags.
 */
import { ACCEPTED, COALESCED, NONE, REFUSED, REMEMBERED, TIMER } from '../../../src/executor/state.ts';
import type { Action } from './explorer.ts';
import { range } from './range.ts';
import { queueOf } from './shipped-lists.ts';
import {
  asLeft,
  ENDLESS,
  type Instance,
  type Model,
  type Operations,
  slotNames,
  slotsOf,
  sourcesOf,
} from './shipped-model.ts';
import { besideTheQueue, guarded, STEP_FAULTS, sameList } from './shipped-steps.ts';

export function shippedActions(instance: Instance, operations: Operations): Action<Model>[] {
  const names = slotNames(instance);
  const slots = range(slotsOf(instance));
  const finite = [...instance.tasks, ...(instance.arrivals ?? [])].every(({ sources }) =>
    sources.every((triggers) => triggers !== Number.POSITIVE_INFINITY),
  );
  const sources = slots.flatMap((slot) =>
    range(sourcesOf(instance)).flatMap((source) => {
      const exists = instance.arrivals !== undefined || source < instance.tasks[slot].sources.length;
      if (!exists) return [];
      const process = source === 0 ? names[slot] : `${names[slot]}/${source + 1}`;
      const trigger = triggerAction(operations, process, slot, source);
      return finite ? [trigger, endAction(operations, process, slot, source)] : [trigger];
    }),
  );
  return [
    ...sources,
    passAction(operations),
    takeAction(operations),
    ...slots.map((slot) => finishAction(operations, names[slot], slot)),
    ...(finite || instance.stops === 'any moment' ? [settleAction(instance, operations)] : []),
    ...(instance.stops === 'any moment' ? [stopAction(operations)] : []),
    ...(instance.arrivals === undefined
      ? []
      : [
          addAction(instance, operations),
          ...slots.map((slot) => releaseAction(operations, names[slot], slot)),
        ]),
  ];
}

const triggerAction = (
  { trigger }: Operations,
  process: string,
  slot: number,
  source: number,
): Action<Model> => ({
  name: 'trigger',
  process: `source ${process}`,
  step: (model) => {
    const { executor, left, owed, inFlight } = model;
    if (left[slot][source] <= 1) return undefined;
    if (left[slot][source] !== ENDLESS) left[slot][source]--;
    const fresh = inFlight[slot] ? REMEMBERED : ACCEPTED;
    const expected = executor.stopped ? REFUSED : owed[slot] ? COALESCED : fresh;
    if (!executor.stopped) owed[slot] = true;
    return besideTheQueue(model, () =>
      trigger(executor, slot) === expected ? undefined : STEP_FAULTS.answer,
    );
  },
});

const endAction = (
  { endSource }: Operations,
  process: string,
  slot: number,
  source: number,
): Action<Model> => ({
  name: 'end',
  process: `source ${process}`,
  step: (model) => {
    if (model.left[slot][source] !== 1) return undefined;
    model.left[slot][source] = 0;
    return besideTheQueue(model, () => {
      endSource(model.executor, slot);
      return undefined;
    });
  },
});

const passAction = ({ hasReady, pass }: Operations): Action<Model> => ({
  name: 'pass',
  process: 'scheduler',
  step: (model) => {
    const { executor, owed, inFlight } = model;
    if (!hasReady(executor)) return undefined;
    const before = queueOf(executor);
    const ready = range(owed.length).filter(
      (slot) => owed[slot] && !inFlight[slot] && !before.includes(slot),
    );
    return guarded(model, () => {
      const moved = pass(executor);
      const after = queueOf(executor);
      if (!sameList(before, after.slice(0, before.length))) return STEP_FAULTS.fifo;
      const added = after.slice(before.length);
      const complete =
        moved === added.length &&
        sameList(
          added.toSorted((a, b) => a - b),
          ready,
        );
      if (!complete) return STEP_FAULTS.passMovesAll;
      const kinds = added.map((slot) => executor.kind[slot]);
      const firstSubscriber = kinds.findIndex((kind) => kind !== TIMER);
      const inOrder = firstSubscriber === -1 || !kinds.includes(TIMER, firstSubscriber);
      return inOrder ? undefined : STEP_FAULTS.timersFirst;
    });
  },
});

const takeAction = ({ take }: Operations): Action<Model> => ({
  name: 'take',
  process: 'worker',
  step: (model) => {
    const { executor, owed, inFlight, lastTook, busy } = model;
    const before = queueOf(executor);
    const runs = inFlight.filter(Boolean).length;
    const free = !executor.stopped && before.length > 0 && runs < executor.workers;
    let idle = false;
    guarded(model, () => {
      const task = take(executor);
      idle = task === NONE;
      if (idle) return free ? STEP_FAULTS.takeIdle : undefined;
      const prompted = owed[task] && !inFlight[task];
      owed[task] = false;
      inFlight[task] = true;
      const worker = busy.indexOf(false);
      if (worker !== -1) {
        busy[worker] = true;
        lastTook[worker] = task + 1;
      }
      if (executor.stopped) return STEP_FAULTS.stopped;
      if (!sameList(before, [task, ...queueOf(executor)])) return STEP_FAULTS.fifo;
      return prompted ? undefined : STEP_FAULTS.unprompted;
    });
    return idle && model.fault === '' ? undefined : model;
  },
});

const finishAction = ({ finish }: Operations, name: string, slot: number): Action<Model> => ({
  name: 'finish',
  process: `callback ${name}`,
  step: (model) => {
    const { executor, inFlight, busy, lastTook } = model;
    if (!inFlight[slot]) return undefined;
    inFlight[slot] = false;
    const worker = busy.findIndex((at, index) => at && lastTook[index] === slot + 1);
    if (worker !== -1) busy[worker] = false;
    return besideTheQueue(model, () => {
      finish(executor, slot);
      return undefined;
    });
  },
});

/** The shell tells the world that all is over; with arrivals to come, somebody still holds the door open. */
const settleAction = (instance: Instance, { isDone, isQuiescent }: Operations): Action<Model> => ({
  name: 'settle',
  process: 'shell',
  step: (model) => {
    if (model.settled || model.arrived < (instance.arrivals ?? []).length) return undefined;
    if (!(model.executor.stopped ? isQuiescent(model.executor) : isDone(model.executor))) return undefined;
    model.settled = true;
    return model;
  },
});

const stopAction = ({ stop }: Operations): Action<Model> => ({
  name: 'stop',
  process: 'owner',
  step: (model) => {
    if (model.executor.stopped || model.settled) return undefined;
    return besideTheQueue(model, () => {
      stop(model.executor);
      return undefined;
    });
  },
});

const addAction = (instance: Instance, { addTask }: Operations): Action<Model> => ({
  name: 'add',
  process: 'arrivals',
  step: (model) => {
    const arrival = (instance.arrivals ?? []).at(model.arrived);
    if (arrival === undefined) return undefined;
    model.arrived++;
    return besideTheQueue(model, () => {
      const slot = addTask(model.executor, arrival.kind, arrival.sources.length);
      if (model.live[slot] !== false) return STEP_FAULTS.reuse;
      model.live[slot] = true;
      arrival.sources.forEach((triggers, source) => {
        model.left[slot][source] = asLeft(triggers);
      });
      return undefined;
    });
  },
});

const releaseAction = ({ isSpent, release }: Operations, name: string, slot: number): Action<Model> => ({
  name: 'release',
  process: `owner of ${name}`,
  step: (model) => {
    const { executor, live } = model;
    if (!live[slot] || !isSpent(executor, slot)) return undefined;
    return besideTheQueue(model, () => {
      release(executor, slot);
      live[slot] = false;
      return undefined;
    });
  },
});

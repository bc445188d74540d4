/**
 * The code that ships, as a transition system: the operations of `src/executor/state.ts` themselves, called in
 * every order that sources, scheduling passes, workers and callbacks can bring about.
 *
 * Beside the executor's own state stand *ghosts*, which the operations never see: what the world outside knows
 * by itself. `left` is each source's triggers to come, `owed` says that a trigger came after the last start of
 * its task, `inFlight` that a callback has begun and not ended, `live` that the slot belongs to a task. A correct
 * executor makes every ghost but `left` a function of its own state, so they cost no states; a wrong one
 * disagrees with them, and that is how it is caught. What a single step does wrong is kept in `fault`.
 */

import { createState } from '../../../src/executor/state.ts';
import type { System } from './explorer.ts';
import { range } from './range.ts';
import { shippedActions } from './shipped-actions.ts';
import { shippedCodec } from './shipped-codec.ts';
import {
  asLeft,
  type Instance,
  type Model,
  type Operations,
  operations,
  slotsOf,
  sourcesOf,
} from './shipped-model.ts';

function initialModel(instance: Instance, { addTask }: Operations): Model {
  const slots = slotsOf(instance);
  const named = instance.namedWorkers ?? 0;
  // From a capacity of none, the arrays grow while the tasks are added. Where more are added later there is room
  // for them from the start, since the keys have a byte for every slot.
  const executor = createState(instance.workers, instance.arrivals === undefined ? 0 : slots);
  const left = range(slots).map(() => range(sourcesOf(instance)).map(() => 0));
  for (const { kind, sources } of instance.tasks) {
    const slot = addTask(executor, kind, sources.length);
    sources.forEach((triggers, source) => {
      left[slot][source] = asLeft(triggers);
    });
  }
  return {
    executor,
    left,
    owed: range(slots).map(() => false),
    inFlight: range(slots).map(() => false),
    live: range(slots).map((slot) => slot < instance.tasks.length),
    lastTook: range(named).map(() => 0),
    busy: range(named).map(() => false),
    arrived: 0,
    settled: false,
    fault: '',
  };
}

export interface SystemOptions {
  readonly mutations?: Partial<Operations>;
  /** Which faults of a step are kept in the state; the others leave no mark, as if nobody had looked. */
  readonly keeps?: (fault: string) => boolean;
}

export function shippedSystem(
  instance: Instance,
  { mutations = {}, keeps = () => true }: SystemOptions = {},
): System<Model> {
  const used = { ...operations, ...mutations };
  const marked = (model: Model | undefined): Model | undefined => {
    if (model !== undefined && !keeps(model.fault)) model.fault = '';
    return model;
  };
  return {
    initial: () => initialModel(instance, used),
    actions: shippedActions(instance, used).map((action) => ({
      ...action,
      step: (model) => marked(action.step(model)),
    })),
    ...shippedCodec(instance, initialModel(instance, operations)),
  };
}

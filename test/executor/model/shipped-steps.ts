/** What a single step of the executor can do wrong, and how a step is run so that it shows. */

import { queueOf } from './shipped-lists.ts';
import type { Model } from './shipped-model.ts';

/** What a step can do wrong. Each of these is a property of the executor, and each is refuted by a planted fault. */
export const STEP_FAULTS = {
  answer: 'a trigger is told what became of it',
  queueUntouched: 'only a pass and a take change the queue',
  passMovesAll: 'a pass moves every task that waits and is triggered, once',
  timersFirst: 'timers before subscribers within a pass',
  fifo: 'first in, first out',
  takeIdle: 'a free worker finds what is queued',
  stopped: 'nothing starts once stopped',
  unprompted: 'no run without a trigger of its own',
  reuse: 'a slot is given to one task at a time',
  ownAssertion: "the executor's own assertions hold",
};

/** Runs a step; what it throws, the executor's own assertions included, is a fault like any other. */
export function guarded(model: Model, step: () => string | undefined): Model {
  try {
    model.fault = step() ?? '';
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('Executor invariant broken'))) throw error;
    model.fault = STEP_FAULTS.ownAssertion;
  }
  return model;
}

export const sameList = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((task, index) => task === b[index]);

/** A step after which the queue must be as it was. */
export function besideTheQueue(model: Model, step: () => string | undefined): Model {
  const before = queueOf(model.executor);
  return guarded(model, () => {
    const fault = step();
    return fault ?? (sameList(before, queueOf(model.executor)) ? undefined : STEP_FAULTS.queueUntouched);
  });
}

/** A planted fault: what it overrides, where it is looked for, and which property must refute it. */
import { type ExecutorState, NONE, QUEUED, RUNNING, SUBSCRIBER, TIMER } from '../../../src/executor/state.ts';
import { RUN_QUEUE, walk } from './shipped-lists.ts';
import type { Instance, Operations, TaskPlan } from './shipped-model.ts';

export interface Mutant {
  readonly name: string;
  readonly mutations: Partial<Operations>;
  readonly instance: Instance;
  readonly refutes: string;
  /** Set where the mutant breaks an invariant first, to see the liveness property fail as well. */
  readonly only?: readonly string[];
}

export const timer = (...sources: number[]): TaskPlan => ({ kind: TIMER, sources });
export const subscriber = (...sources: number[]): TaskPlan => ({ kind: SUBSCRIBER, sources });
export const ever = Number.POSITIVE_INFINITY;

export const small: Instance = { workers: 1, tasks: [timer(2), subscriber(2)] };
export const stoppable: Instance = { ...small, stops: 'any moment' };
export const endless: Instance = { workers: 1, tasks: [timer(ever), subscriber(ever)] };
export const changing: Instance = { workers: 1, tasks: [timer(1), subscriber(1)], arrivals: [subscriber(1)] };

/** Makes a list of the given tasks, from head to tail. */
export function relink(state: ExecutorState, list: number, tasks: readonly number[]): void {
  state.lists[2 * list] = tasks[0] ?? NONE;
  state.lists[2 * list + 1] = tasks.at(-1) ?? NONE;
  tasks.forEach((task, index) => {
    state.next[task] = tasks[index + 1] ?? NONE;
  });
}

/** The pass, with its list of tasks to move, in their order, changed. */
export function passWith(choose: (ready: number[], state: ExecutorState) => number[]): Operations['pass'] {
  return (state) => {
    const ready = [...walk(state, TIMER), ...walk(state, SUBSCRIBER)];
    const chosen = choose(ready, state);
    const queue = [...walk(state, RUN_QUEUE), ...chosen];
    for (const task of chosen) {
      state.phase[task] = QUEUED;
      state.triggered[task] = 0;
    }
    for (const kind of [TIMER, SUBSCRIBER]) {
      relink(
        state,
        kind,
        walk(state, kind).filter((task) => !chosen.includes(task)),
      );
    }
    relink(state, RUN_QUEUE, queue);
    state.triggeredCount -= chosen.length;
    state.queuedCount += chosen.length;
    return chosen.length;
  };
}

/** The take, with another bound or another choice. */
export function takeWith(
  allowed: (state: ExecutorState) => boolean,
  choose: (queue: number[]) => number | undefined = (queue) => queue[0],
): Operations['take'] {
  return (state) => {
    const queue = walk(state, RUN_QUEUE);
    const task = allowed(state) ? choose(queue) : undefined;
    if (task === undefined) return NONE;
    relink(
      state,
      RUN_QUEUE,
      queue.filter((other) => other !== task),
    );
    state.next[task] = NONE;
    state.phase[task] = RUNNING;
    state.queuedCount--;
    state.runningCount++;
    return task;
  };
}

/** Reading the executor's lists without trusting them: a list that is broken must not hang the one who checks it. */
import type { ExecutorState } from '../../../src/executor/state.ts';

/** How the lists lie in `lists`: head and tail side by side, the ready lists at the number of their kind. */
export const RUN_QUEUE = 2;
export const FREE_LIST = 3;

/** The tasks of a list from head to tail, cut off where it has run in a circle or out of the arrays. */
export function walk(state: ExecutorState, list: number): number[] {
  const tasks: number[] = [];
  let task = state.lists[2 * list];
  while (task >= 0 && task < state.size && tasks.length <= state.size) {
    tasks.push(task);
    task = state.next[task];
  }
  return tasks;
}

export const queueOf = (state: ExecutorState): number[] => walk(state, RUN_QUEUE);

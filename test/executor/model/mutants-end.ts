/** Faults on the way from a run to the end: planted in `finish`, in what says that all is over, and in the slots. */
import { type ExecutorState, type Kind, NONE, WAITING } from '../../../src/executor/state.ts';
import { changing, type Mutant, relink, small, timer } from './mutant.ts';
import { FREE_LIST } from './shipped-lists.ts';
import { type Operations, operations } from './shipped-model.ts';
import { PROPERTIES } from './shipped-properties.ts';
import { STEP_FAULTS } from './shipped-steps.ts';

const finishForgettingToReady: Operations['finish'] = (state, task) => {
  state.phase[task] = WAITING;
  state.runningCount--;
};

const finishMutants: Mutant[] = [
  {
    name: 'finish forgets to make a remembered trigger ready',
    mutations: { finish: finishForgettingToReady },
    instance: small,
    refutes: PROPERTIES.lists,
  },
  {
    name: 'finish forgets to make a remembered trigger ready, to the end',
    mutations: { finish: finishForgettingToReady },
    instance: small,
    refutes: PROPERTIES.deadlock,
    only: [PROPERTIES.deadlock],
  },
  {
    name: 'finish leaves the worker counted as busy',
    mutations: {
      finish: (state, task) => {
        operations.finish(state, task);
        state.runningCount++;
      },
    },
    instance: small,
    refutes: PROPERTIES.counters,
  },
  {
    name: 'finish leaves the worker counted as busy, to the end',
    mutations: {
      finish: (state, task) => {
        operations.finish(state, task);
        state.runningCount++;
      },
    },
    instance: small,
    refutes: PROPERTIES.termination,
    only: [PROPERTIES.termination],
  },
  {
    name: 'finish readies a task that nobody triggered',
    mutations: {
      finish: (state, task) => {
        if (state.triggered[task] === 0) state.triggeredCount++;
        state.triggered[task] = 1;
        operations.finish(state, task);
      },
    },
    instance: small,
    refutes: STEP_FAULTS.unprompted,
    only: [STEP_FAULTS.unprompted],
  },
];

const doneMutants: Mutant[] = [
  {
    name: 'done although a trigger is remembered',
    mutations: {
      isDone: (state) => state.openSourceCount === 0 && state.queuedCount === 0 && state.runningCount === 0,
    },
    instance: small,
    refutes: PROPERTIES.doneEarly,
  },
  {
    name: 'done although a callback still runs',
    mutations: {
      isDone: (state) => state.openSourceCount === 0 && state.triggeredCount === 0 && state.queuedCount === 0,
    },
    instance: small,
    refutes: PROPERTIES.afterwards,
    only: [PROPERTIES.afterwards],
  },
  {
    name: 'the first source to end counts for all (X3)',
    mutations: {
      isDone: (state) =>
        state.openSources.subarray(0, state.size).includes(0) &&
        state.triggeredCount + state.queuedCount + state.runningCount === 0,
    },
    instance: small,
    refutes: PROPERTIES.doneEarly,
  },
  {
    name: 'the first source of a task to end counts for the whole task',
    mutations: {
      endSource: (state, task) => {
        state.openSourceCount -= state.openSources[task];
        state.openSources[task] = 0;
      },
    },
    instance: { workers: 1, tasks: [timer(1, 1)] },
    refutes: PROPERTIES.doneEarly,
    only: [PROPERTIES.doneEarly],
  },
  {
    name: 'done only for those that ever ran',
    mutations: { isDone: (state) => operations.isDone(state) && !state.triggered.includes(0) },
    instance: small,
    refutes: PROPERTIES.doneLate,
  },
  {
    name: 'nothing is ever ready',
    mutations: { hasReady: () => false },
    instance: small,
    refutes: PROPERTIES.vacuous,
    only: [PROPERTIES.vacuous],
  },
];

const slotMutants: Mutant[] = [
  {
    name: 'a task is spent although a run is owed to it',
    mutations: { isSpent: (state, task) => state.openSources[task] === 0 },
    instance: changing,
    refutes: PROPERTIES.questions,
  },
  {
    name: 'a slot is given away and kept',
    mutations: {
      addTask: (state: ExecutorState, kind: Kind, sources = 1) => {
        const free = state.lists[2 * FREE_LIST];
        const slot = operations.addTask(state, kind, sources);
        return free === NONE ? slot : state.size - 1;
      },
    },
    instance: changing,
    refutes: STEP_FAULTS.reuse,
  },
  {
    name: 'a released slot is lost',
    mutations: {
      release: (state, task) => {
        operations.release(state, task);
        relink(state, FREE_LIST, []);
      },
    },
    instance: changing,
    refutes: PROPERTIES.lists,
  },
];

export const endMutants: readonly Mutant[] = [...finishMutants, ...doneMutants, ...slotMutants];

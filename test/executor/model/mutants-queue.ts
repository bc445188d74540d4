/** Faults on the way from a trigger to a run: planted in `trigger`, `pass` and `take`. */
import {
  ACCEPTED,
  COALESCED,
  NONE,
  QUEUED,
  REFUSED,
  REMEMBERED,
  RUNNING,
  TIMER,
} from '../../../src/executor/state.ts';
import {
  endless,
  ever,
  type Mutant,
  passWith,
  relink,
  small,
  stoppable,
  subscriber,
  takeWith,
  timer,
} from './mutant.ts';
import { RUN_QUEUE, walk } from './shipped-lists.ts';
import { operations } from './shipped-model.ts';
import { PROPERTIES } from './shipped-properties.ts';
import { STEP_FAULTS } from './shipped-steps.ts';

const lifo = takeWith(operations.canTake, (queue) => queue.at(-1));

const triggerMutants: Mutant[] = [
  {
    name: 'a trigger while running is dropped',
    mutations: {
      trigger: (state, task) =>
        state.phase[task] === RUNNING && !state.stopped && state.triggered[task] === 0
          ? REMEMBERED
          : operations.trigger(state, task),
    },
    instance: small,
    refutes: PROPERTIES.lost,
  },
  {
    name: 'a trigger while queued asks for a run of its own',
    mutations: {
      trigger: (state, task) => {
        const answer = operations.trigger(state, task);
        if (answer === COALESCED && state.phase[task] === QUEUED && state.triggered[task] === 0) {
          state.triggered[task] = 1;
          state.triggeredCount++;
        }
        return answer;
      },
    },
    instance: small,
    refutes: PROPERTIES.twice,
  },
  {
    name: 'a trigger while running makes the running task ready',
    mutations: {
      trigger: (state, task) => {
        const answer = operations.trigger(state, task);
        const kind = state.kind[task];
        if (answer === REMEMBERED) relink(state, kind, [...walk(state, kind), task]);
        return answer;
      },
    },
    instance: small,
    refutes: STEP_FAULTS.ownAssertion,
    only: [STEP_FAULTS.ownAssertion],
  },
  {
    name: 'a trigger while queued is queued once more',
    mutations: {
      trigger: (state, task) => {
        const answer = operations.trigger(state, task);
        if (state.phase[task] === QUEUED) relink(state, RUN_QUEUE, [...walk(state, RUN_QUEUE), task]);
        return answer;
      },
    },
    instance: small,
    refutes: STEP_FAULTS.queueUntouched,
  },
  {
    name: 'a trigger while running is told that it was accepted',
    mutations: {
      trigger: (state, task) => {
        const answer = operations.trigger(state, task);
        return answer === REMEMBERED ? ACCEPTED : answer;
      },
    },
    instance: small,
    refutes: STEP_FAULTS.answer,
  },
  {
    name: 'a trigger after the stop enters the wait set',
    mutations: {
      trigger: (state, task) => {
        if (!state.stopped) return operations.trigger(state, task);
        state.stopped = false;
        operations.trigger(state, task);
        state.stopped = true;
        return REFUSED;
      },
    },
    instance: stoppable,
    refutes: PROPERTIES.twice,
  },
];

const passMutants: Mutant[] = [
  {
    name: 'the pass does not consume the wait-set entry (X2)',
    mutations: {
      pass: (state) => {
        const before = walk(state, RUN_QUEUE).length;
        const moved = operations.pass(state);
        for (const task of walk(state, RUN_QUEUE).slice(before)) state.triggered[task] = 1;
        state.triggeredCount += moved;
        return moved;
      },
    },
    instance: small,
    refutes: PROPERTIES.twice,
  },
  {
    name: 'the pass puts subscribers before timers',
    mutations: { pass: passWith((ready, state) => ready.toSorted((a, b) => state.kind[b] - state.kind[a])) },
    instance: small,
    refutes: STEP_FAULTS.timersFirst,
  },
  {
    name: 'the pass forgets the last of the ready tasks',
    mutations: { pass: passWith((ready) => (ready.length > 1 ? ready.slice(0, -1) : ready)) },
    instance: small,
    refutes: STEP_FAULTS.passMovesAll,
  },
  {
    name: 'the pass looks at subscribers only when no timer is ready',
    mutations: {
      pass: passWith((ready, state) => {
        const timers = ready.filter((task) => state.kind[task] === TIMER);
        return timers.length > 0 ? timers : ready;
      }),
    },
    instance: { workers: 1, tasks: [timer(ever), timer(ever), subscriber(ever)] },
    refutes: PROPERTIES.starvation,
    only: [PROPERTIES.starvation],
  },
];

const takeMutants: Mutant[] = [
  {
    name: 'the queue is taken from its tail',
    mutations: { take: lifo },
    instance: small,
    refutes: STEP_FAULTS.fifo,
  },
  {
    name: 'the queue is taken from its tail, for ever',
    mutations: { take: lifo },
    instance: endless,
    refutes: PROPERTIES.starvation,
    only: [PROPERTIES.starvation],
  },
  {
    name: 'one worker too many',
    mutations: {
      take: takeWith(
        (state) => !state.stopped && state.queuedCount > 0 && state.runningCount <= state.workers,
      ),
    },
    instance: small,
    refutes: PROPERTIES.bound,
  },
  {
    name: 'one worker too few',
    mutations: {
      take: takeWith((state) => operations.canTake(state) && state.runningCount < state.workers - 1),
    },
    instance: { ...small, workers: 2 },
    refutes: STEP_FAULTS.takeIdle,
  },
  {
    name: 'a worker takes although all is stopped',
    mutations: { take: takeWith((state) => state.queuedCount > 0 && state.runningCount < state.workers) },
    instance: stoppable,
    refutes: STEP_FAULTS.stopped,
  },
  {
    name: 'a taken task still counts as queued',
    mutations: {
      take: (state) => {
        const task = operations.take(state);
        if (task !== NONE) state.phase[task] = QUEUED;
        return task;
      },
    },
    instance: small,
    refutes: PROPERTIES.onePhase,
    only: [PROPERTIES.onePhase],
  },
];

export const queueMutants: readonly Mutant[] = [...triggerMutants, ...passMutants, ...takeMutants];

/** Faults planted into the executor that its model does not find: the model has room for all of its tasks, and no event loop. */
import type { PlantedFault } from '../faults/fault.ts';

const growing =
  'X2, X4 tasks that wait or queue while room is made for more are served, once, in their order';
const DIES = 'a thread that dies is a failed run with a clear message, and the next run has a new one';

export const EXECUTOR_FAULTS: readonly PlantedFault[] = [
  {
    name: 'more room forgets who is triggered',
    in: 'grow',
    find: 'bytes(state.triggered)',
    replace: 'new Uint8Array(capacity)',
    foundBy: ['executor/slots.test.ts', growing],
  },
  {
    name: 'more room forgets the order',
    in: 'grow',
    find: 'integers(state.next, NONE)',
    replace: 'new Int32Array(capacity).fill(NONE)',
    foundBy: ['executor/slots.test.ts', growing],
  },
  {
    name: 'more room forgets the kinds',
    in: 'grow',
    find: 'bytes(state.kind)',
    replace: 'new Uint8Array(capacity)',
    foundBy: ['executor/slots.test.ts', 'X2 a task that waits while room is made for more keeps its kind'],
  },
  {
    name: 'a place that is used again keeps its kind',
    in: 'addTask',
    find: 'state.kind',
    replace: 'if (task === state.size - 1) state.kind',
    foundBy: [
      'executor/slots.test.ts',
      'X4 a subscriber that has the place of a timer that ended goes after the timers',
    ],
  },
  {
    name: 'a trigger waits for the event loop to come round',
    in: 'Dispatcher.request',
    find: 'RESOLVED.then',
    replace: 'setImmediate',
    foundBy: ['executor/slots.test.ts', 'a trigger is served in the same turn of the event loop'],
  },
  {
    name: 'nobody is told what a thread died of',
    in: 'PoolWorker.#ended',
    find: 'this.#trouble ??',
    replace: '',
    foundBy: ['executor/threads.test.ts', DIES],
  },
  {
    name: 'a run is told the outcome of whatever its module posts',
    in: 'PoolWorker.constructor',
    find: "Reflect.get(Object(message), 'obbligato')",
    replace: 'Object(message)',
    foundBy: ['executor/threads.test.ts', 'what the module posts by itself is no outcome'],
  },
];

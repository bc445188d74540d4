/** Faults planted into the executor that its model does not find: the model has room for all of its tasks, and no event loop. */
import { describeFaults } from '../planted-fault.ts';

const growing =
  'X2, X4 tasks that wait or queue while room is made for more are served, once, in their order';

describeFaults('the executor', [
  {
    name: 'more room forgets who is triggered',
    file: 'executor/state.ts',
    find: 'state.triggered = bytes(state.triggered);',
    replace: 'state.triggered = new Uint8Array(capacity);',
    foundBy: ['executor/slots.test.ts', growing],
  },
  {
    name: 'more room forgets the order',
    file: 'executor/state.ts',
    find: 'state.next = integers(state.next, NONE);',
    replace: 'state.next = new Int32Array(capacity).fill(NONE);',
    foundBy: ['executor/slots.test.ts', growing],
  },
  {
    name: 'more room forgets the kinds',
    file: 'executor/state.ts',
    find: 'state.kind = bytes(state.kind);',
    replace: 'state.kind = new Uint8Array(capacity);',
    foundBy: ['executor/slots.test.ts', 'X2 a task that waits while room is made for more keeps its kind'],
  },
  {
    name: 'a place that is used again keeps its kind',
    file: 'executor/state.ts',
    find: 'state.kind[task] = kind;',
    replace: 'if (task === state.size - 1) state.kind[task] = kind;',
    foundBy: [
      'executor/slots.test.ts',
      'X4 a subscriber that has the place of a timer that ended goes after the timers',
    ],
  },
  {
    name: 'a trigger waits for the event loop to come round',
    file: 'executor/dispatcher.ts',
    find: 'RESOLVED.then(this.#onMicrotask);',
    replace: 'setImmediate(this.#onMicrotask);',
    foundBy: ['executor/slots.test.ts', 'a trigger is served in the same turn of the event loop'],
  },
]);

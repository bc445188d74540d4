/** Faults of what one instance leaves to another: dues and retries while an end is not durable, and the requests of one that died or stops. */
import type { PlantedFault } from '../../planted-fault.ts';
import { keptWorld } from './cluster-faults.ts';

export const LEFT_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K2 what came due before the end of a run was durable is left to the others',
    file: 'scheduler/dues.ts',
    find: '    for (const task of tasks) this.lookAt(task);\n',
    replace: '',
    foundBy: keptWorld(
      'a due that came after a run and before its end was durable: its instance left it to the others, and they to it',
    ),
  },
  {
    name: 'I3 an instance whose run has ended goes by a pause that another one has ended',
    file: 'scheduler/dues.ts',
    find: 'if (paused.length > 0)',
    replace: 'if (paused.length > 1000)',
    foundBy: keptWorld(
      'a run failed where its task was taken for paused, and another instance had let it go on: nobody retried it',
    ),
  },
  {
    name: 'I1 the answer to a request to run is not stored with the start that serves it',
    file: 'scheduler/operator.ts',
    find: 'if (this.#toRun.size === 0 || !this.#isShared) return;',
    replace: 'if (this.#toRun.size >= 0) return;',
    foundBy: keptWorld(
      'the instance of a run that was asked for died before it answered: the run was started again, and so was the request',
    ),
  },
  {
    name: 'I1 a start that is taken back leaves its request answered',
    file: 'simulation/cluster/database.ts',
    find: 'for (const request of requests) this.#reopen(request);',
    replace: 'void requests;',
    foundBy: [
      'simulation/cluster/conformance.test.ts',
      'I1 a start that is taken back opens its request again, and does so once',
    ],
  },
  {
    name: 'I5 K9 a run goes on under a list that its instance does not know',
    file: 'trace/merge/flights.ts',
    find: 'const under = isHeard || isSame ? undefined : counted;',
    replace: 'const under = isHeard || isSame || task !== "" ? undefined : counted;',
    foundBy: keptWorld('a due of the next list came during a run whose instance did not know that list yet'),
  },
  {
    name: 'I5 K9 a run goes on under the list of before when its instance has heard of the next one',
    file: 'trace/merge/flights.ts',
    find: 'const isHeard = flight.instance === instance && has(task);',
    replace: 'const isHeard = false;',
    foundBy: [
      'trace/merge-flights.test.ts',
      'I5 K9 the next list counts for a task that runs from when its instance hears of it',
    ],
  },
  {
    name: 'I3 K9 an instance that takes a task for paused does not tell of a later pause that the store has',
    file: 'store/sharing/shared-view.ts',
    find: 'tasks.isPaused(task) && this.#pauses.get(task) === pausedAt',
    replace: 'tasks.isPaused(task)',
    foundBy: keptWorld(
      'a pause whose answer was lost: another instance had let the task go on before it was told',
    ),
  },
  {
    name: 'I1 I5 the next list does not know which requests are over',
    file: 'scheduler/reload.ts',
    find: '      session,\n      hearer,\n',
    replace: '      session,\n      hearer: { ...hearer, over: new Set() },\n',
    foundBy: keptWorld(
      'the store showed a request again while the list was handed over: the next list applied it once more',
    ),
  },
];

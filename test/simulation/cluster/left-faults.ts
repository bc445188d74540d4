/** Faults of what one instance leaves to another: dues and retries while an end is not durable, and the requests of one that died or stops. */
import type { PlantedFault } from '../../faults/fault.ts';
import { keptWorld } from './cluster-faults.ts';

export const LEFT_FAULTS: readonly PlantedFault[] = [
  {
    name: 'I3 an instance whose run has ended goes by a pause that another one has ended',
    in: 'Dues.endsDurable',
    find: 'paused.length > 0',
    replace: 'paused.length > 1000',
    foundBy: keptWorld(
      'a run failed where its task was taken for paused, and another instance had let it go on: nobody retried it',
    ),
  },
  {
    name: 'I1 a start that is taken back leaves its request answered',
    in: 'ClusterDatabase.commit',
    find: 'for (const request of requests) this.#reopen(request);',
    replace: 'void requests;',
    foundBy: [
      'simulation/cluster/conformance.test.ts',
      'I1 a start that is taken back opens its request again, and does so once',
    ],
  },
  {
    name: 'I5 K9 a run goes on under the list of before when its instance has heard of the next one',
    in: 'Flights.listed',
    find: 'flight.instance === instance && has(task)',
    replace: 'false',
    foundBy: [
      'trace/merge-flights.test.ts',
      'I5 K9 the next list counts for a task that runs from when its instance hears of it',
    ],
  },
];

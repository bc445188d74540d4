/** Faults of lists: what an instance knows of the configurations of the others, and which list counts in a merged trace. */
import type { PlantedFault } from '../../faults/fault.ts';
import { keptWorld } from './cluster-faults.ts';

export const LIST_FAULTS: readonly PlantedFault[] = [
  {
    name: 'K5 who gives up a name that others have leaves its retry to nobody',
    in: 'commit',
    find: 'const isChanged = isGivenUp ||',
    replace: 'const isChanged = (isGivenUp && removed < 0) ||',
    foundBy: keptWorld(
      'an instance gave up a name whose retry it knew of alone: nobody retried before the next due',
    ),
  },
  {
    name: 'K5 I5 a run that fails after its instance has given the name up is retried by nobody',
    in: 'commit',
    find: 'batch.list === undefined ||',
    foundBy: [
      'scheduler/given-up-names.test.ts',
      'K5 I5 A6 the retry of a run that fails after its instance has given the name up is made in time by another one',
    ],
  },
  {
    name: 'K5 an instance that never had a name makes the others read their configurations again',
    in: 'commit',
    find: 'held.some((name) => batch.list === undefined || me.names.has(name))',
    replace: 'held.length > 0',
    foundBy: [
      'simulation/cluster/conformance.test.ts',
      'K5 who gives up a name that others have makes a new epoch, and who never had it makes none',
    ],
  },
  {
    name: 'K9 a claim is judged by a list that seems to come before it, as clocks are measured',
    in: 'OneScheduler.#under',
    find: 'MEASURED_WITHIN_MS',
    replace: '0 * MEASURED_WITHIN_MS',
    foundBy: keptWorld(
      'a start was granted right before another list, which seemed to come first: clocks are measured',
    ),
  },
  {
    name: 'H4 I5 K9 a run that its instance has not heard of goes by a list that came after its claim',
    in: 'Merge.entries',
    find: "item.kind === 'joined'",
    replace: "item.kind === 'problem'",
    foundBy: keptWorld(
      'a start was granted, its answer was lost, and another list came under which nothing was due: when its instance heard of the start, the due seemed too old',
    ),
  },
  {
    name: 'K4 K9 a start that its instance had not heard of when it was declared dead counts as told',
    in: 'Flights.isUnheard',
    find: "flight?.runId === runId ? 'granted' :",
    foundBy: [
      'trace/merge-flights.test.ts',
      'K4 K9 a start that its instance hears of when it is gone is cut off, and the next list counts from then on',
    ],
  },
  {
    name: 'K9 T11 a name begins when an instance finds it in the store, and not when it came',
    in: 'initSuccess',
    find: 'came.length > 0',
    replace: 'came.length < 0',
    foundBy: keptWorld(
      'an instance tried to join again, its list was stored, and it never heard of that: the next try found names that no trace told of',
    ),
  },
];

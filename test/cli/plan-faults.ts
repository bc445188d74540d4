/** Faults planted into what `plan`, `doctor` and `run` say of a store before it is used, and the test that finds each. */
import type { PlantedFault } from '../faults/fault.ts';

export const PLAN_FAULTS: readonly PlantedFault[] = [
  {
    name: 'doctor does not hear why a scheduler would refuse the file',
    in: 'checkStore',
    find: 'refusalChecks(inspection) ??',
    foundBy: ['cli/doctor.test.ts', 'E6 a file with two names is a cross, as a start refuses it'],
  },
  {
    name: 'an empty store in the place of one that is gone is passed over',
    in: 'Connection.open',
    find: 'hadLock && statusOf(location) === undefined ? goneText(path) :',
    foundBy: ['cli/store-taken.test.ts', 'a start that makes an empty store where one was before says so'],
  },
  {
    name: 'plan keeps quiet about the guard of removals',
    in: 'isRefused',
    find: "forgetsMost && guard === 'on'",
    replace: 'false',
    foundBy: ['cli/plan.test.ts', 'I6 says that the next start would refuse the list, and what lifts that'],
  },
];

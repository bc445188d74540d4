/** Faults planted into what monitoring counts, and the test that finds each. */
import type { PlantedFault } from '../faults/fault.ts';

export const TELEMETRY_FAULTS: readonly PlantedFault[] = [
  {
    name: 'I5 each list that a scheduler takes makes it up once more',
    in: 'Recorder.#setUp',
    find: 'if (isUp !== this.#isUp)',
    foundBy: ['telemetry/metrics.test.ts', 'I5 a scheduler that reloads is up once'],
  },
  {
    name: 'D7 one more beat after a stop that came during the look',
    in: 'DeadMansSwitch.#look',
    find: 'isWell && this.#isUp &&',
    replace: 'isWell &&',
    foundBy: [
      'telemetry/dead-mans-switch.test.ts',
      'D7 a look at the store that a stop overtakes beats no more',
    ],
  },
  {
    name: 'E8 the store stays in trouble when its scheduler has stopped',
    in: 'Recorder.#hearScheduler',
    find: "case 'SchedulerStopped': this.#setTroubled(false);",
    replace: "case 'SchedulerStopped':",
    foundBy: [
      'telemetry/metrics.test.ts',
      'E8 a stop ends the trouble of the store: nobody waits for it any more',
    ],
  },
];

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

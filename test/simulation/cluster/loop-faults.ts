/** Faults of loops: an instance asks the database again and again, or a world takes for a loop what is none. */
import type { PlantedFault } from '../../faults/fault.ts';
import { foundBy, keptWorld } from './cluster-faults.ts';

const retriedAtOnce = keptWorld(
  'a task that times out each time and is retried without a delay: the world was taken for stuck',
);

export const LOOP_FAULTS: readonly PlantedFault[] = [
  {
    name: 'A7 an instance looks for what others have left fifty times in a second',
    in: 'SharedView.#sweepLater',
    find: 'SWEEP_MS',
    replace: '20',
    foundBy,
  },
  {
    name: 'A7 a heartbeat follows the other without a pause',
    in: 'Heartbeat.#goOn',
    find: 'Math.min(LONGEST_BEAT_MS, leaseMs / BEATS_PER_LEASE)',
    replace: '0',
    foundBy,
  },
  {
    name: 'A7 the events of a world are counted without what starts in it',
    in: 'whyStuck',
    find: 'EVENTS_PER_START * starts',
    replace: 'EVENTS_PER_START',
    foundBy: retriedAtOnce,
  },
  {
    name: 'A7 a timer that was cancelled is still an event of the world',
    in: 'Host.#plan',
    find: 'planned.cancel();',
    foundBy: retriedAtOnce,
  },
];

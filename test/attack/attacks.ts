/** All attacks, in the order in which they are played. */
import type { Attack } from './attack.ts';
import { clockSteps } from './clock-steps.ts';
import { corruption } from './corruption.ts';
import { descriptors } from './descriptors.ts';
import { diskFull } from './disk-full.ts';
import { hanging } from './hanging.ts';
import { ioErrors } from './io-errors.ts';
import { killStorm } from './kill-storm.ts';
import { paused } from './paused.ts';
import { postgresFull } from './postgres-full.ts';
import { race } from './race.ts';
import { readOnly } from './read-only.ts';
import { replaced } from './replaced.ts';
import { soak } from './soak.ts';

export const ATTACKS: readonly Attack[] = [
  diskFull,
  postgresFull,
  readOnly,
  ioErrors,
  hanging,
  descriptors,
  replaced,
  corruption,
  paused,
  clockSteps,
  race,
  killStorm,
  soak,
];

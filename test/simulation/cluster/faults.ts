/** All faults of what instances do together. */
import { CLUSTER_FAULTS } from './cluster-faults.ts';
import { CONTROL_FAULTS } from './control-faults.ts';
import { LEFT_FAULTS } from './left-faults.ts';
import { LIST_FAULTS } from './list-faults.ts';
import { LOOP_FAULTS } from './loop-faults.ts';
import { MOVE_FAULTS } from './move-faults.ts';

export const SHARED_FAULTS = [
  ...CLUSTER_FAULTS,
  ...CONTROL_FAULTS,
  ...LEFT_FAULTS,
  ...LIST_FAULTS,
  ...LOOP_FAULTS,
  ...MOVE_FAULTS,
];

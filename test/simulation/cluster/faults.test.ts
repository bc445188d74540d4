/** Worlds of several instances find bugs: every planted fault, in seconds. */
import { describeFaults } from '../../planted-fault.ts';
import { CLUSTER_FAULTS } from './cluster-faults.ts';
import { CONTROL_FAULTS } from './control-faults.ts';
import { LEFT_FAULTS } from './left-faults.ts';
import { LIST_FAULTS } from './list-faults.ts';
import { LOOP_FAULTS } from './loop-faults.ts';
import { MOVE_FAULTS } from './move-faults.ts';

describeFaults('what instances do together', [
  ...CLUSTER_FAULTS,
  ...CONTROL_FAULTS,
  ...LEFT_FAULTS,
  ...LIST_FAULTS,
  ...LOOP_FAULTS,
  ...MOVE_FAULTS,
]);

/** Worlds of several instances find bugs: every planted fault, in seconds. */
import { describeFaults } from '../../faults/describe.ts';
import { SHARED_FAULTS } from './faults.ts';

describeFaults('what instances do together', SHARED_FAULTS);

/** The tests of the executor find bugs. */
import { describeFaults } from '../faults/describe.ts';
import { EXECUTOR_FAULTS } from './executor-faults.ts';

describeFaults('the executor', EXECUTOR_FAULTS);

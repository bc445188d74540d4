/** The tests of the scheduler and its core find bugs: each planted fault fails the test that is said to find it. */
import { describeFaults } from '../faults/describe.ts';
import { SCHEDULER_FAULTS } from './scheduler-faults.ts';

describeFaults('the scheduler and its core', SCHEDULER_FAULTS);

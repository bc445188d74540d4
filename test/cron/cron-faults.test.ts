/** The tests of the cron engine find bugs. */
import { describeFaults } from '../faults/describe.ts';
import { CRON_FAULTS } from './cron-faults.ts';

describeFaults('the cron engine', CRON_FAULTS);

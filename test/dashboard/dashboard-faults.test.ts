/** The tests of the dashboard find bugs. */
import { describeFaults } from '../faults/describe.ts';
import { DASHBOARD_FAULTS } from './dashboard-faults.ts';

describeFaults('the dashboard', DASHBOARD_FAULTS);

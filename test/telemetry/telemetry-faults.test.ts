/** The tests of the metrics find bugs. */
import { describeFaults } from '../faults/describe.ts';
import { TELEMETRY_FAULTS } from './telemetry-faults.ts';

describeFaults('what is counted', TELEMETRY_FAULTS);

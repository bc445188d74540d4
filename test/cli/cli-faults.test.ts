/** The tests of the command line and of `command()` find bugs. */
import { describeFaults } from '../faults/describe.ts';
import { CLI_FAULTS } from './cli-faults.ts';

describeFaults('the command line and command()', CLI_FAULTS);

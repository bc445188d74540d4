/** The tests of the command line and of `command()` find bugs. */
import { describeFaults } from '../planted-fault.ts';
import { CLI_FAULTS } from './cli-faults.ts';

describeFaults('the command line and command()', CLI_FAULTS);

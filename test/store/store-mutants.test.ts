/** The tests of the store find bugs. */
import { describeFaults } from '../faults/describe.ts';
import { STORE_MUTANTS } from './store-mutants.ts';

describeFaults('the store', STORE_MUTANTS);

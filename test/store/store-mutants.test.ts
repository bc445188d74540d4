/** The tests of the store find bugs: each fault is planted by fixtures/planted-fault-hook.ts, and fails the test that is said to find it. */
import { describeFaults } from '../planted-fault.ts';
import { STORE_MUTANTS } from './store-mutants.ts';
import { UPKEEP_MUTANTS } from './upkeep-mutants.ts';

describeFaults(
  'the store',
  [...STORE_MUTANTS, ...UPKEEP_MUTANTS].map((mutant) => ({ ...mutant, file: `store/${mutant.file}` })),
);

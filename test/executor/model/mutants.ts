/**
 * Faults that one could have made in the executor, each planted in a copy of one or two of its operations. Together
 * they refute every property, so that none of the checks is idle.
 */
import type { Mutant } from './mutant.ts';
import { endMutants } from './mutants-end.ts';
import { queueMutants } from './mutants-queue.ts';

export const mutants: readonly Mutant[] = [...queueMutants, ...endMutants];

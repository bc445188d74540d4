import { Crash, Frozen } from '../alphabet.ts';
import { G, implies } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const EA1: Axiom = {
  id: 'EA1',
  name: 'Busy crashing',
  part: 'environment',
  scope: 'trace',
  blame: 'environment',
  says: 'No work is done around a crash.',
  formula: G(implies(Crash, Frozen)),
};

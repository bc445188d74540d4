import { Frozen } from '../alphabet.ts';
import { F, G } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const EA4: Axiom = {
  id: 'EA4',
  name: 'Unlimited freeze',
  part: 'environment',
  scope: 'trace',
  blame: 'environment',
  says: 'There are always instants at which no work is done.',
  formula: G(F(Frozen)),
  unbreakable: 'It speaks of infinitely many intervals.',
};

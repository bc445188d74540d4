import { Unfrozen } from '../alphabet.ts';
import { F, G } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const A1: Axiom = {
  id: 'A1',
  name: 'Eventual thawing',
  part: 'assumptions',
  scope: 'trace',
  blame: 'environment',
  says: 'There is always work to be done again.',
  formula: G(F(Unfrozen)),
  unbreakable: 'It speaks of infinitely many intervals.',
};

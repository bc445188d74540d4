import { Due } from '../alphabet.ts';
import { F, G, not, or } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const EA5: Axiom = {
  id: 'EA5',
  name: 'Unlimited dues',
  part: 'environment',
  scope: 'trace',
  blame: 'environment',
  says: 'A schedule matches infinitely often, or never.',
  formula: or(G(F(Due)), G(not(Due))),
  unbreakable: 'It speaks of infinitely many dues.',
};

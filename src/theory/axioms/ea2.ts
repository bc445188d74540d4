import { IE, IS, RE, RS, SE, SS, Unfrozen } from '../alphabet.ts';
import { G, implies, or } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const EA2: Axiom = {
  id: 'EA2',
  name: 'Actions require work',
  part: 'environment',
  scope: 'trace',
  blame: 'environment',
  says: 'Nothing is seen to happen while the machine is frozen.',
  formula: G(implies(or(RE, RS, IS, IE, SS, SE), Unfrozen)),
};

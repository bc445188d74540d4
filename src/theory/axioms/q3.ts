import { IE, RS, SE } from '../alphabet.ts';
import { G, implies, not, W } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const Q3: Axiom = {
  id: 'Q3',
  name: 'Quiescence after stop',
  part: 'theorems',
  scope: 'task',
  blame: 'scheduler',
  says: 'After stop() has returned nothing starts before the next initialization ends.',
  formula: G(implies(SE, W(not(RS), IE))),
};

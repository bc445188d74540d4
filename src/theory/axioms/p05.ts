import { IE, RS, SE } from '../alphabet.ts';
import { G, implies, not, W } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const P5: Axiom = {
  id: 'P5',
  name: 'Stop quiescence',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'After stop() has returned nothing starts before the next initialization ends.',
  formula: G(implies(SE, W(not(RS), IE))),
  repaired: 'The seed promises it only if another initialization ever comes; here it holds in any case.',
};

import { Crash, IE, RS } from '../alphabet.ts';
import { G, implies, not, W } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const Q1: Axiom = {
  id: 'Q1',
  name: 'Quiescence after crash',
  part: 'theorems',
  scope: 'task',
  blame: 'scheduler',
  says: 'After a crash nothing starts before the next initialization ends.',
  formula: G(implies(Crash, W(not(RS), IE))),
};

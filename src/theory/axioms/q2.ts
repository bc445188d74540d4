import { RS } from '../alphabet.ts';
import { G, implies, not, Y } from '../formula.ts';
import { Running } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const Q2: Axiom = {
  id: 'Q2',
  name: 'Per-task non-overlap',
  part: 'theorems',
  scope: 'task',
  blame: 'scheduler',
  says: 'A task does not start while it runs.',
  formula: G(implies(RS, not(Y(Running)))),
};

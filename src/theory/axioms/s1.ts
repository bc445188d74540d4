import { RS } from '../alphabet.ts';
import { G, implies, Y } from '../formula.ts';
import { Obligation } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const S1: Axiom = {
  id: 'S1',
  name: 'Start safety',
  part: 'scheduler',
  scope: 'task',
  blame: 'scheduler',
  says: 'A run begins only where one was owed right before.',
  formula: G(implies(RS, Y(Obligation))),
  repaired: 'Obligation with T1, T2, T4, T5, T7; an end or a start lost in a crash is accepted (T10, T11).',
};

import { RE } from '../alphabet.ts';
import { G, implies, Y } from '../formula.ts';
import { Running } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const S4: Axiom = {
  id: 'S4',
  name: 'Ends follow starts',
  part: 'scheduler',
  scope: 'task',
  blame: 'environment',
  says: 'A run ends only if it was running right before.',
  formula: G(implies(RE, Y(Running))),
  repaired: 'Ends are the environment’s (T9): a broken S4 blames the environment or the recorder.',
};

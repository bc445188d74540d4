import { Crash, DueThen, RS, SS } from '../alphabet.ts';
import { F, G, implies, or } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const P15: Axiom = {
  id: 'P15',
  name: 'Eventual execution',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'A task that is due again and again starts again and again.',
  formula: G(implies(DueThen, F(or(RS, SS, Crash)))),
  repaired: 'With a run that never ends it cannot hold; L1 is what can.',
  unbreakable: 'A start that has not come may still come.',
};

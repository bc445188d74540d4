import { Crash, DueThen, RS, SS } from '../alphabet.ts';
import { F, G, implies, or } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const P17: Axiom = {
  id: 'P17',
  name: 'Recovery after crash',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'After a crash and an initialization, a task that is due again and again starts again and again.',
  formula: G(implies(DueThen, F(or(RS, SS, Crash)))),
  repaired: 'The seed speaks of every future of every crash; what is left after an initialization is P15.',
  unbreakable: 'A start that has not come may still come.',
};

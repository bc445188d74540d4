import { Crash, RE, RS } from '../alphabet.ts';
import { F, G, implies, or } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const A2: Axiom = {
  id: 'A2',
  name: 'Starts eventually settle',
  part: 'assumptions',
  scope: 'task',
  blame: 'environment',
  says: 'Every run ends, or a crash ends it.',
  formula: G(implies(RS, F(or(RE, Crash)))),
  unbreakable: 'A run that has not ended may still end.',
};

import { Crash, RE, RS } from '../alphabet.ts';
import { G, implies, not, W } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const EA6: Axiom = {
  id: 'EA6',
  name: 'Crash/RE consistency',
  part: 'environment',
  scope: 'task',
  blame: 'environment',
  says: 'After a crash no run ends before one has begun.',
  formula: G(implies(Crash, W(not(RE), RS))),
};

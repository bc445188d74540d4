import { Crash, RE, RS } from '../alphabet.ts';
import { G, implies, not, W } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const P14: Axiom = {
  id: 'P14',
  name: 'No fabricated completions',
  part: 'polling',
  scope: 'task',
  blame: 'environment',
  says: 'After a crash no run ends before one has begun.',
  formula: G(implies(Crash, W(not(RE), RS))),
  repaired: 'Written with W; it is EA6.',
};

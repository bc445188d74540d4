import { Crash, RE, RS } from '../alphabet.ts';
import { G, implies, not, or, W, X } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const P2: Axiom = {
  id: 'P2',
  name: 'Per-task non-overlap',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'Between two starts of a task lies an end, or a crash.',
  formula: G(implies(RS, X(W(not(RS), or(RE, Crash))))),
  repaired:
    'The seed knows no crash here: a run that was cut off has no end, and its restart would be forbidden.',
};

import { Crash, DueThen, IEs, REf, RS } from '../alphabet.ts';
import { and, G, implies, not, or, S, W, X } from '../formula.ts';
import { Renewal } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P4: Axiom = {
  id: 'P4',
  name: 'No make-up executions',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'However much was missed, one start makes up for it.',
  formula: G(implies(and(RS, S(not(DueThen), IEs)), X(W(not(RS), or(Renewal, REf, Crash))))),
  repaired:
    'The seed counts retries and restarts after a crash as make-up runs; here a failure or a crash allows the next start.',
};

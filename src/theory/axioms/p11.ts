import { Crash, REf, RS } from '../alphabet.ts';
import { and, G, implies, not, or, W, X, Y } from '../formula.ts';
import { DuePending, Renewal, RetryPending } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P11: Axiom = {
  id: 'P11',
  name: 'Due and retry together start once',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'Where a due and a retry are pending together, one start serves both.',
  formula: G(implies(and(RS, Y(and(DuePending, RetryPending))), X(W(not(RS), or(Renewal, REf, Crash))))),
  repaired:
    'The seed forbids two starts at one instant, which is always so (EA3); what it must mean is that the second reason does not cause a second start.',
};

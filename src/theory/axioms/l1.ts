import { RS } from '../alphabet.ts';
import { Fcomp, G, implies, not, or, someList } from '../formula.ts';
import { ActiveR, ObligationR } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const L1: Axiom = {
  id: 'L1',
  name: 'Obligation fulfillment',
  part: 'scheduler',
  scope: 'task',
  blame: 'scheduler',
  says: 'What is owed is started, within the compute and the lag that the witnesses grant.',
  formula: G(not(someList(not(implies(ObligationR, Fcomp(or(RS, not(ActiveR)))))))),
  repaired:
    'With a bound on workers, only time in which a worker was free counts. Time that the store or a clock step took is the environment’s.',
};

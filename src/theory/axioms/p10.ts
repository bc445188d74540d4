import { RS } from '../alphabet.ts';
import { and, Fcomp, G, implies, not, or, someList } from '../formula.ts';
import { ActiveR, OrphanedPending, RegisteredRx } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P10: Axiom = {
  id: 'P10',
  name: 'Crash-interrupted callback restart',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'A run that a crash cut off is started again, within the bound.',
  formula: G(
    not(someList(not(implies(and(OrphanedPending, RegisteredRx, ActiveR), Fcomp(or(RS, not(ActiveR))))))),
  ),
  repaired:
    'The seed demands an initialization after every crash, of a scheduler that is dead; here the demand begins when one has succeeded with the task in its list.',
};

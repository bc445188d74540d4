import { RS } from '../alphabet.ts';
import { and, Fcomp, G, implies, not, or, someList } from '../formula.ts';
import { ActiveR, DuePending, RegisteredRx } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P13: Axiom = {
  id: 'P13',
  name: 'Bounded scheduling lag',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'What is due is started, within the bound.',
  formula: G(
    not(someList(not(implies(and(DuePending, RegisteredRx, ActiveR), Fcomp(or(RS, not(ActiveR))))))),
  ),
  repaired:
    'A retry never holds a due back (A8); a running task is due again when it ends; the bound is the witnesses’, not one minute.',
};

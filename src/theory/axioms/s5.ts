import { Excused, IEf, IEsIn, Valid } from '../alphabet.ts';
import { and, G, implies } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const S5: Axiom = {
  id: 'S5',
  name: 'Registration consistency',
  part: 'scheduler',
  scope: 'call',
  blame: 'scheduler',
  says: 'A valid list of registrations is accepted, and any other is rejected.',
  formula: and(G(implies(and(IEf, Valid), Excused)), G(implies(IEsIn, Valid))),
  repaired:
    'A valid list may fail while the scheduler is active or another initialization runs, or because the store could not be read, written or locked (T6).',
};

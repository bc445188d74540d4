import { Crash, SE, SS } from '../alphabet.ts';
import { Fcomp, G, implies, or } from '../formula.ts';
import { FirstQuiescentSince } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const L3: Axiom = {
  id: 'L3',
  name: 'Stop completes after first quiescence',
  part: 'scheduler',
  scope: 'call',
  blame: 'scheduler',
  says: 'Once nothing runs any more, stop() ends, within the compute and the lag that the witnesses grant.',
  formula: G(implies(FirstQuiescentSince(SS), Fcomp(or(SE, Crash)))),
  repaired:
    'The first quiescence at or after the stop, which the letter never finds if something runs (T3); any stop, not only one of a registered list (T12).',
};

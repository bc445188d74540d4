import { Crash, SE, SS } from '../alphabet.ts';
import { Fcomp, G, implies, or } from '../formula.ts';
import { FirstQuiescentSince } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P16: Axiom = {
  id: 'P16',
  name: 'Termination of stop',
  part: 'polling',
  scope: 'call',
  blame: 'scheduler',
  says: 'stop() ends once nothing runs.',
  formula: G(implies(FirstQuiescentSince(SS), Fcomp(or(SE, Crash)))),
  repaired:
    'A callback that never ends holds stop() for ever, so the demand begins when nothing runs; what may start afterwards is P5.',
};

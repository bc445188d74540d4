import { Crash, IE, IS } from '../alphabet.ts';
import { Fcomp, G, implies, or } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const L2: Axiom = {
  id: 'L2',
  name: 'Initialization completes',
  part: 'scheduler',
  scope: 'call',
  blame: 'scheduler',
  says: 'initialize() ends, within the compute and the lag that the witnesses grant.',
  formula: G(implies(IS, Fcomp(or(IE, Crash)))),
};

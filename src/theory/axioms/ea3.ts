import { IE, IS, RE, REOther, RS, RSOther, SE, SS } from '../alphabet.ts';
import { and, G, implies, not, or } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const EA3: Axiom = {
  id: 'EA3',
  name: 'No simultaneous actions',
  part: 'environment',
  scope: 'trace',
  blame: 'environment',
  says: 'Two actions never happen at one position, and none is recorded twice.',
  formula: and(
    G(implies(or(RS, RE), not(or(RSOther, REOther, IS, IE, SS, SE)))),
    G(implies(RS, not(RE))),
    G(implies(IS, not(or(IE, SS, SE)))),
    G(implies(IE, not(or(SS, SE)))),
    G(implies(SS, not(SE))),
  ),
  repaired:
    'Records follow one another, so no trace can show two of them at one position. What it can show, and what is looked for, is the start of one and the same run twice in one life.',
};

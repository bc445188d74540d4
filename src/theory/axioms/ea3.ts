import { IE, IS, RE, RS, SE, SS } from '../alphabet.ts';
import { and, G, implies, not, or } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const EA3: Axiom = {
  id: 'EA3',
  name: 'No simultaneous actions',
  part: 'environment',
  scope: 'trace',
  blame: 'environment',
  says: 'No action is recorded twice: each has a position of its own.',
  formula: and(
    G(implies(RS, not(or(RE, IS, IE, SS, SE)))),
    G(implies(RE, not(or(RS, IS, IE, SS, SE)))),
    G(implies(or(IS, IE), not(or(SS, SE)))),
  ),
  repaired:
    'Records follow one another, so two of them never share a position. What a trace can show is the same action twice.',
};

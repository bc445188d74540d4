import { RS, StartDurable } from '../alphabet.ts';
import { G, implies, S, True, Y } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const WA: Axiom = {
  id: 'WA',
  name: 'Write-ahead',
  part: 'scheduler',
  scope: 'trace',
  blame: 'scheduler',
  says: 'A run is durable before it is called. Only traces that tell of durability are asked.',
  formula: G(implies(RS, Y(S(True, StartDurable)))),
  repaired: 'Not in the seed, which knows no store: it is rule A4, and StartDurable is of the same run.',
};

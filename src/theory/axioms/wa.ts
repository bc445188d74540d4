import { Crash, IEs, RS, SE, StartDurable } from '../alphabet.ts';
import { G, Hold, implies, or, Y } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const WA: Axiom = {
  id: 'WA',
  name: 'Write-ahead',
  part: 'scheduler',
  scope: 'trace',
  blame: 'scheduler',
  says: 'A run is durable before it is called. Only traces that tell of durability are asked.',
  formula: G(implies(RS, Y(Hold(StartDurable, or(RS, Crash, SE, IEs))))),
  repaired:
    'Not in the seed, which knows no store: it is rule A4, and StartDurable is of the same run. A crash voids what was durable and not called, and a stop takes it back.',
};

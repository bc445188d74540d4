import { Wellformed } from '../alphabet.ts';
import { G } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const WF: Axiom = {
  id: 'WF',
  name: 'Well-formed trace',
  part: 'environment',
  scope: 'trace',
  blame: 'environment',
  says: 'Every line is a record, time goes forward unless the clock was set, what ends has begun, and one scheduler has written it.',
  formula: G(Wellformed),
  repaired: 'Not in the seed, whose traces are always well-formed.',
};

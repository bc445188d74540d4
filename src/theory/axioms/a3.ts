import { True } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const A3: Axiom = {
  id: 'A3',
  name: 'Low lag',
  part: 'assumptions',
  scope: 'trace',
  blame: 'environment',
  says: 'The lag is less than a minute.',
  formula: True,
  repaired: 'Checked of the smallest lag that would do, not of a formula: t_lag < 1 minute.',
};

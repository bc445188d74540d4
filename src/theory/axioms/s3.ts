import { SE } from '../alphabet.ts';
import { G, implies, not } from '../formula.ts';
import { Running } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const S3: Axiom = {
  id: 'S3',
  name: 'StopEnd consistency',
  part: 'scheduler',
  scope: 'task',
  blame: 'scheduler',
  says: 'stop() does not return while a callback runs.',
  formula: G(implies(SE, not(Running))),
};

import { Crash, REf, RS } from '../alphabet.ts';
import { AtMostOne, or } from '../formula.ts';
import { Renewal } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P12: Axiom = {
  id: 'P12',
  name: 'At most once between dues, if nothing fails',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'Between two dues, without a failure or a crash, a task starts at most once.',
  formula: AtMostOne(or(Renewal, REf, Crash), RS),
  repaired: 'A crash and a first coming allow a start too.',
};

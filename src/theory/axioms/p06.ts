import { Crash, IE, RE, RS } from '../alphabet.ts';
import { and, G, implies, not, W } from '../formula.ts';
import type { Axiom } from './axiom.ts';

export const P6: Axiom = {
  id: 'P6',
  name: 'Crash consistency',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  blames: ['environment', 'scheduler'],
  says: 'After a crash nothing ends that has not begun, and nothing begins before an initialization.',
  formula: and(G(implies(Crash, W(not(RE), RS))), G(implies(Crash, W(not(RS), IE)))),
  repaired:
    'Written with W; nothing else is changed. An end after a crash is the environment’s fault (T9), a start the scheduler’s.',
};

import { IE, RS, SE } from '../alphabet.ts';
import { and, G, implies, not, W } from '../formula.ts';
import { Running } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P9: Axiom = {
  id: 'P9',
  name: 'Stop flush completeness',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'stop() returns when nothing runs, and then nothing starts.',
  formula: and(G(implies(SE, not(Running))), G(implies(SE, W(not(RS), IE)))),
  repaired:
    'The seed speaks of starts after StopStart, of which there are none (D7), so its premise is empty: what it must mean is the runs that stop waits for.',
};

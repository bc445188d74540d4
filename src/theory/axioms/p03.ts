import { RS } from '../alphabet.ts';
import { and, G, implies, Y } from '../formula.ts';
import { Active, Pending, Registered } from '../macros.ts';
import type { Axiom } from './axiom.ts';

export const P3: Axiom = {
  id: 'P3',
  name: 'Eligibility',
  part: 'polling',
  scope: 'task',
  blame: 'scheduler',
  says: 'A task starts only when initialized, registered, and pending.',
  formula: G(implies(RS, Y(and(Active, Registered, Pending)))),
  repaired:
    'The seed asks for Due at the very instant of the start, which no start can meet, and holds cron back while a retry waits (A8). A pending reason takes its place.',
};

import { REs, RS } from '../alphabet.ts';
import { AtMostOne, and, G, Hold, implies, not, S, Y } from '../formula.ts';
import { Renewal, RSucc, Running } from '../macros.ts';
import type { Axiom } from './axiom.ts';

/** A run has succeeded, and nothing has renewed the right to it since it began; what its own start renewed it has used itself. */
const Spent = Hold(and(REs, Y(Running), not(S(not(RS), and(Renewal, not(RS))))), Renewal);

export const S2: Axiom = {
  id: 'S2',
  name: 'Conservation of starts',
  part: 'scheduler',
  scope: 'task',
  blame: 'scheduler',
  says: 'Between two runs that succeed there is a due, or the task was removed and came back.',
  formula: AtMostOne(Renewal, RSucc),
  // Whether a start succeeds is known at its end: there the question is whether the right to it was spent when it began.
  monitored: G(implies(and(REs, Y(Running)), not(S(not(RS), and(RS, Spent))))),
  repaired:
    'A due of any registration that the name had in between, or a first coming, renews (T8); the due may be older than the registration (T14).',
};

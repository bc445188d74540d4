import { IE, IEs, RS, SE, SS } from '../../../src/theory/logic/atoms.ts';
import { and, G, implies, not, S, W } from '../../../src/theory/logic/formula.ts';
import type { Erratum } from './erratum.ts';
import { call, initialize, minute, own, repairs, type Theory } from './happenings.ts';

/** Theorem 3 for stops that no initialization came into. */
export const amended: Theory = {
  ...repairs,
  name: 'the theory with theorem 3 amended',
  axioms: { ...repairs.axioms, Q3: G(implies(and(SE, S(not(IEs), SS)), W(not(RS), IE))) },
};

/** An initialization succeeds while a stop is under way, and the stop returns after it: a start is owed, and promised not to come. */
export const T17: Erratum = {
  title: 'T17 nothing starts after a stop, but for an initialization that succeeded during it',
  prefix: [
    minute('12:00', 'A'),
    call('SS', '12:00:01'),
    ...initialize('12:00:02', 'x|A'),
    call('SE', '12:00:03'),
  ],
  moves: { x: [own('RS', '12:00:04', 'x|A')] },
  length: 2,
  way: ['x'],
};

import { DueThen } from '../../../src/theory/logic/atoms.ts';
import { AtMostOne, or } from '../../../src/theory/logic/formula.ts';
import { FirstComing, RSucc } from '../../../src/theory/logic/macros.ts';
import type { Erratum } from './erratum.ts';
import { initialize, minute, repairs, run, stop, type Theory } from './happenings.ts';

/** S2 as it was first repaired: what renews is a due of the registration that the name had *at the due*. */
export const firstRepair: Theory = {
  ...repairs,
  name: 'the first repair',
  axioms: { ...repairs.axioms, S2: AtMostOne(or(DueThen, FirstComing), RSucc) },
};

/** The new schedule was due after the last start, and before it was registered: a run is owed (E4), and may not succeed. */
export const T14: Erratum = {
  title: 'T14 an override to a schedule that was due since the last start',
  prefix: [
    minute('12:00', 'A'),
    ...initialize('12:00:01', 'x|A'),
    ...run('12:00:02', 'x|A'),
    ...stop('12:00:03'),
    minute('12:02', 'B'),
    ...initialize('12:02:01', 'x|B'),
  ],
  moves: { x: run('12:02:02', 'x|B') },
  length: 2,
  way: ['x'],
};

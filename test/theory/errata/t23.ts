import { RS } from '../../../src/theory/logic/atoms.ts';
import { G, implies, Y } from '../../../src/theory/logic/formula.ts';
import { Obligation } from '../../../src/theory/logic/macros.ts';
import type { Position } from '../reference/position.ts';
import type { Erratum } from './erratum.ts';
import { accepted, at, initialize, minute, own, repairs, type Theory } from './happenings.ts';

/** S1 as it was repaired first: a start is owed at the position right before its call. */
export const owedAtTheCall: Theory = {
  ...repairs,
  name: 'S1 at the call',
  axioms: { ...repairs.axioms, S1: G(implies(RS, Y(Obligation))) },
};

const owed: readonly Position[] = [minute('12:00', 'A'), ...initialize('12:00:01', 'x|A')];
const decided = (title: string, ...between: readonly Position[]): Erratum => ({
  title: `T23 ${title}`,
  trace: [...owed, ...between],
  wrongly: ['S1'],
  rightly: [],
});

/** A start is decided, and made durable; what comes between that and its call takes nothing back. */
export const T23: readonly Erratum[] = [
  decided(
    'a pause between a start and its call',
    { event: 'Pause', at: at('12:00:02'), task: 'x' },
    own('RS', '12:00:03', 'x|A'),
  ),
  decided(
    'a due that becomes too old between a start and its call',
    { event: 'Stale', at: at('12:00:02'), schedule: 'A' },
    own('RS', '12:00:03', 'x|A'),
  ),
  decided('another list between a start and its call', accepted('12:00:02', ['x|B']), {
    ...own('RS', '12:00:03', 'x|A'),
    marks: ['Decided'],
  }),
];

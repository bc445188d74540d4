/** What follows from the axioms, if the rules D4 and D7 are kept too (T17). */
import { Crash, IE, RS, SE } from '../logic/atoms.ts';
import { G, implies, not, W, Y } from '../logic/formula.ts';
import { Running } from '../logic/macros.ts';
import { table } from './axiom.ts';

export const theorems = table({ part: 'theorems', scope: 'task', blame: 'scheduler' }, [
  {
    id: 'Q1',
    name: 'Quiescence after crash',
    says: 'After a crash nothing starts before the next initialization ends.',
    formula: G(implies(Crash, W(not(RS), IE))),
  },
  {
    id: 'Q2',
    name: 'Per-task non-overlap',
    says: 'A task does not start while it runs.',
    formula: G(implies(RS, not(Y(Running)))),
  },
  {
    id: 'Q3',
    name: 'Quiescence after stop',
    says: 'After stop() has returned nothing starts before the next initialization ends.',
    formula: G(implies(SE, W(not(RS), IE))),
  },
]);

/** What the environment must do (EA1–EA6, WF), and what it is assumed to do (EN1–EN3). */
import {
  Crash,
  Due,
  Frozen,
  IE,
  IS,
  RE,
  REOther,
  RS,
  RSOther,
  SE,
  SS,
  Unfrozen,
  Wellformed,
} from '../logic/atoms.ts';
import { and, F, G, implies, not, or, True, W } from '../logic/formula.ts';
import { table } from './axiom.ts';

export const ofEnvironment = table({ part: 'environment', scope: 'trace', blame: 'environment' }, [
  {
    id: 'EA1',
    name: 'Busy crashing',
    says: 'No work is done around a crash.',
    formula: G(implies(Crash, Frozen)),
  },
  {
    id: 'EA2',
    name: 'Actions require work',
    says: 'Nothing is seen to happen while the machine is frozen.',
    formula: G(implies(or(RE, RS, IS, IE, SS, SE), Unfrozen)),
  },
  {
    id: 'EA3',
    name: 'No simultaneous actions',
    says: 'Two actions never happen at one position, and none is recorded twice.',
    formula: and(
      G(implies(or(RS, RE), not(or(RSOther, REOther, IS, IE, SS, SE)))),
      G(implies(RS, not(RE))),
      G(implies(IS, not(or(IE, SS, SE)))),
      G(implies(IE, not(or(SS, SE)))),
      G(implies(SS, not(SE))),
    ),
    repaired:
      'Records follow one another, so no trace can show two of them at one position. The check looks for what a trace can show: the start of one and the same run twice in one life.',
  },
  {
    id: 'EA4',
    name: 'Unlimited freeze',
    says: 'There are always instants at which no work is done.',
    formula: G(F(Frozen)),
    unbreakable: 'It speaks of infinitely many intervals.',
  },
  {
    id: 'EA5',
    name: 'Unlimited dues',
    says: 'A schedule matches infinitely often, or never.',
    formula: or(G(F(Due)), G(not(Due))),
    unbreakable: 'It speaks of infinitely many dues.',
  },
  {
    id: 'EA6',
    name: 'Crash/RE consistency',
    scope: 'task',
    says: 'After a crash no run ends before one has begun.',
    formula: G(implies(Crash, W(not(RE), RS))),
  },
  {
    id: 'WF',
    name: 'Well-formed trace',
    says: 'Every line is a record, time goes forward unless the clock was set, what ends has begun, and one scheduler has written it.',
    formula: G(Wellformed),
    repaired: 'An addition: in the first form every trace is well-formed.',
  },
]);

export const assumptions = table({ part: 'assumptions', scope: 'trace', blame: 'environment' }, [
  {
    id: 'EN1',
    name: 'Eventual thawing',
    says: 'There is always work to be done again.',
    formula: G(F(Unfrozen)),
    unbreakable: 'It speaks of infinitely many intervals.',
  },
  {
    id: 'EN2',
    name: 'Starts eventually settle',
    scope: 'task',
    says: 'Every run ends, or a crash ends it.',
    formula: G(implies(RS, F(or(RE, Crash)))),
    unbreakable: 'A run that has not ended may still end.',
  },
  {
    id: 'EN3',
    name: 'Low lag',
    says: 'The lag is less than a minute.',
    formula: True,
    repaired: 'Checked of the smallest lag that would do, not of a formula: t_lag < 1 minute.',
  },
]);

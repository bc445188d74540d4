/**
 * The axioms, as tables: what a scheduler must do (S1–S6: nothing wrong happens; L1–L3: what is owed happens in time; WA:
 * write-ahead), what the environment must do (EA1–EA6, WF), and what it is assumed to do (EN1–EN3).
 */
import {
  Crash,
  Due,
  DueSkipped,
  Excused,
  Frozen,
  IE,
  IEf,
  IEs,
  IEsIn,
  IS,
  Passed,
  Pause,
  RE,
  REOther,
  REs,
  Rightful,
  RS,
  RSOther,
  SE,
  SS,
  StartDurable,
  Unfrozen,
  Valid,
  Wellformed,
} from '../logic/atoms.ts';
import { AtMostOne, and, F, Fcomp, G, Hold, implies, not, or, S, True, W, Y } from '../logic/formula.ts';
import {
  Entitled,
  FirstQuiescentSince,
  MetInTime,
  Pending,
  Renewal,
  RSucc,
  Running,
  Unserved,
} from '../logic/macros.ts';
import { type Axiom, table } from './axiom.ts';
import { ofPolling, theorems } from './properties.ts';

export type { Axiom, Blame } from './axiom.ts';

/** A run has succeeded, and nothing has renewed the right to it since it began. Its own start has used up what came before it. */
const Spent = Hold(and(REs, Y(Running), not(S(not(RS), and(Renewal, not(RS))))), Renewal);

const ofScheduler = table({ part: 'scheduler', scope: 'task', blame: 'scheduler' }, [
  {
    id: 'S1',
    name: 'Start safety',
    says: 'A run begins only where one was owed right before.',
    formula: G(implies(RS, Y(Entitled))),
  },
  {
    id: 'S2',
    name: 'Conservation of starts',
    says: 'Between two runs that succeed there is a due or a request, or the task was removed and came back.',
    formula: AtMostOne(Renewal, RSucc),
    // Whether a start succeeds is known at its end. There the question is whether the right to it was spent when it began.
    monitored: G(implies(and(REs, Y(Running)), not(S(not(RS), and(RS, Spent))))),
  },
  {
    id: 'S3',
    name: 'StopEnd consistency',
    says: 'stop() does not return while a callback runs.',
    formula: G(implies(SE, not(Running))),
  },
  {
    id: 'S4',
    name: 'Ends follow starts',
    blame: 'environment',
    says: 'A run ends only if it was running right before.',
    formula: G(implies(RE, Y(Running))),
  },
  {
    id: 'S5',
    name: 'Registration consistency',
    scope: 'call',
    says: 'A valid list of registrations is accepted, and any other is rejected.',
    formula: and(G(implies(and(IEf, Valid), Excused)), G(implies(IEsIn, Valid))),
  },
  {
    id: 'S6',
    name: 'Skip safety',
    says: 'The scheduler says that it skips a due only if that is the last one, was not served, and is too old (H4) or came during a run that skips (H9).',
    formula: G(implies(DueSkipped, and(Rightful, or(Running, Y(Unserved))))),
  },
  {
    id: 'L1',
    name: 'Obligation fulfillment',
    says: 'What is owed is started within the compute and the lag that the witnesses grant, unless it is owed no more.',
    formula: MetInTime(Pending, or(RS, Passed, Pause, not(Pending))),
  },
  {
    id: 'L2',
    name: 'Initialization completes',
    scope: 'call',
    says: 'initialize() ends, within the compute and the lag that the witnesses grant.',
    formula: G(implies(IS, Fcomp(or(IE, Crash)))),
  },
  {
    id: 'L3',
    name: 'Stop completes after first quiescence',
    scope: 'call',
    says: 'Once nothing runs any more, stop() ends, within the compute and the lag that the witnesses grant.',
    formula: G(implies(FirstQuiescentSince(SS), Fcomp(or(SE, Crash)))),
  },
  {
    id: 'WA',
    name: 'Write-ahead',
    scope: 'trace',
    says: 'A run is durable before it is called. Only traces with durability records are asked.',
    formula: G(implies(RS, Y(Hold(StartDurable, or(RS, Crash, SE, IEs))))),
  },
]);

const ofEnvironment = table({ part: 'environment', scope: 'trace', blame: 'environment' }, [
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
  },
]);

const assumptions = table({ part: 'assumptions', scope: 'trace', blame: 'environment' }, [
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
  },
]);

/** The whole theory, every part of it, in the order in which verdicts list it. */
export const axioms: readonly Axiom[] = [
  ...ofScheduler,
  ...ofEnvironment,
  ...assumptions,
  ...theorems,
  ...ofPolling,
];

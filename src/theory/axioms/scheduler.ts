/** What a scheduler must do: S1–S5 (nothing wrong happens), L1–L3 (what is owed happens in time), and WA (write-ahead). */
import {
  Crash,
  Excused,
  IE,
  IEf,
  IEs,
  IEsIn,
  IS,
  RE,
  REs,
  RS,
  SE,
  SS,
  StartDurable,
  Valid,
} from '../logic/atoms.ts';
import { AtMostOne, and, Fcomp, G, Hold, implies, not, or, S, someList, Y } from '../logic/formula.ts';
import {
  ActiveR,
  FirstQuiescentSince,
  Obligation,
  ObligationR,
  Renewal,
  RSucc,
  Running,
} from '../logic/macros.ts';
import { table } from './axiom.ts';

/** A run has succeeded, and nothing has renewed the right to it since it began. Its own start has used up what came before it. */
const Spent = Hold(and(REs, Y(Running), not(S(not(RS), and(Renewal, not(RS))))), Renewal);

export const ofScheduler = table({ part: 'scheduler', scope: 'task', blame: 'scheduler' }, [
  {
    id: 'S1',
    name: 'Start safety',
    says: 'A run begins only where one was owed right before.',
    formula: G(implies(RS, Y(Obligation))),
    repaired: 'Obligation with T1, T2, T4, T5, T7; an end or a start lost in a crash is accepted (T10, T11).',
  },
  {
    id: 'S2',
    name: 'Conservation of starts',
    says: 'Between two runs that succeed there is a due, or the task was removed and came back.',
    formula: AtMostOne(Renewal, RSucc),
    // Whether a start succeeds is known at its end. There the question is whether the right to it was spent when it began.
    monitored: G(implies(and(REs, Y(Running)), not(S(not(RS), and(RS, Spent))))),
    repaired:
      'A due of any registration that the name had in between, or a first coming, renews (T8); the due may be older than the registration (T14).',
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
    repaired: 'Ends are the environment’s (T9): a broken S4 blames the environment or the recorder.',
  },
  {
    id: 'S5',
    name: 'Registration consistency',
    scope: 'call',
    says: 'A valid list of registrations is accepted, and any other is rejected.',
    formula: and(G(implies(and(IEf, Valid), Excused)), G(implies(IEsIn, Valid))),
    repaired:
      'A valid list may fail while the scheduler is active or another initialization runs, or because the store could not be read, written or locked (T6).',
  },
  {
    id: 'L1',
    name: 'Obligation fulfillment',
    says: 'What is owed is started, within the compute and the lag that the witnesses grant.',
    formula: G(not(someList(not(implies(ObligationR, Fcomp(or(RS, not(ActiveR)))))))),
    repaired:
      'With a bound on workers, only time in which a worker was free counts. Time that the store or a clock step took is the environment’s.',
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
    repaired:
      'The first quiescence at or after the stop, which the first form never finds if something runs (T3); any stop, not only one of a registered list (T12).',
  },
  {
    id: 'WA',
    name: 'Write-ahead',
    scope: 'trace',
    says: 'A run is durable before it is called. Only traces with durability records are asked.',
    formula: G(implies(RS, Y(Hold(StartDurable, or(RS, Crash, SE, IEs))))),
    repaired:
      'An addition: the first form knows no store. It is rule A4, and StartDurable is of the same run. A crash voids what was durable and not called, and a stop takes it back.',
  },
]);

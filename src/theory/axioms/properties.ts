/** What follows from the axioms, if the rules D4 and D7 are kept too (T17); and the properties of the older, polling specification, each in the form in which it can hold. */
import { Crash, DueThen, IE, IEs, RE, REf, RS, SE, SS } from '../logic/atoms.ts';
import { AtMostOne, and, F, Fcomp, G, implies, not, or, S, someList, W, X, Y } from '../logic/formula.ts';
import {
  Active,
  ActiveR,
  DuePending,
  FirstQuiescentSince,
  OrphanedPending,
  Pending,
  Registered,
  RegisteredRx,
  Renewal,
  RetryPending,
  Running,
} from '../logic/macros.ts';
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

export const ofPolling = table({ part: 'polling', scope: 'task', blame: 'scheduler' }, [
  {
    id: 'P1',
    name: 'Well-formed runs',
    blame: 'environment',
    says: 'Every end has its start.',
    formula: G(implies(RE, Y(Running))),
    repaired:
      'A crash ends runs too, so what an end needs is a running run, not merely a start without an end in between.',
  },
  {
    id: 'P2',
    name: 'Per-task non-overlap',
    says: 'Between two starts of a task lies an end, or a crash.',
    formula: G(implies(RS, X(W(not(RS), or(RE, Crash))))),
    repaired:
      'The older form knows no crash here: a run that was cut off has no end, and its restart would be forbidden.',
  },
  {
    id: 'P3',
    name: 'Eligibility',
    says: 'A task starts only when initialized, registered, and pending.',
    formula: G(implies(RS, Y(and(Active, Registered, Pending)))),
    repaired:
      'The older form asks for Due at the very instant of the start, which no start can meet, and holds cron back while a retry waits (A8). A pending reason takes its place.',
  },
  {
    id: 'P4',
    name: 'No make-up executions',
    says: 'However much was missed, one start makes up for it.',
    formula: G(implies(and(RS, S(not(DueThen), IEs)), X(W(not(RS), or(Renewal, REf, Crash))))),
    repaired:
      'The older form counts retries and restarts after a crash as make-up runs; here a failure or a crash allows the next start.',
  },
  {
    id: 'P5',
    name: 'Stop quiescence',
    says: 'After stop() has returned nothing starts before the next initialization ends.',
    formula: G(implies(SE, W(not(RS), IE))),
    repaired:
      'The older form promises it only if another initialization ever comes; here it holds in any case.',
  },
  {
    id: 'P6',
    name: 'Crash consistency',
    blames: ['environment', 'scheduler'],
    says: 'After a crash nothing ends that has not begun, and nothing begins before an initialization.',
    formula: and(G(implies(Crash, W(not(RE), RS))), G(implies(Crash, W(not(RS), IE)))),
    repaired:
      'Written with W; nothing else is changed. An end after a crash is the environment’s fault (T9), a start the scheduler’s.',
  },
  {
    id: 'P9',
    name: 'Stop flush completeness',
    says: 'stop() returns when nothing runs, and then nothing starts.',
    formula: and(G(implies(SE, not(Running))), G(implies(SE, W(not(RS), IE)))),
    repaired:
      'The older form speaks of starts after StopStart, of which there are none (D7), so its premise is empty: what it must mean is the runs that stop waits for.',
  },
  {
    id: 'P10',
    name: 'Crash-interrupted callback restart',
    says: 'A run that a crash cut off is started again, within the bound.',
    formula: G(
      not(someList(not(implies(and(OrphanedPending, RegisteredRx, ActiveR), Fcomp(or(RS, not(ActiveR))))))),
    ),
    repaired:
      'The older form demands an initialization after every crash, of a scheduler that is dead; here the demand begins when one has succeeded with the task in its list.',
  },
  {
    id: 'P11',
    name: 'Due and retry together start once',
    says: 'Where a due and a retry are pending together, one start serves both.',
    formula: G(implies(and(RS, Y(and(DuePending, RetryPending))), X(W(not(RS), or(Renewal, REf, Crash))))),
    repaired:
      'The older form forbids two starts at one instant, which is always so (EA3); what it must mean is that the second reason does not cause a second start.',
  },
  {
    id: 'P12',
    name: 'At most once between dues, if nothing fails',
    says: 'Between two dues, without a failure or a crash, a task starts at most once.',
    formula: AtMostOne(or(Renewal, REf, Crash), RS),
    repaired: 'A crash and a first coming allow a start too.',
  },
  {
    id: 'P13',
    name: 'Bounded scheduling lag',
    says: 'What is due is started, within the bound.',
    formula: G(
      not(someList(not(implies(and(DuePending, RegisteredRx, ActiveR), Fcomp(or(RS, not(ActiveR))))))),
    ),
    repaired:
      'A retry never holds a due back (A8); a running task is due again when it ends; the bound is the witnesses’, not one minute.',
  },
  {
    id: 'P14',
    name: 'No fabricated completions',
    blame: 'environment',
    says: 'After a crash no run ends before one has begun.',
    formula: G(implies(Crash, W(not(RE), RS))),
    repaired: 'Written with W; it is EA6.',
  },
  {
    id: 'P15',
    name: 'Eventual execution',
    says: 'A task that is due again and again starts again and again.',
    formula: G(implies(DueThen, F(or(RS, SS, Crash)))),
    repaired: 'With a run that never ends it cannot hold; L1 is what can.',
    unbreakable: 'A start that has not come may still come.',
  },
  {
    id: 'P16',
    name: 'Termination of stop',
    scope: 'call',
    says: 'stop() ends once nothing runs.',
    formula: G(implies(FirstQuiescentSince(SS), Fcomp(or(SE, Crash)))),
    repaired:
      'A callback that never ends holds stop() for ever, so the demand begins when nothing runs; what may start afterwards is P5.',
  },
  {
    id: 'P17',
    name: 'Recovery after crash',
    says: 'After a crash and an initialization, a task that is due again and again starts again and again.',
    formula: G(implies(DueThen, F(or(RS, SS, Crash)))),
    repaired:
      'The older form speaks of every future of every crash; what is left after an initialization is P15.',
    unbreakable: 'A start that has not come may still come.',
  },
]);

/** What follows from the axioms, if the rules D4 and D7 are kept too (T17); and the properties of the older, polling specification, each in the form in which it can hold. */
import { Crash, DueThen, IE, IEs, Passed, Pause, RE, REf, RS, SE, SS } from '../logic/atoms.ts';
import { AtMostOne, and, F, Fcomp, G, implies, not, or, S, W, X, Y } from '../logic/formula.ts';
import {
  Active,
  DuePending,
  FirstQuiescentSince,
  MetInTime,
  OrphanedPending,
  Paused,
  Reason,
  Registered,
  Renewal,
  RetryPending,
  Running,
  TooOld,
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
  },
  {
    id: 'P2',
    name: 'Per-task non-overlap',
    says: 'Between two starts of a task lies an end, or a crash.',
    formula: G(implies(RS, X(W(not(RS), or(RE, Crash))))),
  },
  {
    id: 'P3',
    name: 'Eligibility',
    says: 'A task starts only when initialized, registered, and pending.',
    formula: G(implies(RS, Y(and(Active, Registered, Reason)))),
  },
  {
    id: 'P4',
    name: 'No make-up executions',
    says: 'However much was missed, one start makes up for it.',
    formula: G(implies(and(RS, S(not(DueThen), IEs)), X(W(not(RS), or(Renewal, REf, Crash))))),
  },
  {
    id: 'P5',
    name: 'Stop quiescence',
    says: 'After stop() has returned nothing starts before the next initialization ends.',
    formula: G(implies(SE, W(not(RS), IE))),
  },
  {
    id: 'P6',
    name: 'Crash consistency',
    blames: ['environment', 'scheduler'],
    says: 'After a crash nothing ends that has not begun, and nothing begins before an initialization.',
    formula: and(G(implies(Crash, W(not(RE), RS))), G(implies(Crash, W(not(RS), IE)))),
  },
  {
    id: 'P9',
    name: 'Stop flush completeness',
    says: 'stop() returns when nothing runs, and then nothing starts.',
    formula: and(G(implies(SE, not(Running))), G(implies(SE, W(not(RS), IE)))),
  },
  {
    id: 'P10',
    name: 'Crash-interrupted callback restart',
    says: 'A run that a crash cut off is started again, within the bound.',
    formula: MetInTime(and(OrphanedPending, not(Paused)), or(RS, Pause)),
  },
  {
    id: 'P11',
    name: 'Due and retry together start once',
    says: 'Where a due and a retry are pending together, one start serves both.',
    formula: G(implies(and(RS, Y(and(DuePending, RetryPending))), X(W(not(RS), or(Renewal, REf, Crash))))),
  },
  {
    id: 'P12',
    name: 'At most once between dues, if nothing fails',
    says: 'Between two dues, without a failure or a crash, a task starts at most once.',
    formula: AtMostOne(or(Renewal, REf, Crash), RS),
  },
  {
    id: 'P13',
    name: 'Bounded scheduling lag',
    says: 'What is due is started within the bound, or becomes too old.',
    formula: MetInTime(and(DuePending, not(Paused), not(TooOld)), or(RS, Passed, Pause, TooOld)),
  },
  {
    id: 'P14',
    name: 'No fabricated completions',
    blame: 'environment',
    says: 'After a crash no run ends before one has begun.',
    formula: G(implies(Crash, W(not(RE), RS))),
  },
  {
    id: 'P15',
    name: 'Eventual execution',
    says: 'A task that is due again and again starts again and again.',
    formula: G(implies(DueThen, F(or(RS, SS, Crash)))),
    unbreakable: 'A start that has not come may still come.',
  },
  {
    id: 'P16',
    name: 'Termination of stop',
    scope: 'call',
    says: 'stop() ends once nothing runs.',
    formula: G(implies(FirstQuiescentSince(SS), Fcomp(or(SE, Crash)))),
  },
  {
    id: 'P17',
    name: 'Recovery after crash',
    says: 'After a crash and an initialization, a task that is due again and again starts again and again.',
    formula: G(implies(DueThen, F(or(RS, SS, Crash)))),
    unbreakable: 'A start that has not come may still come.',
  },
]);

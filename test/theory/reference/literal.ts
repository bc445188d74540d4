/**
 * The theory as it was first written, for the errata: the macros and axioms that `macros.ts` and `axioms/` repair, to the letter,
 * with the number of each defect. No scheduler can keep these; nothing in the product is judged by them.
 *
 * In the letter a task is its whole tuple. A tuple is written here as a name of its own, `identifier|rest`, and has its schedule
 * whether it is registered or not (T5). Pulses may share a position with an action (T13), and every failure of the past brings
 * its own `RetryDue` (T2): these two are matters of the trace, not of a formula.
 */
import {
  Crash,
  Due,
  IEf,
  IEsIn,
  IEsOther,
  IEsR,
  Quiescent,
  RE,
  REs,
  RetryDue,
  RS,
  SE,
  SS,
  Valid,
} from '../../../src/theory/logic/atoms.ts';
import {
  AtMostOne,
  and,
  atom,
  Fcomp,
  type Formula,
  G,
  Hold,
  HoldPlus,
  implies,
  not,
  or,
  S,
  someList,
  Y,
} from '../../../src/theory/logic/formula.ts';
import { MountainDue, RegisteredR, RegisteredRx, RSucc, Running } from '../../../src/theory/logic/macros.ts';
import { axiomOf } from './axiom-of.ts';

const L2 = axiomOf('L2');
const S3 = axiomOf('S3');
const S4 = axiomOf('S4');

/** Within ∃R: some task of the list R has the identifier of x, whatever else it has. */
const MemberIdR = atom('x≈∈R');

/** The identifier of x is in the list, though the tuple need not be (T5: everything else is of the tuple). */
export const RegisteredId = someList(and(RegisteredR, MemberIdR));
export const FirstComing = and(RegisteredId, not(Y(RegisteredId)));

/** A stop of the list R: the one that is registered when the stop is called, or returns (T12). */
export const SSR = and(SS, RegisteredR);
export const SER = and(SE, RegisteredR);

/** T7: a stop that was called while the initialization was still under way does not count. */
export const ActiveR = Hold(IEsR, or(SSR, Crash, IEsOther));
export const Active = someList(ActiveR);

/** T4: a run of before an earlier crash counts as cut off once more. */
export const Orphaned = and(Crash, Hold(RS, RE));

/** T3: where something runs at σ, ¬Quiescent and Quiescent would have to hold together. */
export const FirstQuiescentSince = (since: Formula): Formula => and(Quiescent, S(not(Quiescent), since));

export const DuePending = and(HoldPlus(Due, or(RS, FirstComing)), not(Running));
export const RetryPending = and(HoldPlus(RetryDue, or(RS, FirstComing)), not(Running));
export const OrphanedPending = Hold(Orphaned, or(RS, FirstComing));
/** T1: at that one position, and gone with the next. */
export const BootDuePending = and(FirstComing, MountainDue, not(Running));
export const Pending = or(DuePending, RetryPending, OrphanedPending, BootDuePending);
export const ObligationR = and(Pending, RegisteredRx, ActiveR);
export const Obligation = someList(ObligationR);

export const S1 = G(implies(RS, Y(Obligation)));

/** T8: only a due of x itself renews the right to a successful run, and no first coming does. */
export const S2 = AtMostOne(Due, RSucc);
/** A due at the very position of a start does not count for the next one: `AtMostOne` looks from the position after (T13). */
const Spent = Hold(and(REs, Y(Running), not(S(not(RS), and(Due, not(RS))))), Due);
/** S2 in the form that is decided where a run ends, for traces in which ends follow starts and runs do not overlap. */
export const S2Monitored = G(implies(and(REs, Y(Running)), not(S(not(RS), and(RS, Spent)))));

/** T6: a valid list is never rejected, not even while the scheduler is active. */
export const S5 = and(G(implies(IEf, not(Valid))), G(implies(IEsIn, Valid)));

export const L1 = G(not(someList(not(implies(ObligationR, Fcomp(or(RS, not(ActiveR))))))));

/** T3, T12. */
export const L3 = G(
  not(someList(not(implies(SSR, G(implies(FirstQuiescentSince(SSR), Fcomp(or(SER, Crash)))))))),
);
/** L3 without the outer G: whatever is a first quiescence since a stop comes after that stop. */
export const L3Monitored = G(not(someList(not(implies(FirstQuiescentSince(SSR), Fcomp(or(SER, Crash)))))));

/** The scheduler's axioms, to the letter; S3, S4 and L2 stand as they were written. */
export const axioms: Readonly<Record<string, Formula>> = {
  S1,
  S2,
  S3: S3.formula,
  S4: S4.formula,
  S5,
  L1,
  L2: L2.formula,
  L3,
};

/** The same, each in a form that can be decided as the trace goes. */
export const monitored: Readonly<Record<string, Formula>> = { ...axioms, S2: S2Monitored, L3: L3Monitored };

/**
 * The stateful macros of the theory, each with its repair (T1 to T17 in docs/rules.md) where its first form is broken. The
 * first forms are in test/theory/reference/literal.ts, for the errata.
 */
import {
  Crash,
  Due,
  DueThen,
  IEs,
  IEsIn,
  IEsOther,
  IEsOut,
  IEsR,
  Kept,
  Live,
  MemberR,
  MinuteStart,
  Passed,
  Pause,
  Quiescent,
  RE,
  REf,
  REs,
  Requested,
  Reset,
  Resume,
  RetryDue,
  RS,
  SS,
  Stale,
} from './atoms.ts';
import {
  and,
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
  Then,
  U,
  Y,
} from './formula.ts';

/** From the instant of x's due until the next minute. */
export const MountainDue = S(not(MinuteStart), Due);

/** R is the list of the most recent successful initialization. */
export const RegisteredR = Hold(IEsR, IEsOther);
/** … and x is in it, by name (T5). */
export const RegisteredRx = and(RegisteredR, MemberR);
export const Registered = someList(RegisteredRx);

/** Tasks of R may start: initialized without a stop in between (T7), and since then no stop, no crash, no other list. */
export const ActiveR = Hold(and(IEsR, Live), or(SS, Crash, IEsOther));
export const Active = someList(ActiveR);

/** A run of x has begun and has not ended. */
export const Running = Hold(RS, or(RE, Crash));

/** A crash cuts a run of x off (T4: one that was running right before, not one of before an earlier crash). */
export const Orphaned = and(Crash, Y(Running));

/** A run of x was cut off, and no list has come since: its name is known, also if the last list had left it out (I5). */
const CutOff = Hold(Orphaned, IEs);
/** The name may be forgotten by a list, or begin again with it: it does not run, or did not when the list was planned (I5). */
const AtRest = not(or(Y(Running), Kept));
/** The moment at which the name appears in the list, not having been known before. A name that is left out is known while it runs (I5). */
const NewName = and(Registered, AtRest, not(Y(or(Registered, CutOff))));
/** … or at which it begins again (H10). */
export const FirstComing = or(NewName, and(Registered, AtRest, Reset));

/** A start whose run ends well. */
export const RSucc = and(RS, U(not(or(REf, Crash)), REs));

/** What ends every wait for a due: from here on the task counts as served. */
export const Served = or(RS, FirstComing, Passed);

/** A due that no start has served, and that was not passed over. */
export const DueUnserved = HoldPlus(Due, Served);
export const DuePending = and(DueUnserved, not(Running));
/** A retry whose time has come. */
export const RetryPending = and(HoldPlus(RetryDue, or(RS, FirstComing)), not(Running));
/** Cut off by a crash, and not started again. */
export const OrphanedPending = Hold(Orphaned, or(RS, FirstComing));
/** Appears within a minute that it is due in. The minute is the one of the plan, and what came due since then counts with it (T24). */
export const BootDue = and(FirstComing, MountainDue);
/** … and is owed until started (T1: not at that position only). */
const BootDueUnserved = HoldPlus(BootDue, Served);
export const BootDuePending = and(BootDueUnserved, not(Running));
/** Something is due, whether x runs or not. */
export const Unserved = or(DueUnserved, BootDueUnserved);
/** An operator has asked for a run, and none has begun since (I2). */
export const ManualPending = and(HoldPlus(Requested, or(RS, IEsOut)), not(Running));

/** A pause belongs to the name, and ends when the name is forgotten (I3). */
export const Paused = Hold(Pause, or(Resume, NewName));
/** The last due of x is too old to be started for (H4). */
export const TooOld = S(not(Due), Stale);
const Waiting = or(DuePending, RetryPending, OrphanedPending, BootDuePending);
/** There is some reason to start x, were it not paused, and were no due too old. */
export const Reason = or(ManualPending, Waiting);
/** x waits for a start, or did until its due became too old: a start may be on its way (A2). */
export const Waits = or(ManualPending, and(not(Paused), Waiting));
/** A due that may still be served. */
const DueInTime = and(or(DuePending, BootDuePending), not(TooOld));
/** x waits for a start. A paused task waits for what was asked for, and for nothing else. */
export const Pending = or(ManualPending, and(not(Paused), or(RetryPending, OrphanedPending, DueInTime)));
/** x is to be started now, on the strength of R. */
export const ObligationR = and(Pending, RegisteredRx, ActiveR);
export const Obligation = someList(ObligationR);

/** For every list R: where there is this reason to start x on the strength of R, it is met within the bound, or R is no longer active. */
export const MetInTime = (reason: Formula, met: Formula): Formula =>
  G(not(someList(not(implies(and(reason, RegisteredRx, ActiveR), Fcomp(or(met, not(ActiveR))))))));

/** The reasons have held since x was to be started. A start that was on its way when x was paused, or when its due became too old, may come. */
export const Entitled = S(Then(someList(and(Reason, RegisteredRx, ActiveR))), Then(Obligation));

/** The first position at or after σ where nothing runs (T3). */
export const FirstQuiescentSince = (since: Formula): Formula =>
  and(Quiescent, or(since, Y(S(not(Quiescent), and(since, not(Quiescent))))));

/**
 * What renews the right to a successful run: a first coming, a due of the registration that the name had then, an initialization
 * by which the name got a registration that was due since it was served last (T8), or a request (I2).
 */
export const Renewal = or(DueThen, FirstComing, and(IEsIn, Then(DueUnserved)), Requested);

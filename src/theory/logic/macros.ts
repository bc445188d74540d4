/**
 * The stateful macros of the theory, each with its repair (T1 to T17 in docs/rules.md) where its first form is broken. The
 * first forms are in test/theory/reference/literal.ts, for the errata.
 */
import {
  Crash,
  Due,
  DueThen,
  IEsIn,
  IEsOther,
  IEsR,
  Live,
  MemberR,
  MinuteStart,
  Quiescent,
  RE,
  REf,
  REs,
  RetryDue,
  RS,
  SS,
} from './atoms.ts';
import { and, type Formula, Hold, HoldPlus, not, or, S, someList, Then, U, Y } from './formula.ts';

/** From the instant of x's due until the next minute. */
export const MountainDue = S(not(MinuteStart), Due);

/** R is the list of the most recent successful initialization. */
export const RegisteredR = Hold(IEsR, IEsOther);
/** … and x is in it, by name (T5). */
export const RegisteredRx = and(RegisteredR, MemberR);
export const Registered = someList(RegisteredRx);

/** The moment at which the name appears in the list, not having been in the one before. */
export const FirstComing = and(Registered, not(Y(Registered)));

/** Tasks of R may start: initialized without a stop in between (T7), and since then no stop, no crash, no other list. */
export const ActiveR = Hold(and(IEsR, Live), or(SS, Crash, IEsOther));
export const Active = someList(ActiveR);

/** A run of x has begun and has not ended. */
export const Running = Hold(RS, or(RE, Crash));

/** A crash cuts a run of x off (T4: one that was running right before, not one of before an earlier crash). */
export const Orphaned = and(Crash, Y(Running));

/** A start whose run ends well. */
export const RSucc = and(RS, U(not(or(REf, Crash)), REs));

/** A due that no start has served. */
export const DuePending = and(HoldPlus(Due, or(RS, FirstComing)), not(Running));
/** A retry whose time has come. */
export const RetryPending = and(HoldPlus(RetryDue, or(RS, FirstComing)), not(Running));
/** Cut off by a crash, and not started again. */
export const OrphanedPending = Hold(Orphaned, or(RS, FirstComing));
/** Appeared within a minute that it is due in; owed until started (T1: not at that position only). */
export const BootDuePending = and(HoldPlus(and(FirstComing, MountainDue), or(RS, FirstComing)), not(Running));

export const Pending = or(DuePending, RetryPending, OrphanedPending, BootDuePending);
/** x is to be started now, on the strength of R. */
export const ObligationR = and(Pending, RegisteredRx, ActiveR);
export const Obligation = someList(ObligationR);

/** The first position at or after σ where nothing runs (T3). */
export const FirstQuiescentSince = (since: Formula): Formula =>
  and(Quiescent, or(since, Y(S(not(Quiescent), and(since, not(Quiescent))))));

/** A due of the current schedule since the last start: over the whole past, so that an override may find one (T5, E4). */
const DueSinceStart = HoldPlus(Due, or(RS, FirstComing));

/**
 * What renews the right to a successful run: a first coming, a due of the registration that the name had then, or an
 * initialization by which the name got a registration that was due since its last start (T8).
 */
export const Renewal = or(DueThen, FirstComing, and(IEsIn, Then(DueSinceStart)));

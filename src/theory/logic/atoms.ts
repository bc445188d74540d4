/**
 * The atoms: what can be seen at one position of a trace, by one slice.
 *
 * A position is one recorded event, or one pulse that the checker derives (T13): the start of a civil minute, with the `Due` of
 * every task whose schedule matches; or one task's `RetryDue`. Two things never share a position (EA3, T13).
 *
 * What is repaired already here: starts, ends, retries and first comings are of the *name*, and `Due` is of the registration
 * that is current where the formula is asked, over the whole past (T5). `DueThen` is of the registration that the name had at
 * that position (T8). A retry is due only for the latest failure, and not if a start or a first coming came after it (T2).
 * `Live` marks a successful initialization that no stop was called during: calls are paired (T7).
 *
 * Policies (H) are in the pulses: dues are those of the policy, `RetryDue` comes when the policy says, or not at all, and `Stale` comes
 * when the last due has become too old to be started for (H4). Requests of an operator (I) are events of one task.
 */
import { atom, type Formula, or } from './formula.ts';

/** The bit of each atom in a letter, by its name: what one slice sees at one position. What it means stands with the atom below. */
export const bits = {
  RS: 1,
  REs: 2,
  REf: 4,
  RetryDue: 8,
  /** Also `DueThen`: where a due pulse is seen, the registration is the one of then. */
  Due: 16,
  /** Of an initialization: `MountainDue`, x has been due since the minute of its plan began (T24). */
  DueMinute: 32,
  Crash: 64,
  SS: 128,
  SE: 256,
  IS: 512,
  In: 1024,
  Out: 2048,
  Live: 4096,
  IEf: 8192,
  /** The successful initialization brought another list than the one before. */
  Changed: 16384,
  Valid: 32768,
  Excused: 65536,
  Quiescent: 131072,
  Requested: 1 << 18,
  Pause: 1 << 19,
  Resume: 1 << 20,
  Passed: 1 << 21,
  DueSkipped: 1 << 22,
  Rightful: 1 << 23,
  Stale: 1 << 24,
  Reset: 1 << 26,
  Kept: 1 << 27,
} as const;

/** The callback of x is called. */
export const RS = atom('RS');
/** A run of x ends well. */
export const REs = atom('REs');
/** A run of x ends badly. */
export const REf = atom('REf');
export const RE = or(REs, REf);
/** The backoff of the latest failure of x is over. */
export const RetryDue = atom('RetryDue');
/** A civil minute begins that the current schedule of x matches. */
export const Due = atom('Due');
/** A civil minute begins that the schedule x has at this position matches. */
export const DueThen = atom('DueThen');
/** A civil minute begins. */
export const MinuteStart = atom('MinuteStart');
export const Crash = atom('Crash');
export const SS = atom('SS');
export const SE = atom('SE');
export const IS = atom('IS');
/** A successful initialization whose list has x, by name. */
export const IEsIn = atom('In');
/** A successful initialization whose list has not x. */
export const IEsOut = atom('Out');
export const IEs = or(IEsIn, IEsOut);
export const IEf = atom('IEf');
export const IE = or(IEs, IEf);
/** Within ∃R: a successful initialization with the list R. */
export const IEsR = atom('IEs_R');
/** Within ∃R: a successful initialization with another list than R. */
export const IEsOther = atom('IEs_other');
/** No stop has been called between this successful initialization and its own start (T7). */
export const Live = atom('Live');
/** Within ∃R: x is in the list R, by name. */
export const MemberR = atom('x∈R');
/** Of a call: its list is valid, by the checker's own reading (S5). */
export const Valid = atom('Valid');
/** Of a call: it failed for a reason that S5 must allow (T6). */
export const Excused = atom('Excused');
/** No callback runs: ¬∃y. Running_y, as a call sees it. */
export const Quiescent = atom('Quiescent');

/** An operator asks for a run of x (I2). */
export const Requested = atom('Requested');
/** x is paused, or goes on (I3). */
export const Pause = atom('Pause');
export const Resume = atom('Resume');
/** What x was due for so far is passed over: a run ends that skips what came meanwhile (H9), or x goes on without catching up (I3). */
export const Passed = atom('Passed');
/** The scheduler says that it skips a due of x. */
export const DueSkipped = atom('DueSkipped');
/** Of a skip: the due is the last one, and the policy of x says that it is to be skipped (H4, H9). */
export const Rightful = atom('Rightful');
/** The last due of x has just become older than x may be started for (H4). */
export const Stale = atom('Stale');
/** Of a successful initialization: x has another registration than before, which says that x begins again (H10). */
export const Reset = atom('Reset');
/** Of a list that replaces another one while the scheduler is active: x ran when it was planned, and has ended since (I5). */
export const Kept = atom('Kept');

/** No work is done in some interval around this position. */
export const Frozen = atom('Frozen');
/** Some work is. */
export const Unfrozen = atom('Unfrozen');

/** Another task than x starts, or ends, at this very position. */
export const RSOther = atom('RS_y');
export const REOther = atom('RE_y');

/** The start of the run of x that is called next becomes durable. */
export const StartDurable = atom('StartDurable');
/** The line is a record, and fits those before it. */
export const Wellformed = atom('Wellformed');

/** How an atom is read off a letter: by the bit of its name, but for two. */
export const masks: ReadonlyMap<Formula, number> = new Map([
  ...Object.entries(bits).map(([name, bit]): [Formula, number] => [atom(name), bit]),
  [DueThen, bits.Due],
  [IEsR, bits.In | bits.Out],
]);

/**
 * EA1 and EA2: a crash is surrounded by a freeze, and nothing happens within one. Both are known with hindsight: the recorder
 * writes a freeze when it is over. So the last instants at which anything was done are kept, and a crash waits for its
 * freeze until the next action; until then EA1 is undecided. A freeze that is recorded before the crash and lasts until it counts too.
 *
 * If the clock is set back and no scheduler looks, what was done before seems to lie within the freeze that comes after. The
 * scheduler looks at the clock when it wakes up. So an action within a freeze is reported only when an action comes after the freeze.
 */
import type { Ledger } from '../verdict/ledger.ts';
import { evidence, sentence, type Violation, violationBy } from '../verdict/verdict.ts';

/** So many instants; all that is done within one millisecond is one. A freeze that reaches farther back gets a note. */
const KEPT = 4096;

/** Two clocks never agree to the millisecond: a second is no contradiction. */
export const CLOCK_TOLERANCE_MS = 1000;

interface Action {
  readonly at: number;
  readonly line: number;
}

/** A `Frozen` record; `at` is its own instant. */
interface Freeze extends Action {
  readonly from: number;
  readonly to: number;
}

const none: Freeze = { from: Number.NaN, to: Number.NaN, at: Number.NaN, line: 0 };

export class FreezeAxioms {
  readonly #ledger: Ledger;
  /** The last instants at which something was done: at least `KEPT` of them, once there were as many. */
  #actions: Action[] = [];
  #last = Number.NaN;
  /** The last freeze, until something is done after it. */
  #freeze = none;
  /** What was done within a freeze, if the clock was not set, and until when that may still turn out. */
  #doubted: Violation | undefined;
  #doubtedUntil = Number.NaN;
  /** A crash without a freeze around it so far. */
  #crashedAt = Number.NaN;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  /** Something was done: the record at hand. */
  action(): void {
    const { now: at, line } = this.#ledger;
    if (at === this.#last && !this.isWaiting && this.#freeze === none) return;
    if (this.isWaiting) this.#crashWithoutFreeze();
    if (at > this.#doubtedUntil) this.#report();
    // Only the part of a freeze beyond its own record can still be contradicted.
    const { at: recordedAt, to } = this.#freeze;
    if (at > recordedAt + CLOCK_TOLERANCE_MS && at < to - CLOCK_TOLERANCE_MS)
      this.#within(at, line, this.#freeze);
    else this.#freeze = none;
    if (at === this.#last) return;
    this.#last = at;
    if (this.#actions.push({ at, line }) >= 2 * KEPT) this.#actions = this.#actions.slice(-KEPT);
  }

  /** A crash was recorded, and the freeze around it may still be: the recorder of the next process writes it. */
  get isWaiting(): boolean {
    return !Number.isNaN(this.#crashedAt);
  }

  crash(): void {
    const { now: at } = this.#ledger;
    if (this.isWaiting) this.#crashWithoutFreeze();
    this.#ledger.entry('EA1').isSeen = true;
    const isFrozen = this.#freeze.from <= at && at <= this.#freeze.to;
    this.#crashedAt = isFrozen ? Number.NaN : at;
  }

  frozen({ from, to, at }: Omit<Freeze, 'line'>): void {
    const freeze = { from, to, at, line: this.#ledger.line };
    // A freeze that is too short for the clock is one all the same.
    if (from <= this.#crashedAt && this.#crashedAt <= to) this.#crashedAt = Number.NaN;
    this.#ledger.entry('EA2').isSeen = true;
    if (!(to <= this.#freeze.to)) this.#freeze = freeze;
    const first = this.#firstWithin(from, Math.min(to, at));
    const oldest = this.#actions.at(-KEPT);
    if (first !== undefined) this.#within(first.at, first.line, freeze);
    else if (oldest !== undefined && oldest.at > from)
      this.#ledger.note('EA2', `of a freeze, only the last ${KEPT} instants of actions were looked at`);
  }

  /** What was done first between two instants. The newest are the likeliest, so it looks back. */
  #firstWithin(from: number, to: number): Action | undefined {
    let first: Action | undefined;
    for (let back = 1; back <= KEPT; back++) {
      const action = this.#actions.at(-back);
      if (action === undefined || action.at <= from) break;
      if (action.at < to) first = action;
    }
    return first;
  }

  #within(at: number, line: number, { from, to, line: freezeLine }: Freeze): void {
    this.#report();
    const words = sentence`Something happened at ${{ at }}, while the machine is said to have been frozen from ${{ at: from }} to ${{ at: to }}`;
    const events = [evidence('action', at, line), evidence('Frozen', to, freezeLine)] as const;
    this.#doubted = violationBy('EA2', 'environment', words, ...events);
    this.#doubtedUntil = to;
  }

  #report(): void {
    if (this.#doubted !== undefined) this.#ledger.violate(this.#doubted);
    this.#doubted = undefined;
  }

  /** What must be said if the trace ends here. */
  atEnd(): readonly Violation[] {
    return this.#doubted === undefined ? [] : [this.#doubted];
  }

  /** The clock was set: instants of before mean nothing now. */
  forget(): void {
    this.#actions = [];
    this.#last = Number.NaN;
    this.#freeze = none;
    this.#doubted = undefined;
  }

  #crashWithoutFreeze(): void {
    const at = this.#crashedAt;
    this.#crashedAt = Number.NaN;
    const words = sentence`Work went on right around the crash at ${{ at }}: the trace has no freeze there`;
    this.#ledger.violate(violationBy('EA1', 'environment', words, { event: 'UnexpectedShutdown', at }));
  }
}

/**
 * EA1 and EA2: a crash is surrounded by a freeze, and nothing happens within one. Both are known with hindsight: the recorder
 * writes a freeze when it is over. So the last instants at which anything was done are kept, in a ring, and a crash waits for its
 * freeze until the next action; until then EA1 is undecided. A freeze that is told before the crash and lasts until it is one too.
 *
 * A clock that was set back while nobody looked makes what was done before it seem to lie within the freeze that comes after. Who
 * wakes up looks at the clock, so that an action within a freeze waits, to be told of, for one that comes later than the freeze.
 */
import type { Ledger } from '../verdict/ledger.ts';
import { iso, type Violation } from '../verdict/verdict.ts';

/** As many instants; what is done within one millisecond is one. A freeze that reaches farther back gets a note. */
const KEPT = 4096;

export class Freezes {
  readonly #ledger: Ledger;
  readonly #actedAt: number[] = [];
  readonly #lines: number[] = [];
  /** Where the next one goes: at the end, or in place of the oldest. */
  #next = 0;
  #last = Number.NaN;
  /** A freeze after which nothing has been done. */
  #frozenFrom = Number.NaN;
  #frozenTo = Number.NaN;
  /** What was done within a freeze, if the clock was not set, and until when that may still turn out. */
  #doubted: Violation | undefined;
  #doubtedUntil = Number.NaN;
  /** A crash that no freeze has been seen around. */
  #crashedAt = Number.NaN;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  action(at: number, line: number): void {
    if (!Number.isNaN(this.#crashedAt)) this.#unfrozenCrash();
    if (at > this.#doubtedUntil) this.#tellDoubted();
    this.#frozenTo = Number.NaN;
    if (at === this.#last) return;
    this.#last = at;
    this.#actedAt[this.#next] = at;
    this.#lines[this.#next] = line;
    this.#next = (this.#next + 1) % KEPT;
  }

  /** A crash was told of, and the freeze around it may still be: the recorder of the next process writes it. */
  get isWaiting(): boolean {
    return !Number.isNaN(this.#crashedAt);
  }

  crash(at: number): void {
    if (!Number.isNaN(this.#crashedAt)) this.#unfrozenCrash();
    this.#ledger.see('EA1');
    const isFrozen = this.#frozenFrom <= at && at <= this.#frozenTo;
    this.#crashedAt = isFrozen ? Number.NaN : at;
  }

  /** A freeze is told of, in some line. */
  frozen(from: number, to: number, line: number): void {
    // One too short for the clock is one all the same.
    if (from <= this.#crashedAt && this.#crashedAt <= to) this.#crashedAt = Number.NaN;
    this.#ledger.see('EA2');
    if (!(to <= this.#frozenTo)) {
      this.#frozenFrom = from;
      this.#frozenTo = to;
    }
    const place = this.#actedWithin(from, to);
    // The place that is written next holds the oldest instant, once there are so many.
    if (place < 0 && this.#actedAt.length === KEPT && this.#actedAt[this.#next] > from)
      this.#ledger.note('EA2', `of a freeze, only the last ${KEPT} instants of actions were looked at`);
    if (place < 0) return;
    this.#tellDoubted();
    this.#doubted = acted(this.#actedAt[place], this.#lines[place], { from, to, line });
    this.#doubtedUntil = to;
  }

  /** Where the first instant between two is kept; negative if there is none. From the newest back, which are the likeliest. */
  #actedWithin(from: number, to: number): number {
    const { length } = this.#actedAt;
    let first = -1;
    for (let back = 1; back <= length; back++) {
      const place = (this.#next - back + KEPT) % KEPT;
      if (this.#actedAt[place] <= from) break;
      if (this.#actedAt[place] < to) first = place;
    }
    return first;
  }

  #tellDoubted(): void {
    if (this.#doubted !== undefined) this.#ledger.violate(this.#doubted);
    this.#doubted = undefined;
    this.#doubtedUntil = Number.NaN;
  }

  /** What must be said if the trace ends here. */
  atEnd(): readonly Violation[] {
    return this.#doubted === undefined ? [] : [this.#doubted];
  }

  /** The clock was set: instants of before mean nothing now. */
  forget(): void {
    this.#actedAt.length = 0;
    this.#next = 0;
    this.#last = Number.NaN;
    this.#frozenTo = Number.NaN;
    this.#doubted = undefined;
    this.#doubtedUntil = Number.NaN;
  }

  #unfrozenCrash(): void {
    const at = this.#crashedAt;
    this.#crashedAt = Number.NaN;
    this.#ledger.violate({
      axiom: 'EA1',
      at,
      blame: 'environment',
      because: `Work went on right around the crash at ${iso(at)}: the trace has no freeze there`,
      events: [{ event: 'UnexpectedShutdown', at }],
    });
  }
}

/** Something was done within a freeze. */
function acted(at: number, line: number, frozen: { from: number; to: number; line: number }): Violation {
  const { from, to } = frozen;
  return {
    axiom: 'EA2',
    at,
    blame: 'environment',
    because: `Something happened at ${iso(at)}, while the machine is said to have been frozen from ${iso(from)} to ${iso(to)}`,
    events: [
      { event: 'action', at, ...(line > 0 ? { line } : {}) },
      { event: 'Frozen', at: to, ...(frozen.line > 0 ? { line: frozen.line } : {}) },
    ],
  };
}

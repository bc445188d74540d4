/**
 * What the environment took, as the trace claims: freezes, trouble with the store, little compute, a clock that was set. Such a claim
 * is about the past. One that ends before it begins is malformed and has no effect. So is one that reaches beyond its own record,
 * since it would excuse what has not happened yet. Freezes alone may do so: our recorder stamps a freeze by the record that
 * comes after it, which may carry an instant that was read before the freeze. If something happens in the middle of such a freeze,
 * EA2 is broken (`freeze-axioms.ts`).
 */
import type { RecordOf } from '../../trace/record.ts';
import type { Cause, Compute } from '../delays/compute.ts';
import { sentence } from '../verdict/verdict.ts';
import { CLOCK_TOLERANCE_MS, type FreezeAxioms } from './freeze-axioms.ts';
import type { WellFormed } from './well-formed.ts';

/** How often a scheduler must look at the wall clock (B5). */
const LOOK_MS = 60_000;

export class EnvironmentClaims {
  /** The compute that each kind of demand is measured by. */
  readonly #computes: readonly [Compute, ...Compute[]];
  readonly #freezes: FreezeAxioms;
  readonly #wellFormed: WellFormed;
  /** How far the freezes reach that were claimed since the clock was set. */
  #frozenTo = Number.NEGATIVE_INFINITY;

  constructor(computes: readonly [Compute, ...Compute[]], freezes: FreezeAxioms, wellFormed: WellFormed) {
    this.#computes = computes;
    this.#freezes = freezes;
    this.#wellFormed = wellFormed;
  }

  take(record: RecordOf<'Frozen' | 'Compute' | 'StoreTrouble'>): void {
    const { event, from, to } = record;
    if (to < from) {
      this.#wellFormed.malformed(
        sentence`${event}: "to" is ${{ at: to }}, which is before "from", ${{ at: from }}`,
      );
    } else if (event === 'Frozen') {
      this.#withhold(from, to, 'frozen');
      this.#frozenTo = Math.max(to, this.#frozenTo);
      this.#freezes.frozen(record);
    } else if (this.#isAhead(record)) return;
    else if (event === 'StoreTrouble') this.#withhold(from, to, 'store');
    else this.#withhold(from, to, 'compute', record.units / (to - from));
  }

  /**
   * The clock was set, and the scheduler could not know before it looked. Answers whether it was: a step that cannot have been is
   * none. Up to the last look the old time went on. So the record before the step may be later than where the step begins, but by no
   * more than the time between two looks. (Where time has gone back already, and no record has said why, it may be anything.)
   */
  step(record: RecordOf<'ClockStep'>, before: number): boolean {
    const { from, to, at } = record;
    if (this.#isAhead(record)) return false;
    // The scheduler looks once a minute, not counting what the machine was frozen for.
    const unseenMs = at - to;
    const frozenMs = unseenMs - this.#computes[0].lagOf(from, from + unseenMs);
    const leewayMs = Math.min(unseenMs, LOOK_MS + frozenMs) + CLOCK_TOLERANCE_MS;
    if (to < from && before - from > leewayMs && this.#wellFormed.isExplained) {
      const last = sentence`the record before it is of ${{ at: before }}`;
      this.#wellFormed.malformed(
        sentence`ClockStep: the clock is said to have been set back at ${{ at: from }}, but ${last}`,
      );
      return false;
    }
    this.#withhold(Math.max(to, at - LOOK_MS - frozenMs), at, 'step');
    if (to >= from) this.#withhold(from, to, 'step');
    // The old time went no farther than this: what a freeze claims of later times is not known to have been.
    else this.#withhold(from + unseenMs, this.#frozenTo, 'frozen', 1);
    this.#frozenTo = Number.NEGATIVE_INFINITY;
    return true;
  }

  #withhold(from: number, to: number, cause: Cause, density = 0): void {
    for (const compute of this.#computes) compute.set(from, to, density, cause);
  }

  #isAhead({ event, at, to }: RecordOf<'Compute' | 'StoreTrouble' | 'ClockStep'>): boolean {
    if (to <= at) return false;
    this.#wellFormed.malformed(
      sentence`${event}: "to" is ${{ at: to }}, but the record itself is of ${{ at }}`,
    );
    return true;
  }
}

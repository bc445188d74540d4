/**
 * How much work the environment let be done, and when: `compute(S)` of the theory. One unit a millisecond, but none while the
 * machine was frozen, and as much as a `Compute` record says where there is one. Such records come after the fact, so a delay
 * is judged some time after it ended.
 *
 * Kept as the stretches that are not one unit a millisecond, oldest first; there are few, and the oldest are forgotten when
 * there are too many.
 */

/** What L1–L3 grant a scheduler: compute for its input, and a lag beyond it. */
export interface Witnesses {
  /** Units of compute for each bit of the registration list and the instant. */
  readonly a: number;
  readonly b: number;
  readonly lagMs: number;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Units a millisecond. */
  readonly density: number;
  readonly cause: Cause;
}

/** Why there was less compute. The last two are no freeze: what they delay is the environment's doing all the same. */
export type Cause = 'frozen' | 'compute' | 'store' | 'step' | 'workers';

const MOST_STRETCHES = 20_000;

export class Compute {
  #stretches: Stretch[] = [];

  /** From an instant to another the environment gave this much. Later words win over earlier ones. */
  set(from: number, to: number, density: number, cause: Cause): void {
    if (!(to > from)) return;
    const last = this.#stretches.at(-1);
    if (last === undefined || last.to <= from) this.#stretches.push({ from, to, density, cause });
    else this.#insert({ from, to, density, cause });
    if (this.#stretches.length > MOST_STRETCHES) this.#stretches.splice(0, MOST_STRETCHES / 2);
  }

  /** Cuts what is there around the new stretch. */
  #insert(stretch: Stretch): void {
    const { from, to } = stretch;
    const around = this.#stretches.flatMap((old): Stretch[] => {
      if (old.to <= from || old.from >= to) return [old];
      const before = old.from < from ? [{ ...old, to: from }] : [];
      const after = old.to > to ? [{ ...old, from: to }] : [];
      return [...before, ...after];
    });
    this.#stretches = [...around, stretch].sort((a, b) => a.from - b.from);
  }

  /** What [from, to] is made of: every millisecond of it in exactly one part. */
  #parts(from: number, to: number): { density: number; ms: number; cause: Cause | undefined }[] {
    const parts: { density: number; ms: number; cause: Cause | undefined }[] = [];
    let at = from;
    for (let i = this.#firstAfter(from); i < this.#stretches.length; i++) {
      const stretch = this.#stretches[i];
      if (stretch.from >= to) break;
      const begin = Math.max(stretch.from, from);
      const end = Math.min(stretch.to, to);
      if (begin > at) parts.push({ density: 1, ms: begin - at, cause: undefined });
      parts.push({ density: stretch.density, ms: end - begin, cause: stretch.cause });
      at = end;
    }
    if (to > at) parts.push({ density: 1, ms: to - at, cause: undefined });
    return parts;
  }

  /** The index of the first stretch that ends after an instant. */
  #firstAfter(at: number): number {
    let low = 0;
    let high = this.#stretches.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#stretches[middle].to > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** F_comp!: whether what is left of [from, to] without its densest `lagMs` is at most `budget`. */
  isWithin(from: number, to: number, budget: number, lagMs: number): boolean {
    if (to - from <= lagMs) return true;
    let lag = lagMs;
    let spent = 0;
    for (const { density, ms } of this.#parts(from, to).sort((a, b) => b.density - a.density)) {
      const discarded = Math.min(lag, ms);
      lag -= discarded;
      spent += density * (ms - discarded);
    }
    return spent <= budget;
  }

  /** The smallest lag that would do for [from, to] without any budget: its time in which work could be done. */
  lagOf(from: number, to: number): number {
    return this.#parts(from, to).reduce((sum, part) => sum + (part.density > 0 ? part.ms : 0), 0);
  }

  /** What took compute away within [from, to]. */
  causes(from: number, to: number): readonly Cause[] {
    const causes = this.#parts(from, to)
      .filter((part) => part.density < 1)
      .map((part) => part.cause)
      .filter((cause) => cause !== undefined);
    return [...new Set(causes)];
  }
}

/**
 * When work could be done: `compute(S)` of the theory, with one unit per millisecond, but none while the machine was frozen, the store
 * in trouble, the clock set, or no worker free. Kept are the stretches of time that were *withheld*: in order, none over another, as
 * columns with sums, so that a question about any span is two binary searches and a difference. A stretch is mostly added at the
 * end, for nothing; one about the past costs as much as there are stretches after it.
 *
 * Two things are decided in favour of the scheduler, which must not be accused of what it has not done:
 *
 * - A `Compute` record that grants less than one unit per millisecond withholds that share of its time, from its beginning on. One
 *   that grants more counts as one unit per millisecond.
 * - A trace may have any number of stretches, memory must not. When there are very many, all time up to the newer half of them counts
 *   as withheld: only a demand that is open since before then, or a record that comes that late, can be affected.
 */

/** Why time was withheld, as a bit each. The last three are no freeze: what they delay is not the scheduler's doing all the same. */
export const bitOf = { frozen: 1, compute: 2, store: 4, step: 8, workers: 16 } as const;
export type Cause = keyof typeof bitOf;
export const allCauses = Object.keys(bitOf) as readonly Cause[];

/** What L1–L3 grant a scheduler: compute for its input, and a lag beyond it. */
export interface Witnesses {
  /** Units of compute for each bit of the registration list and the instant. */
  readonly a: number;
  readonly b: number;
  readonly lagMs: number;
}

/** So many stretches are kept before the older half becomes one. */
const MOST_STRETCHES = 65_536;

export class Compute {
  readonly #most: number;
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #cause: Cause[] = [];
  /** Before each stretch, how much was withheld; and the first of the neighbours that have its cause. */
  readonly #before: number[] = [0];
  readonly #alike: number[] = [];
  /** How many stretches are summed up: a sum is good until something before it changes. */
  #summed = 0;
  /** The last question of `#endingAfter`, and its answer: many tasks have waited from the same instant on. */
  #askedAt = Number.NaN;
  #answer = 0;

  constructor(most = MOST_STRETCHES) {
    this.#most = most;
  }

  /** How many stretches are kept. */
  get size(): number {
    return this.#from.length;
  }

  /** From an instant to another the environment gave this much per millisecond. A later claim replaces an earlier one. */
  set(from: number, to: number, density: number, cause: Cause): void {
    if (!(to > from)) return;
    const withheldTo = from + Math.max(0, 1 - density) * (to - from);
    if (withheldTo < to) this.#replace(withheldTo, to, []);
    if (withheldTo > from) this.#withhold(from, withheldTo, cause);
    if (this.size > this.#most) this.#condense();
  }

  #withhold(from: number, to: number, cause: Cause): void {
    const last = this.size - 1;
    if (last < 0 || from > this.#to[last] || (from === this.#to[last] && cause !== this.#cause[last])) {
      this.#from.push(from);
      this.#to.push(to);
      this.#cause.push(cause);
    } else if (cause === this.#cause[last] && from >= this.#from[last]) {
      this.#to[last] = Math.max(to, this.#to[last]);
      this.#summed = Math.min(this.#summed, last);
    } else this.#replace(from, to, [{ from, to, cause }]);
  }

  /** Puts stretches in the place of what there is between two instants. */
  #replace(from: number, to: number, stretches: readonly { from: number; to: number; cause: Cause }[]): void {
    const first = this.#endingAfter(from);
    const end = Math.max(first, this.#beginningFrom(to));
    const around = [...stretches];
    if (first < end && this.#from[first] < from)
      around.unshift({ from: this.#from[first], to: from, cause: this.#cause[first] });
    if (first < end && this.#to[end - 1] > to)
      around.push({ from: to, to: this.#to[end - 1], cause: this.#cause[end - 1] });
    this.#from.splice(first, end - first, ...around.map((each) => each.from));
    this.#to.splice(first, end - first, ...around.map((each) => each.to));
    this.#cause.splice(first, end - first, ...around.map((each) => each.cause));
    this.#summed = Math.min(this.#summed, first);
    this.#askedAt = Number.NaN;
  }

  /** The older half becomes one stretch, which withholds the time in between too. */
  #condense(): void {
    const count = this.size - Math.floor(this.#most / 2);
    this.#to.splice(0, count, this.#to[count - 1]);
    this.#from.splice(0, count, this.#from[0]);
    this.#cause.splice(0, count, this.#cause[count - 1]);
    this.#summed = 0;
    this.#askedAt = Number.NaN;
  }

  /** The smallest lag that would do for [from, to] without any budget: its time in which work could be done. */
  lagOf(from: number, to: number): number {
    if (to <= from) return 0;
    const first = this.#endingAfter(from);
    const end = this.#beginningFrom(to);
    if (first >= end) return to - from;
    this.#sum();
    const outside = Math.max(0, from - this.#from[first]) + Math.max(0, this.#to[end - 1] - to);
    return to - from - (this.#before[end] - this.#before[first] - outside);
  }

  /** Why time within [from, to] was withheld: a bit for each cause. */
  causes(from: number, to: number): number {
    if (to <= from) return 0;
    const first = this.#endingAfter(from);
    this.#sum();
    let causes = 0;
    for (let i = this.#beginningFrom(to) - 1; i >= first; i = this.#alike[i] - 1)
      causes |= bitOf[this.#cause[i]];
    return causes;
  }

  /** The first stretch that ends after an instant. A stretch that is added at the end does not change the answer, if there is one. */
  #endingAfter(at: number): number {
    if (at === this.#askedAt) return this.#answer;
    let answer = firstFrom(this.#to, at);
    if (this.#to[answer] === at) answer++;
    this.#askedAt = answer < this.size ? at : Number.NaN;
    this.#answer = answer;
    return answer;
  }

  /** The first stretch that begins at an instant or after it. */
  #beginningFrom(at: number): number {
    const { size } = this;
    // Most questions go up to the present.
    return size > 0 && this.#from[size - 1] < at ? size : firstFrom(this.#from, at);
  }

  #sum(): void {
    for (let i = this.#summed; i < this.size; i++) {
      this.#before[i + 1] = this.#before[i] + this.#to[i] - this.#from[i];
      this.#alike[i] = i > 0 && this.#cause[i] === this.#cause[i - 1] ? this.#alike[i - 1] : i;
    }
    this.#summed = this.size;
  }
}

/** The first place in a strictly ascending list whose value is not less. */
function firstFrom(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] >= value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * When work could be done: `compute(S)` of the theory, with one unit per millisecond, but none while the machine was frozen, the store
 * in trouble, the clock set, or no worker free. Kept are the stretches of time that were *withheld*: in order, none over another,
 * with sums, so that a question about any span is two binary searches and a difference. A stretch is mostly added at the
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

/** In the order of the bits. */
const words = [
  'the machine was frozen',
  'the environment gave little compute',
  'the store was in trouble',
  'the clock was set',
  'every worker was busy',
];

/** Causes, given as bits, in words. */
export const inWords = (causes: number): string => words.filter((_, i) => causes & (1 << i)).join(', and ');

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
  readonly cause: number;
  /** How much was withheld before it; and the place of the first of the neighbours that have its cause. */
  before: number;
  alike: number;
}

/** So many stretches are kept before the older half becomes one. */
const MOST_STRETCHES = 65_536;

export class Compute {
  readonly #most: number;
  readonly #stretches: Stretch[] = [];
  /** How many stretches are summed up: a sum is good until something before it changes. */
  #summed = 0;
  /** The last question of `#endingAfter`, and its answer: many tasks have waited from the same instant on. */
  #askedAt = Number.NaN;
  #answer = 0;

  constructor(most = MOST_STRETCHES) {
    this.#most = most;
  }

  get size(): number {
    return this.#stretches.length;
  }

  /** From an instant to another the environment gave this much per millisecond. A later claim replaces an earlier one. */
  set(from: number, to: number, density: number, cause: Cause): void {
    if (!(to > from)) return;
    const withheldTo = from + Math.max(0, 1 - density) * (to - from);
    if (withheldTo < to) this.#replace(withheldTo, to);
    if (withheldTo > from) this.#withhold(from, withheldTo, bitOf[cause]);
    if (this.size > this.#most) this.#condense();
  }

  #withhold(from: number, to: number, cause: number): void {
    const last = this.#stretches.at(-1);
    const added = { from, to, cause, before: 0, alike: 0 };
    if (last === undefined || from > last.to || (from === last.to && cause !== last.cause))
      this.#stretches.push(added);
    else if (cause === last.cause && from >= last.from) {
      this.#stretches[this.size - 1] = { ...last, to: Math.max(to, last.to) };
      this.#summed = Math.min(this.#summed, this.size - 1);
    } else this.#replace(from, to, added);
  }

  /** Puts a stretch, or none, in the place of what there is between two instants. */
  #replace(from: number, to: number, ...put: Stretch[]): void {
    const first = this.#endingAfter(from);
    const end = Math.max(first, this.#beginningFrom(to));
    const [left, right] = [this.#stretches[first], this.#stretches[end - 1]];
    if (first < end && left.from < from) put.unshift({ ...left, to: from });
    if (first < end && right.to > to) put.push({ ...right, from: to });
    this.#splice(first, end - first, put);
  }

  /** The older half becomes one stretch, which withholds the time in between too. */
  #condense(): void {
    const count = this.size - Math.floor(this.#most / 2);
    const { to, cause } = this.#stretches[count - 1];
    this.#splice(0, count, [{ ...this.#stretches[0], to, cause }]);
  }

  #splice(first: number, count: number, put: readonly Stretch[]): void {
    this.#stretches.splice(first, count, ...put);
    this.#summed = Math.min(this.#summed, first);
    this.#askedAt = Number.NaN;
  }

  /** The smallest lag that would do for [from, to] without any budget: its time in which work could be done. */
  lagOf(from: number, to: number): number {
    if (to <= from) return 0;
    const first = this.#endingAfter(from);
    const end = this.#beginningFrom(to);
    if (first >= end) return to - from;
    this.#sum();
    const [left, right] = [this.#stretches[first], this.#stretches[end - 1]];
    const withheldMs = right.before + Math.min(to, right.to) - right.from - left.before;
    return to - from - withheldMs + Math.max(0, from - left.from);
  }

  /** Why time within [from, to] was withheld: a bit for each cause. */
  causes(from: number, to: number): number {
    if (to <= from) return 0;
    const first = this.#endingAfter(from);
    this.#sum();
    let causes = 0;
    for (let i = this.#beginningFrom(to) - 1; i >= first; i = this.#stretches[i].alike - 1)
      causes |= this.#stretches[i].cause;
    return causes;
  }

  /** The first stretch that ends after an instant. A stretch that is added at the end does not change the answer, if there is one. */
  #endingAfter(at: number): number {
    if (at === this.#askedAt) return this.#answer;
    this.#answer = this.#first(({ to }) => to > at);
    this.#askedAt = this.#answer < this.size ? at : Number.NaN;
    return this.#answer;
  }

  /** The first stretch that begins at an instant or after it. Most questions go up to the present. */
  #beginningFrom(at: number): number {
    const last = this.#stretches.at(-1);
    return last === undefined || last.from < at ? this.size : this.#first(({ from }) => from >= at);
  }

  /** The first stretch of which something holds that holds of all later ones too. */
  #first(holds: (of: Stretch) => boolean): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (holds(this.#stretches[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #sum(): void {
    for (; this.#summed < this.size; this.#summed++) {
      const it = this.#stretches[this.#summed];
      const previous = this.#summed === 0 ? undefined : this.#stretches[this.#summed - 1];
      it.before = previous === undefined ? 0 : previous.before + previous.to - previous.from;
      it.alike = it.cause === previous?.cause ? previous.alike : this.#summed;
    }
  }
}

/** How many runs are going, and the time in which no worker was free: a task that waited then did not wait for the scheduler. */
export class Workers {
  readonly #compute: Compute;
  #running = 0;
  #limit = Number.POSITIVE_INFINITY;
  #busySince = Number.NaN;

  constructor(compute: Compute) {
    this.#compute = compute;
  }

  get isQuiescent(): boolean {
    return this.#running === 0;
  }

  /** An initialization says how many there are. */
  setLimit(limit: number): void {
    this.#limit = limit;
  }

  /** A run begins (1) or ends (−1). Answers whether quiescence has changed. */
  runs(change: number, now: number): boolean {
    const wasQuiescent = this.isQuiescent;
    this.#running += change;
    if (this.#running < this.#limit) {
      this.countBusy(now);
      this.#busySince = Number.NaN;
    } else if (Number.isNaN(this.#busySince)) this.#busySince = now;
    return this.isQuiescent !== wasQuiescent;
  }

  crash(now: number): void {
    this.runs(-this.#running, now);
  }

  clockSetBack(to: number): void {
    if (this.#busySince > to) this.#busySince = to;
  }

  /** Up to now no worker was free, and that may go on. */
  countBusy(now: number): void {
    if (Number.isNaN(this.#busySince)) return;
    this.#compute.set(this.#busySince, now, 0, 'workers');
    this.#busySince = now;
  }
}

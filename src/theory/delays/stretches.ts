/**
 * Stretches of time in which there was not one unit of compute a millisecond: in order, none over another, and two that touch
 * differ. In columns, with sums beside them, so that a question about any span is two binary searches and a difference.
 *
 * A sum is made when it is first asked for, and is good until something before it changes. What comes in the order of time is
 * added at the end, for nothing; a word about the past costs as much as there are stretches after it.
 */

/** Why there was less compute. The last three are no freeze: what they delay is not the scheduler's doing all the same. */
export type Cause = 'frozen' | 'compute' | 'store' | 'step' | 'workers';

export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Units a millisecond. */
  readonly density: number;
  readonly cause: Cause;
}

/** So much time of a density, and why. */
export type Visitor = (ms: number, density: number, cause: Cause | undefined) => void;

const causes: readonly Cause[] = ['frozen', 'compute', 'store', 'step', 'workers'];
/** The column of those that are neither none nor one unit a millisecond: only `Compute` records make them. */
const ODD = causes.length;
const COLUMNS = causes.length + 1;

export class Stretches {
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #density: number[] = [];
  readonly #cause: Cause[] = [];
  /** Before each stretch: the time without any compute, and a row of how many there are by cause (where it was less), and odd. */
  readonly #noneMs: number[] = [0];
  #counts = new Uint32Array(COLUMNS * 64);
  /** As many of them are summed up. */
  #summed = 0;
  /** The last question of `endingAfter`, and its answer. */
  #askedAt = Number.NaN;
  #answer = 0;

  get length(): number {
    return this.#from.length;
  }

  at(index: number): Stretch {
    const [from, to] = [this.#from[index], this.#to[index]];
    return { from, to, density: this.#density[index], cause: this.#cause[index] };
  }

  /** One that begins where all others have ended, or goes on with the last. Answers whether it was such a one. */
  append(from: number, to: number, density: number, cause: Cause): boolean {
    const last = this.#from.length - 1;
    if (last >= 0 && from <= this.#to[last]) {
      if (this.#density[last] === density && this.#cause[last] === cause && from >= this.#from[last]) {
        if (to > this.#to[last]) this.#to[last] = to;
        if (this.#summed > last) this.#summed = last;
        return true;
      }
      if (from < this.#to[last]) return false;
    }
    this.#from.push(from);
    this.#to.push(to);
    this.#density.push(density);
    this.#cause.push(cause);
    return true;
  }

  /** Puts others, in order and apart, in the place of some. */
  replace(first: number, count: number, others: readonly Stretch[]): void {
    // Neighbours that touch and do not differ become one.
    const [before, after] = [first > 0 ? 1 : 0, first + count < this.length ? 1 : 0];
    const begin = first - before;
    const joined: Stretch[] = before > 0 ? [this.at(begin)] : [];
    for (const other of others) join(joined, other);
    if (after > 0) join(joined, this.at(first + count));
    const removed = before + count + after;
    splice(this.#from, begin, removed, joined, ({ from }) => from);
    splice(this.#to, begin, removed, joined, ({ to }) => to);
    splice(this.#density, begin, removed, joined, ({ density }) => density);
    splice(this.#cause, begin, removed, joined, ({ cause }) => cause);
    this.#summed = Math.min(this.#summed, begin);
    this.#askedAt = Number.NaN;
  }

  /** The first that ends after an instant. */
  endingAfter(at: number): number {
    // Many have waited from one instant on. What is added at the end does not change the answer, if there is one.
    if (at === this.#askedAt) return this.#answer;
    const answer = firstAbove(this.#to, at);
    this.#askedAt = answer < this.#to.length ? at : Number.NaN;
    this.#answer = answer;
    return answer;
  }

  /** The first that begins at an instant or after it. */
  beginningFrom(at: number): number {
    let low = 0;
    let high = this.#from.length;
    // Most questions go up to the present.
    if (high > 0 && this.#from[high - 1] < at) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#from[middle] >= at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  /** Visits what [from, to] is made of, in order: every millisecond once, what is usual without a cause. */
  visit(from: number, to: number, visitor: Visitor): void {
    let at = from;
    for (let i = this.endingAfter(from); i < this.#from.length && this.#from[i] < to; i++) {
      const begin = Math.max(this.#from[i], from);
      const end = Math.min(this.#to[i], to);
      if (begin > at) visitor(begin - at, 1, undefined);
      visitor(end - begin, this.#density[i], this.#cause[i]);
      at = end;
    }
    if (to > at) visitor(to - at, 1, undefined);
  }

  /** How much of [from, to] was without any compute. */
  noneMs(from: number, to: number): number {
    const first = this.endingAfter(from);
    const end = this.beginningFrom(to);
    if (first >= end) return 0;
    this.#sum();
    const last = end - 1;
    const before = this.#density[first] === 0 ? Math.max(0, from - this.#from[first]) : 0;
    const after = this.#density[last] === 0 ? Math.max(0, this.#to[last] - to) : 0;
    return this.#noneMs[end] - this.#noneMs[first] - before - after;
  }

  /** Those within [from, to] that are neither none nor one unit a millisecond, as far as they are within. */
  odd(from: number, to: number): readonly Stretch[] {
    const first = this.endingAfter(from);
    const end = this.beginningFrom(to);
    const found: Stretch[] = [];
    for (let i = this.#next(ODD, first, end); i < end; i = this.#next(ODD, i + 1, end)) {
      const { density, cause } = this.at(i);
      const begin = Math.max(from, this.#from[i]);
      found.push({ from: begin, to: Math.min(to, this.#to[i]), density, cause });
    }
    return found;
  }

  hasOdd(from: number, to: number): boolean {
    const end = this.beginningFrom(to);
    return this.#next(ODD, this.endingAfter(from), end) < end;
  }

  /** Why there was less within [from, to], by who came first. */
  causes(from: number, to: number): readonly Cause[] {
    const first = this.endingAfter(from);
    const end = this.beginningFrom(to);
    const found: Cause[] = [];
    const places: number[] = [];
    for (let column = 0; column < causes.length; column++) {
      const place = this.#next(column, first, end);
      if (place === end) continue;
      const rank = firstAbove(places, place);
      places.splice(rank, 0, place);
      found.splice(rank, 0, causes[column]);
    }
    return found;
  }

  /** The first of [first, end) that counts in a column; `end` if there is none. */
  #next(column: number, first: number, end: number): number {
    if (first >= end) return end;
    this.#sum();
    const counts = this.#counts;
    const before = counts[first * COLUMNS + column];
    if (counts[end * COLUMNS + column] === before) return end;
    // Mostly it is the first.
    if (counts[(first + 1) * COLUMNS + column] > before) return first;
    let low = first + 1;
    let high = end - 1;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (counts[(middle + 1) * COLUMNS + column] > before) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #sum(): void {
    const { length } = this;
    if (this.#summed === length) return;
    if ((length + 1) * COLUMNS > this.#counts.length) {
      const larger = new Uint32Array(2 * (length + 1) * COLUMNS);
      larger.set(this.#counts);
      this.#counts = larger;
    }
    const counts = this.#counts;
    for (let i = this.#summed; i < length; i++) {
      const density = this.#density[i];
      this.#noneMs[i + 1] = this.#noneMs[i] + (density === 0 ? this.#to[i] - this.#from[i] : 0);
      const row = i * COLUMNS;
      for (let column = 0; column < COLUMNS; column++) counts[row + COLUMNS + column] = counts[row + column];
      if (density < 1) counts[row + COLUMNS + causes.indexOf(this.#cause[i])]++;
      if (density !== 0 && density !== 1) counts[row + COLUMNS + ODD]++;
    }
    this.#summed = length;
  }
}

/** Adds one to a list; one that goes on like the last prolongs it. */
export function join(list: Stretch[], stretch: Stretch): void {
  const last = list.at(-1);
  if (last?.to === stretch.from && last.density === stretch.density && last.cause === stretch.cause)
    list[list.length - 1] = { ...last, to: stretch.to };
  else list.push(stretch);
}

/** The first value of an ascending list that is greater. */
export function firstAbove(ascending: readonly number[], value: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** As `Array.splice`, for lists of any length. */
function splice<T>(
  column: T[],
  begin: number,
  removed: number,
  joined: readonly Stretch[],
  of: (stretch: Stretch) => T,
): void {
  if (removed > 1000 || joined.length > 1000) {
    const tail = column.slice(begin + removed);
    column.length = begin;
    for (const stretch of joined) column.push(of(stretch));
    for (const value of tail) column.push(value);
  } else column.splice(begin, removed, ...joined.map(of));
}

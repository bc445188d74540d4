/**
 * How much work the environment let be done, and when: `compute(S)` of the theory. One unit a millisecond, but none while the
 * machine was frozen, and as much as a `Compute` record says where there is one. Such records come after the fact, so a delay
 * is judged some time after it ended. Kept are the stretches that are not one unit a millisecond.
 *
 * A trace may have any number of them, memory must not. When there are many, all but the newest are condensed; this is why
 * nothing is lost by it:
 *
 * - A question is about [from, to]: something was owed from the one on, and done at the other. Who may still ask is known: the
 *   demands that are open, and the delays that wait for hindsight. Their instants are *marks*. A demand that opens later is
 *   open from its present on, and so from after all that was condensed before.
 * - Before the first mark nobody asks any more: that is forgotten.
 * - Of what lies between two marks that follow one another, any question is about all or nothing. Its answer depends on how much
 *   time there is of each density, and on the causes, not on the order. So this is a block, in which what is alike is one stretch.
 * - There are no more marks than tasks and calls have demands, and a block has few stretches. With later marks blocks become one,
 *   and never two.
 *
 * The rest is decided in favour of the scheduler, because it must not be accused of what it has not done:
 *
 * - A late word about a part of a block: which of its time that was is not known any more. It takes the place of the densest.
 * - A clock that is set back into a block: demands begin there anew. From there to the end of the last block nothing is known,
 *   and no compute is counted, because of the step.
 * - More densities in one block than are told apart: the lower one counts.
 */
import { Block } from './condensed.ts';
import { type Cause, firstAbove, type Stretch, Stretches } from './stretches.ts';

export type { Cause } from './stretches.ts';

/** What L1–L3 grant a scheduler: compute for its input, and a lag beyond it. */
export interface Witnesses {
  /** Units of compute for each bit of the registration list and the instant. */
  readonly a: number;
  readonly b: number;
  readonly lagMs: number;
}

/** How many stretches there may be before the older ones are condensed, and how many of the newest never are. */
export interface Room {
  readonly most: number;
  readonly newest: number;
}

const usualRoom: Room = { most: 16_384, newest: 4096 };

export class Compute {
  readonly #stretches = new Stretches();
  readonly #marks: () => Iterable<number>;
  readonly #room: Room;
  /** Where blocks begin, and where the last one ends: what is before the first, and after that, is told as it was. */
  #blocks: readonly number[] = [];
  #condensedTo = Number.NEGATIVE_INFINITY;
  #limit: number;

  /** Of the instants from which on something may still be asked, and of those up to which. */
  constructor(marks: () => Iterable<number>, room: Room = usualRoom) {
    this.#marks = marks;
    this.#room = room;
    this.#limit = room.most;
  }

  /** How many stretches are kept. */
  get size(): number {
    return this.#stretches.length;
  }

  /** From an instant to another the environment gave this much. Later words win over earlier ones. */
  set(from: number, to: number, density: number, cause: Cause): void {
    if (!(to > from)) return;
    if (from < this.#condensedTo) this.#reachBack({ from, to, density, cause });
    else if (density === 1 || !this.#stretches.append(from, to, density, cause))
      this.#insert({ from, to, density, cause });
  }

  /** Cuts what is there around the new stretch. */
  #insert(stretch: Stretch): void {
    const { from, to, density } = stretch;
    const first = this.#stretches.endingAfter(from);
    const end = Math.max(first, this.#stretches.beginningFrom(to));
    const around: Stretch[] = [];
    if (first < end) {
      const begun = this.#stretches.at(first);
      if (begun.from < from) around.push({ ...begun, to: from });
    }
    if (density !== 1) around.push(stretch);
    if (first < end) {
      const going = this.#stretches.at(end - 1);
      if (going.to > to) around.push({ ...going, from: to });
    }
    this.#stretches.replace(first, end - first, around);
  }

  /** F_comp!: whether what is left of [from, to] without its densest `lagMs` is at most `budget`. */
  isWithin(from: number, to: number, budget: number, lagMs: number): boolean {
    const beyond = this.lagOf(from, to) - lagMs;
    if (beyond <= 0) return true;
    if (budget <= 0) return false;
    if (!this.#stretches.hasOdd(from, to)) return beyond <= budget;
    return this.#spent(from, to, lagMs) <= budget;
  }

  /** With `Compute` records, and witnesses that grant compute beyond the lag: the one question that looks at each such record. */
  #spent(from: number, to: number, lagMs: number): number {
    const odd = this.#stretches.odd(from, to).map((one) => ({ density: one.density, ms: one.to - one.from }));
    const usualMs = odd.reduce((left, { ms }) => left - ms, this.lagOf(from, to));
    const parts = [...odd, { density: 1, ms: usualMs }].sort((a, b) => b.density - a.density);
    let lag = lagMs;
    let spent = 0;
    for (const { density, ms } of parts) {
      const discarded = Math.min(lag, ms);
      lag -= discarded;
      spent += density * (ms - discarded);
    }
    return spent;
  }

  /** The smallest lag that would do for [from, to] without any budget: its time in which work could be done. */
  lagOf(from: number, to: number): number {
    return to > from ? to - from - this.#stretches.noneMs(from, to) : 0;
  }

  /** What took compute away within [from, to]. */
  causes(from: number, to: number): readonly Cause[] {
    return to > from ? this.#stretches.causes(from, to) : [];
  }

  #setBlocks(edges: readonly number[]): void {
    this.#blocks = edges;
    this.#condensedTo = edges.at(-1) ?? Number.NEGATIVE_INFINITY;
  }

  /** Condenses, if it is time to. To be called only where no demand is on its way from one state to another. */
  trim(now: number): void {
    if (this.#stretches.length < this.#limit) return;
    // Nothing of after now, where a demand may yet begin.
    const count = Math.min(this.#stretches.length - this.#room.newest, this.#stretches.endingAfter(now));
    if (count > 0) this.#condense(count);
    // Where many demands are open it takes as many new stretches again until it is worth to look at all of them.
    this.#limit = Math.max(this.#room.most, 2 * this.#stretches.length);
  }

  #condense(few: number): void {
    // A block is never opened again, also where a late word has left little after it.
    const end = Math.max(this.#stretches.at(few - 1).to, this.#condensedTo);
    const count = this.#stretches.beginningFrom(end);
    const last = this.#stretches.at(count - 1);
    const rest = last.to > end ? [{ ...last, from: end }] : [];
    const marks = [...new Set(this.#marks())].filter((mark) => mark < end).sort((a, b) => a - b);
    const begins = marks.slice(Math.max(0, firstAbove(marks, this.#stretches.at(0).from) - 1));
    const edges = begins.length === 0 ? [] : [...begins, end];
    const condensed = begins.flatMap((begin, i) => new Block(this.#stretches, begin, edges[i + 1]).laid);
    this.#stretches.replace(0, count, [...condensed, ...rest]);
    this.#setBlocks(edges);
  }

  /** A word about condensed time: as it is where it takes a whole block, or none; in place of the densest where it takes a part. */
  #reachBack(stretch: Stretch): void {
    const { from, to } = stretch;
    const first = firstAbove(this.#blocks, from) - 1;
    const last = firstAbove(this.#blocks, to) - 1;
    const isWithinFirst = first >= 0 && this.#blocks[first] < from;
    const isWithinLast = last >= 0 && this.#blocks[last] < to && to < this.#condensedTo;
    const begin = isWithinFirst ? this.#blocks[first + 1] : from;
    const end = isWithinLast ? this.#blocks[last] : to;
    if (begin < end) this.#insert({ ...stretch, from: begin, to: end });
    if (isWithinFirst) this.#mend(first, Math.min(to, begin) - from, stretch);
    if (isWithinLast && begin <= end) this.#mend(last, to - end, stretch);
  }

  #mend(place: number, ms: number, { density, cause }: Stretch): void {
    const [from, to] = [this.#blocks[place], this.#blocks[place + 1]];
    const block = new Block(this.#stretches, from, to);
    block.change(ms, density, cause);
    this.#insert({ from, to, density: 1, cause });
    for (const stretch of block.laid) this.#insert(stretch);
  }

  /** Time comes again from here on. What was said of it before stands until something else is said, where it excuses. */
  clockSetBack(to: number): void {
    const first = this.#stretches.endingAfter(to);
    const ahead = Array.from({ length: this.#stretches.length - first }, (_, i) =>
      this.#stretches.at(first + i),
    );
    for (const { from, to: end, density, cause } of ahead)
      if (density > 1) this.#insert({ from: Math.max(from, to), to: end, density: 1, cause });
    const end = ahead.length > this.#room.newest ? ahead[ahead.length - 1].to : this.#condensedTo;
    if (to >= end) return;
    const begin = to < this.#condensedTo ? Math.max(to, this.#blocks[0]) : to;
    const edges = this.#blocks.filter((edge) => edge < begin);
    if (to < this.#condensedTo) this.#setBlocks(edges.length > 0 ? [...edges, begin] : []);
    this.#insert({ from: begin, to: end, density: 0, cause: 'step' });
  }
}

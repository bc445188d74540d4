/**
 * Old time, condensed: a *block* is a span of which only all or nothing is asked, so that the order of what is in it does not
 * matter. What is alike is one part; laid again, the least dense comes first.
 */
import { type Cause, join, type Stretch, type Stretches } from './stretches.ts';

/** As many densities between none and one unit a millisecond, or beyond, are told apart within a block. */
const MOST_DENSITIES = 32;

/** So much time of a density. Without a cause it is the usual one unit a millisecond. */
interface Part {
  readonly ms: number;
  readonly density: number;
  readonly cause: Cause | undefined;
}

export class Block {
  readonly #from: number;
  /** The milliseconds, by cause and density. */
  readonly #sums = new Map<Cause | undefined, Map<number, number>>();

  constructor(stretches: Stretches, from: number, to: number) {
    this.#from = from;
    stretches.visit(from, to, (ms, density, cause) => this.#add(ms, density, cause));
  }

  #add(ms: number, density: number, cause: Cause | undefined): void {
    let sums = this.#sums.get(cause);
    if (sums === undefined) {
      sums = new Map();
      this.#sums.set(cause, sums);
    }
    sums.set(density, (sums.get(density) ?? 0) + ms);
  }

  get #parts(): readonly Part[] {
    return [...this.#sums]
      .flatMap(([cause, sums]) => Array.from(sums, ([density, ms]): Part => ({ ms, density, cause })))
      .sort((a, b) => a.density - b.density);
  }

  /** So much of it, nobody knows which, was of another density: the densest, in favour of who has to do the work. */
  change(ms: number, density: number, cause: Cause): void {
    let left = ms;
    for (const part of this.#parts.toReversed()) {
      const taken = Math.min(left, part.ms);
      left -= taken;
      this.#add(-taken, part.density, part.cause);
    }
    this.#add(ms, density, density === 1 ? undefined : cause);
  }

  /** Its stretches, in order. */
  get laid(): readonly Stretch[] {
    const stretches: Stretch[] = [];
    let at = this.#from;
    for (const { ms, density, cause } of coarse(this.#parts)) {
      if (cause !== undefined && ms > 0) join(stretches, { from: at, to: at + ms, density, cause });
      at += ms;
    }
    return stretches;
  }
}

/** Too many densities: neighbours share the lowest among them, which is in favour again. */
function coarse(parts: readonly Part[]): readonly Part[] {
  const isOdd = ({ density }: Part): boolean => density !== 0 && density !== 1;
  const odd = parts.filter(isOdd);
  const together = Math.ceil(odd.length / MOST_DENSITIES);
  if (together <= 1) return parts;
  const lowered = odd.map((part, i) => ({ ...part, density: odd[i - (i % together)].density }));
  return [...parts.filter((part) => !isOdd(part)), ...lowered].sort((a, b) => a.density - b.density);
}

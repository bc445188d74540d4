/**
 * Chance that is the same on every run. A generator is forked by labels, not shared: what one thing draws does not shift what
 * another draws, so that taking an event out of a scenario (to shrink it) leaves everything else as it was.
 */
export class Random {
  readonly #origin: number;
  #state: number;

  constructor(seed: number) {
    this.#origin = mixed(seed >>> 0);
    this.#state = this.#origin;
  }

  /** A generator of its own for something that has a name and a number. */
  fork(label: string, number = 0): Random {
    let hash = this.#origin ^ Math.imul(number + 1, 0x9e3779b1);
    for (let index = 0; index < label.length; index++) {
      hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193);
    }
    return new Random(hash);
  }

  /** A whole number from 0 up to, but not including, a bound. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return Math.floor((mixed(this.#state) / 2 ** 32) * bound);
  }

  /** A whole number from one to another, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True so often in a hundred times. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** A time that is as likely to be short as long, on a scale of powers. */
  spread(low: number, high: number): number {
    const share = this.below(1_000_001) / 1_000_000;
    return Math.round(low * (high / low) ** share);
  }
}

/** The finisher of splitmix: every bit of the seed reaches every bit of the outcome. */
function mixed(value: number): number {
  let hash = (value + 0x9e3779b9) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
  return (hash ^ (hash >>> 15)) >>> 0;
}

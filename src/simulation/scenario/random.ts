/**
 * Chance that is the same on every run. Things do not share a generator: each forks its own, by a label. So what one thing draws
 * does not change what another draws, and a scenario with one event less (to shrink it) leaves everything else as it was.
 */
export class Random {
  readonly #origin: number;
  #state: number;

  constructor(seed: number) {
    this.#origin = mixed(seed >>> 0);
    this.#state = this.#origin;
  }

  /** A new generator, for something that has a name and a number. */
  fork(label: string, number = 0): Random {
    let hash = this.#origin ^ Math.imul(number + 1, 0x9e3779b1);
    for (let index = 0; index < label.length; index++) {
      hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193);
    }
    return new Random(hash);
  }

  /** A whole number from 0 to below a bound. */
  below(bound: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    return Math.floor((mixed(this.#state) / 2 ** 32) * bound);
  }

  /** A whole number from one to another, both included. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  /** True this many times in a hundred. */
  percent(share: number): boolean {
    return this.below(100) < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)];
  }

  /** A time on a logarithmic scale: from 1 to 10 is as likely as from 10 to 100. */
  spread(low: number, high: number): number {
    const share = this.below(1_000_001) / 1_000_000;
    return Math.round(low * (high / low) ** share);
  }
}

/** The finisher of splitmix: every bit of the seed changes every bit of the result. */
function mixed(value: number): number {
  let hash = (value + 0x9e3779b9) >>> 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
  hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
  return (hash ^ (hash >>> 15)) >>> 0;
}

/**
 * How long to wait before the store is asked again: twice as long each time, up to a longest wait, and short again after `reset`.
 *
 * A database that goes away is lost to all of its instances at the same instant. If all of them waited equally long, they would come back
 * at the same instant too, again and again. So an instance that shares its store takes up to half of each wait away, by chance.
 */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly longestMs: number;
  /** From 0 to 1: how much is taken away. */
  spread(): number;
}

export class Backoff {
  readonly #options: BackoffOptions;
  #waitMs = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** The next wait, in milliseconds. */
  next(): number {
    const { firstMs, longestMs, spread } = this.#options;
    this.#waitMs = Math.min(Math.max(firstMs, this.#waitMs * 2), longestMs);
    return this.#waitMs * (1 - spread() / 2);
  }

  reset(): void {
    this.#waitMs = 0;
  }
}

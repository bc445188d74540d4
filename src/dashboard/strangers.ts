/**
 * Bounds what somebody without the token may do: guess it, and send bodies slowly. Each address has bounds of its own, so that one stranger
 * keeps no other viewer out.
 *
 *     free ──ten wrong tokens within a minute──▶ refused until that minute is over, the right token too
 *
 * Why the right token is refused too: an answer to it would be an answer to the next guess. Sessions go on, since nobody guesses those.
 */
const MOST_WRONG = 10;
const MOST_LOGINS = 4;
const MINUTE_MS = 60_000;
/** Addresses that are told apart. The others share one. */
const MOST_ADDRESSES = 1000;
const OTHERS = 'other addresses';

export class Strangers {
  readonly #now: () => number;
  readonly #told: (line: string) => void;
  #minute = 0;
  /** Wrong tokens within the minute, by address. */
  readonly #wrong = new Map<string, number>();
  /** Tokens that are being read now, by address. */
  readonly #logins = new Map<string, number>();

  constructor(now: () => number, told: (line: string) => void) {
    this.#now = now;
    this.#told = told;
  }

  /** Whether an address has to wait before it may show a token again. */
  mustWait(address = ''): boolean {
    const minute = Math.floor(this.#now() / MINUTE_MS);
    if (minute !== this.#minute) this.#wrong.clear();
    this.#minute = minute;
    return (this.#wrong.get(known(this.#wrong, address)) ?? 0) >= MOST_WRONG;
  }

  /** An address has shown a wrong token. */
  guessed(address = ''): void {
    const count = increase(this.#wrong, known(this.#wrong, address));
    if (count === MOST_WRONG)
      this.#told(
        `the page was shown ${MOST_WRONG} wrong tokens within a minute by ${address || 'this machine'}`,
      );
  }

  /** Reads a token that an address sends; `undefined` if the address sends too many at once. */
  async reading<Read>(address = '', read: () => Promise<Read>): Promise<Read | undefined> {
    const key = known(this.#logins, address);
    if ((this.#logins.get(key) ?? 0) >= MOST_LOGINS) return undefined;
    increase(this.#logins, key);
    try {
      return await read();
    } finally {
      const left = increase(this.#logins, key, -1);
      if (left === 0) this.#logins.delete(key);
    }
  }
}

const known = (counts: ReadonlyMap<string, number>, address: string): string =>
  counts.has(address) || counts.size < MOST_ADDRESSES ? address : OTHERS;

function increase(counts: Map<string, number>, key: string, by = 1): number {
  const count = (counts.get(key) ?? 0) + by;
  counts.set(key, count);
  return count;
}

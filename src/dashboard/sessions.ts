/**
 * Viewers who have shown the token. Each has a random name, which its browser keeps in a cookie that no script can read, so that the token
 * itself stays nowhere.
 *
 *     none ──open──▶ open ──12 hours, or 1,000 newer ones, or the end of the process──▶ none
 */
import { randomBytes } from 'node:crypto';

const LASTS_MS = 12 * 3_600_000;
const MOST = 1000;

export class Sessions {
  /** Browsers send a cookie to every port of a host: two dashboards must not take each other's. */
  readonly #cookie = `obbligato_${randomBytes(6).toString('hex')}`;
  /** By name, when each ends; the oldest first. */
  readonly #ends = new Map<string, number>();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Opens a session; answers the cookie for the browser. */
  open(path: string, isSecure: boolean): string {
    for (const [name, end] of this.#ends) {
      if (end > this.#now() && this.#ends.size < MOST) break;
      this.#ends.delete(name);
    }
    const name = randomBytes(32).toString('base64url');
    this.#ends.set(name, this.#now() + LASTS_MS);
    const secure = isSecure ? '; Secure' : '';
    return `${this.#cookie}=${name}; Path=${path}; Max-Age=${LASTS_MS / 1000}; HttpOnly; SameSite=Strict${secure}`;
  }

  /** Whether the cookies of a request name an open session. A name of 256 random bits cannot be found by timing the look-up. */
  has(cookies: string | undefined): boolean {
    for (const pair of (cookies ?? '').split(';')) {
      const [key, value = ''] = pair.trim().split('=');
      if (key === this.#cookie && (this.#ends.get(value) ?? 0) > this.#now()) return true;
    }
    return false;
  }
}

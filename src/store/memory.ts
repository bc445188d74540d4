/**
 * A store that lives in this object and dies with it: for tests, simulations, and schedules that need no memory of their past.
 *
 *     free ──open──▶ owned ──close──▶ free
 *                      └─open: refused, or waits for the close─┘
 *
 * It keeps the rules of the port to the letter, so that what passes here passes on a file: one owner at a time, batches that
 * take effect whole or not at all, and nothing shared. Every record is a deep-frozen copy, so that neither the caller's objects
 * nor the ones it reads can change what is stored.
 */
import type { TaskRecord } from '../core/record.ts';
import { LONGEST_TIMER_MS } from '../time/clock.ts';
import { StoreClosedError, StoreLockedError } from './errors.ts';
import { type Overlay, overlayOf } from './overlay.ts';
import type { Batch, CommitResult, OpenOptions, Store, StoreSession, StoreSnapshot } from './port.ts';

const LOCATION = 'memory';

/** A fresh, empty store. A second session after the first was closed sees what the first one wrote. */
export function memory(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly location = LOCATION;
  readonly #records: Map<string, TaskRecord> = new Map();
  #owner: MemorySession | undefined;
  /** Those who wait for the owner to let go, in the order in which they came. */
  readonly #waiting: Array<() => void> = [];

  async open({ waitMs }: OpenOptions): Promise<StoreSession> {
    if (this.#owner !== undefined && !(await this.#letGoWithin(waitMs))) {
      throw new StoreLockedError({ path: LOCATION, waitedMs: waitMs });
    }
    const session = new MemorySession(this);
    this.#owner = session;
    return session;
  }

  async inspect(): Promise<StoreSnapshot> {
    const owner = this.#owner === undefined ? 'free' : 'held';
    return { location: LOCATION, version: 1, owner, records: [...this.#records.values()] };
  }

  get records(): ReadonlyMap<string, TaskRecord> {
    return this.#records;
  }

  put(overlay: Overlay): void {
    for (const [name, record] of overlay) {
      if (record === undefined) this.#records.delete(name);
      else this.#records.set(name, record);
    }
  }

  /** The next in line becomes the owner at once, so that no newcomer can slip in between. */
  release(session: MemorySession): void {
    if (this.#owner !== session) return;
    const next = this.#waiting.shift();
    if (next === undefined) this.#owner = undefined;
    else next();
  }

  #letGoWithin(waitMs: number): Promise<boolean> {
    if (waitMs <= 0) return Promise.resolve(false);
    return new Promise((resolve) => {
      const granted = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(
        () => {
          this.#waiting.splice(this.#waiting.indexOf(granted), 1);
          resolve(false);
        },
        Math.min(waitMs, LONGEST_TIMER_MS),
      );
      this.#waiting.push(granted);
    });
  }
}

class MemorySession implements StoreSession {
  readonly #store: MemoryStore;
  #open = true;

  constructor(store: MemoryStore) {
    this.#store = store;
  }

  async read(names?: readonly string[]): Promise<readonly unknown[]> {
    this.#mustBeOpen();
    const { records } = this.#store;
    if (names === undefined) return [...records.values()];
    return [...new Set(names)].flatMap((name) => records.get(name) ?? []);
  }

  async commit(batch: Batch): Promise<CommitResult> {
    this.#mustBeOpen();
    const { overlay, refused } = overlayOf(this.#store.records, batch, LOCATION);
    this.#store.put(overlay);
    return { refused };
  }

  async close(): Promise<void> {
    if (!this.#open) return;
    this.#open = false;
    this.#store.release(this);
  }

  #mustBeOpen(): void {
    if (!this.#open) throw new StoreClosedError({ path: LOCATION });
  }
}

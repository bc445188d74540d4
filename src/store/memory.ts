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
import { RETENTION } from '../core/history.ts';
import type { TaskRecord } from '../core/record.ts';
import { LONGEST_TIMER_MS } from '../time/clock.ts';
import { StoreClosedError, StoreLockedError } from './errors.ts';
import { type Overlay, overlayOf } from './overlay.ts';
import type {
  Batch,
  CommitResult,
  HistoryQuery,
  OpenOptions,
  PastRun,
  Retention,
  Store,
  StoreSession,
  StoreSnapshot,
} from './port.ts';

const LOCATION = 'memory';
const DAY_MS = 86_400_000;
/** How many runs of the past it keeps unless it is asked for another number: a million is for a disk. */
const USUAL_RUNS = 10_000;

/** A fresh, empty store. A second session after the first was closed sees what the first one wrote. */
export function memory(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly location = LOCATION;
  readonly #records: Map<string, TaskRecord> = new Map();
  /** The runs that are over, the oldest first. */
  #past: PastRun[] = [];
  #owner: MemorySession | undefined;
  /** Those who wait for the owner to let go, in the order in which they came. */
  readonly #waiting: Array<() => void> = [];

  async open({ waitMs, history = RETENTION }: OpenOptions): Promise<StoreSession> {
    if (this.#owner !== undefined && !(await this.#letGoWithin(waitMs))) {
      throw new StoreLockedError({ path: LOCATION, waitedMs: waitMs });
    }
    const session = new MemorySession(this, history);
    this.#owner = session;
    return session;
  }

  async inspect(): Promise<StoreSnapshot> {
    const owner = this.#owner === undefined ? 'free' : 'held';
    return { location: LOCATION, version: 1, owner, records: [...this.#records.values()] };
  }

  async *history(query: HistoryQuery): AsyncGenerator<PastRun> {
    yield* selected(this.#past.toReversed(), query);
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

  /** Keeps runs that are over, and lets go of what is too old or too much (J2). */
  keep(past: readonly PastRun[], history: Retention | false): void {
    if (history === false || past.length === 0) return;
    for (const run of past) this.#past.push(Object.freeze(structuredClone(run)));
    const keepRuns = history.keepRuns === RETENTION.keepRuns ? USUAL_RUNS : history.keepRuns;
    const oldest = Math.max(...past.map(({ endedAt }) => endedAt)) - history.keepDays * DAY_MS;
    // Not at every batch: cutting a long list copies it.
    const isTooMuch = this.#past.length > keepRuns * 1.1 || this.#past[0].endedAt < oldest;
    if (!isTooMuch) return;
    const firstKept = Math.max(0, this.#past.length - keepRuns);
    this.#past = this.#past.filter(({ endedAt }, place) => place >= firstKept && endedAt >= oldest);
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
  readonly #history: Retention | false;
  #open = true;

  constructor(store: MemoryStore, history: Retention | false) {
    this.#store = store;
    this.#history = history;
  }

  async read(names?: readonly string[]): Promise<readonly unknown[]> {
    this.#mustBeOpen();
    const { records } = this.#store;
    if (names === undefined) return [...records.values()];
    return [...new Set(names)].flatMap((name) => records.get(name) ?? []);
  }

  async commit(batch: Batch): Promise<CommitResult> {
    this.#mustBeOpen();
    const { overlay, refused, past } = overlayOf(this.#store.records, batch, LOCATION);
    this.#store.put(overlay);
    this.#store.keep(past, this.#history);
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

/** Of some runs, those that are asked for. */
function* selected(runs: Iterable<PastRun>, query: HistoryQuery): Generator<PastRun> {
  const { task, since = Number.NEGATIVE_INFINITY, outcome, limit = Number.POSITIVE_INFINITY } = query;
  let count = 0;
  for (const run of runs) {
    if (count >= limit) return;
    if (task !== undefined && run.task !== task) continue;
    if (outcome !== undefined && run.outcome !== outcome) continue;
    if (run.endedAt < since) continue;
    count++;
    yield run;
  }
}

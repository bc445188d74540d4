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
import type { ControlAnswer, ControlRequest } from '../core/control.ts';
import { RETENTION } from '../core/history.ts';
import type { TaskRecord } from '../core/record.ts';
import { LONGEST_TIMER_MS } from '../time/clock.ts';
import { StoreClosedError, StoreLockedError } from './errors.ts';
import { MemoryPast } from './memory-past.ts';
import { type Committed, overlayOf } from './overlay.ts';
import type {
  AskedRequest,
  Batch,
  CommitResult,
  HistoryQuery,
  InspectOptions,
  OpenOptions,
  PastRun,
  Retention,
  Store,
  StoreSession,
  StoreSnapshot,
} from './port.ts';

const LOCATION = 'memory';

/** A fresh, empty store. A second session after the first was closed sees what the first one wrote. */
export function memory(): Store {
  return new MemoryStore();
}

class MemoryStore implements Store {
  readonly location = LOCATION;
  readonly #records: Map<string, TaskRecord> = new Map();
  /** The highest version of a record that was forgotten. */
  forgotten = 0;
  readonly #past = new MemoryPast();
  #owner: MemorySession | undefined;
  /** Those who wait for the owner to let go, in the order in which they came. */
  readonly #waiting: Array<() => void> = [];

  /** Requests and their answers, by id. */
  readonly #requests = new Map<string, ControlRequest>();
  readonly #answers = new Map<string, ControlAnswer>();
  #onRequests: OpenOptions['onRequests'];
  timeZone: string | undefined;

  async open({ waitMs, history = RETENTION, onRequests }: OpenOptions): Promise<StoreSession> {
    if (this.#owner !== undefined && !(await this.#letGoWithin(waitMs))) {
      throw new StoreLockedError({ path: LOCATION, waitedMs: waitMs });
    }
    const session = new MemorySession(this, history);
    this.#owner = session;
    this.#onRequests = onRequests;
    this.#tell();
    return session;
  }

  /** A record is never changed, only replaced. */
  async inspect({ since }: InspectOptions = {}): Promise<StoreSnapshot> {
    const owner = this.#owner === undefined ? 'free' : 'held';
    const records = [...this.#records.values()];
    const shared = typeof since === 'object' ? { sharesRecords: true as const } : {};
    const requests = [...this.#requests.values()];
    const { timeZone } = this;
    return {
      location: LOCATION,
      version: 1,
      owner,
      ...(timeZone && { timeZone }),
      requests,
      records,
      ...shared,
    };
  }

  async *history(query: HistoryQuery): AsyncGenerator<PastRun> {
    yield* this.#past.select(query);
  }

  async ask(request: ControlRequest): Promise<AskedRequest> {
    this.#requests.set(request.id, Object.freeze({ ...request }));
    this.#tell();
    return {
      owner: this.#owner === undefined ? 'free' : 'held',
      answer: async () => this.#answers.get(request.id),
      async close() {},
    };
  }

  answer(answers: readonly ControlAnswer[]): void {
    for (const answer of answers) {
      if (this.#requests.delete(answer.id)) this.#answers.set(answer.id, Object.freeze({ ...answer }));
    }
  }

  #tell(): void {
    if (this.#owner !== undefined && this.#requests.size > 0)
      this.#onRequests?.([...this.#requests.values()]);
  }

  get records(): ReadonlyMap<string, TaskRecord> {
    return this.#records;
  }

  put({ overlay, forgotten }: Committed): void {
    this.forgotten = forgotten;
    for (const [name, record] of overlay) {
      if (record === undefined) this.#records.delete(name);
      else this.#records.set(name, record);
    }
  }

  keep(past: readonly PastRun[], history: Retention | false): void {
    this.#past.keep(past, history);
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
    const committed = overlayOf(this.#store, batch, LOCATION);
    const { refused, past, firstVersion } = committed;
    this.#store.put(committed);
    this.#store.keep(past, this.#history);
    this.#store.answer(batch.answers ?? []);
    this.#store.timeZone = batch.timeZone ?? this.#store.timeZone;
    return { refused, firstVersion };
  }

  async timeZone(): Promise<string | undefined> {
    return this.#store.timeZone;
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

/**
 * What all viewers see: the records of the store at one instant, as entries, with the latest runs. It is shared, so that ten viewers cost as
 * much as one, and it is read only while somebody looks.
 *
 *     nothing known ──a request──▶ looking ──▶ known ──a request, if what is there is old──▶ looking
 *           ▲                                    ├──while somebody listens, after a pause──▶ looking
 *           └──nobody has asked for a while──────┘
 *
 * There is one look at a time. The first one reads everything, which takes a second for very many tasks. A store that reads in parts hands over the
 * first part early: until the look is over the snapshot is *partial*, and lists show what there is of it. Who needs all tasks waits (`whole`).
 *
 * While somebody listens, looks follow one another, and a request is answered from the latest at once. The pause is a second, and longer where a look takes
 * long, so that a store with very many tasks does not keep the process busy; it is short enough that a change is seen within 2 s.
 *
 * A store that fails is no end: the entries of the last look stay, and `trouble` says what is wrong.
 */
import { type ZoneOfStore, zoneOfStore } from '../config.ts';
import { type Inspection, inspect, type Store, type TaskRecord } from '../index.ts';
import { Entries } from './entries.ts';
import { Past } from './past.ts';
import { nothing, type Snapshot, snapshotOf, troubled } from './snapshot.ts';
import type { EntryContext } from './task-entry.ts';

const FRESH_MS = 1000;
const LONGEST_PAUSE_MS = 1500;
/** A look of t ms is followed by a pause of so many times t. */
const PAUSES_PER_LOOK = 4;
/** After so long without a question everything is forgotten. */
const FORGOTTEN_MS = 60_000;

type Listener = (snapshot: Snapshot, changed: readonly string[]) => void;

/** What a test may change. */
export interface SnapshotOptions {
  readonly forgottenMs?: number;
}

export class Snapshots {
  readonly past: Past;
  readonly #store: Store;
  readonly #timeZone: string | undefined;
  readonly #now: () => number;
  readonly #forgottenMs: number;
  readonly #listeners = new Set<Listener>();
  #entries = new Entries();
  #latest: Snapshot;
  #isKnown = false;
  /** The latest look: what has not changed since is not read again. */
  #inspection: Inspection | undefined;
  #seenAt = Number.NEGATIVE_INFINITY;
  #tookMs = 0;
  #looking: Promise<void> | undefined;
  /** Resolves as soon as there is something to show of the look that is under way. */
  #firstPart = Promise.withResolvers<void>();
  #timer: NodeJS.Timeout | undefined;
  #forgetting: NodeJS.Timeout | undefined;
  #isClosed = false;

  /** `timeZone` is undefined if the store is to say in which zone its expressions are read. */
  constructor(store: Store, timeZone: string | undefined, now: () => number, options: SnapshotOptions = {}) {
    this.#store = store;
    this.#timeZone = timeZone;
    this.#latest = nothing(0, zoneOfStore({}, timeZone));
    this.#now = now;
    this.#forgottenMs = options.forgottenMs ?? FORGOTTEN_MS;
    this.past = new Past(store);
  }

  /** What is known, at most some seconds old. At first it may be partial. */
  async fresh(): Promise<Snapshot> {
    const isReading = this.#latest.isPartial && this.#looking !== undefined;
    const isOld = !isReading && performance.now() - this.#seenAt > this.#pauseMs;
    if (!this.#isKnown) await Promise.race([this.refresh(), this.#firstPart.promise]);
    else if (isOld) {
      const look = this.refresh();
      if (this.#listeners.size === 0) await look;
    }
    this.#keep();
    return this.#latest;
  }

  /** The same, with all tasks. */
  async whole(): Promise<Snapshot> {
    const fresh = await this.fresh();
    if (!fresh.isPartial || this.#looking === undefined) return fresh;
    await this.#looking;
    return this.#latest;
  }

  /** Looks again; if somebody has already begun to, waits for that. */
  refresh(): Promise<void> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  /** Calls back after each change, until the answer is called. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#plan();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      clearTimeout(this.#timer);
      this.#keep();
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#listeners.clear();
    clearTimeout(this.#timer);
    await this.#looking;
    this.#forget();
  }

  get #pauseMs(): number {
    return Math.min(LONGEST_PAUSE_MS, Math.max(FRESH_MS, PAUSES_PER_LOOK * this.#tookMs));
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (this.#isClosed || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => void this.refresh().then(() => this.#plan()), this.#pauseMs).unref();
  }

  /** What is known is kept for another while. */
  #keep(): void {
    clearTimeout(this.#forgetting);
    if (this.#isClosed) return;
    this.#forgetting = setTimeout(() => {
      if (this.#listeners.size > 0 || this.#looking !== undefined) this.#keep();
      else this.#forget();
    }, this.#forgottenMs).unref();
  }

  #forget(): void {
    clearTimeout(this.#forgetting);
    this.#entries = new Entries();
    this.#latest = nothing(this.#latest.revision, this.#latest.zone);
    this.#isKnown = false;
    this.#inspection = undefined;
    this.#seenAt = Number.NEGATIVE_INFINITY;
    this.#firstPart = Promise.withResolvers<void>();
    this.past.forget();
  }

  #context(owner: Inspection['owner'], { timeZone }: ZoneOfStore): EntryContext {
    return { timeZone, owner, at: this.#now() };
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const begun = performance.now();
    const isFirst = this.#inspection === undefined;
    let changed: readonly string[] = [];
    try {
      const since = this.#inspection ?? 'the beginning';
      const onRecords = (records: readonly TaskRecord[], timeZone?: string): void => {
        // The look meets the same trouble, and says so.
        this.#showPart(records, zoneOfStore({ timeZone }, this.#timeZone)).catch(() => {});
      };
      const inspection = await inspect(this.#store, isFirst ? { since, onRecords } : { since });
      const zone = zoneOfStore(inspection, this.#timeZone);
      const context = this.#context(inspection.owner, zone);
      const change = await this.#entries.update(inspection.records, context, this.#latest.revision + 1);
      changed = change.names;
      if (isFirst || change.hasEnds) await this.past.refresh();
      this.#inspection = inspection;
      const look = { inspection, entries: this.#entries, change, zone, at: this.#now() };
      this.#tell(snapshotOf(look, this.#latest), changed);
    } catch (error) {
      this.#tell(troubled(this.#latest, error, this.#store.location, this.#now()), changed);
    }
    this.#seenAt = performance.now();
    this.#tookMs = this.#seenAt - begun;
  }

  /** The first records of a look that has just begun, if nothing is known yet. */
  async #showPart(records: readonly TaskRecord[], zone: ZoneOfStore): Promise<void> {
    const before = this.#latest;
    if (this.#isKnown) return;
    const entries = new Entries();
    const revision = before.revision + 1;
    await entries.update(records, this.#context('unknown', zone), revision);
    // The look may have ended meanwhile.
    if (this.#latest !== before) return;
    this.#tell({ ...before, ...entries.layout, zone, revision, at: this.#now(), counts: entries.counts }, []);
    this.#firstPart.resolve();
  }

  #tell(snapshot: Snapshot, changed: readonly string[]): void {
    const isNew = snapshot.revision !== this.#latest.revision;
    this.#latest = snapshot;
    this.#isKnown = true;
    if (isNew) for (const listener of this.#listeners) listener(snapshot, changed);
  }
}

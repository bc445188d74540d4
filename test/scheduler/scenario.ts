/**
 * What the scenarios share: a clock and a disk that outlive schedulers, and short ways to say what ran when. Nothing sleeps: the clock
 * is moved, and after each move everything that was set off has come to rest.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import type { Task } from '../../src/scheduler/task.ts';
import { memory } from '../../src/store/memory.ts';
import type { Batch, Store } from '../../src/store/port.ts';
import { sqlite } from '../../src/store/sqlite.ts';
import { MovedClock } from '../testing/moved-clock.ts';
import { failsAfter, failsBefore, neverAnswers, TroubledStore, through } from './fixtures/troubled-store.ts';
import { createWorld, type StageOptions, type World } from './world.ts';

export const SECOND = 1000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** What a disk does with a batch: takes it, refuses it, takes it and says it did not, or says nothing at all. */
const fates = {
  taken: through,
  refused: failsBefore,
  'taken but refused': failsAfter,
  silence: neverAnswers,
} as const;

type Fate = keyof typeof fates;

/** The same, by one word for a batch. */
class Disk extends TroubledStore {
  readonly #store: Store;

  constructor(store: Store = memory()) {
    super(store);
    this.#store = store;
  }

  /** What becomes of each batch from now on. */
  set fate(fate: (batch: Batch) => Fate) {
    this.commits = (batch, commit) => fates[fate(batch)](batch, commit);
  }

  /** As the next process finds it. */
  next(): Disk {
    return new Disk(this.#store);
  }
}

/** One life after another, in the same time, on the same disk. */
export class Stage {
  readonly clock: MovedClock;
  readonly #options: StageOptions;
  disk: Disk;
  world: World;

  constructor(start: string, options: StageOptions = {}) {
    this.#options = options;
    this.disk = new Disk(options.store);
    this.clock = new MovedClock(start);
    this.world = this.#createWorld();
  }

  /** Hands over the registrations, and lets everything that is pending at once start. */
  async initialize(...registrations: ReadonlyArray<Registration | Task>): Promise<void> {
    await this.world.scheduler.initialize(registrations);
    await this.clock.settle();
  }

  stop(): Promise<void> {
    return this.world.scheduler.stop();
  }

  /** The process dies, and another takes its place; nothing of the old one ever happens. */
  async crash(): Promise<void> {
    this.disk.fate = () => 'silence';
    await this.clock.crash();
    this.disk = this.disk.next();
    this.world = this.#createWorld();
  }

  /** The starts of this life so far: `name at reason`, the time of day as `at`. */
  starts(): string[] {
    return this.world.events.flatMap((event) =>
      event.type === 'TaskRunStarted' || event.type === 'TaskRetryStarted'
        ? [`${event.task} ${timeOfDay(event.at)} ${event.reason}`]
        : [],
    );
  }

  #createWorld(): World {
    const world = createWorld('', { ...this.#options, store: this.disk, clock: this.clock }, this);
    this.clock.onFrozen = (from, to) => world.trace.push({ event: 'Frozen', at: to, from, to });
    return world;
  }
}

/** `12:00`, with seconds and milliseconds where they are not zero. */
export function timeOfDay(at: number): string {
  return new Date(at)
    .toISOString()
    .slice(11, 23)
    .replace(/(:00)?\.000$/, '');
}

/** A store in a real file, in a folder that goes when the test is over. */
export function fileStore(t: TestContext): Store {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return sqlite(join(folder, 'state.db'));
}

export const noop = (): void => {};
export const fail = (): never => {
  throw new Error('failed on purpose');
};

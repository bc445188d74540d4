/**
 * What the scenarios share: time that outlives schedulers, a disk that can fail, hang or survive a crash, and short ways to say
 * what ran when. Nothing sleeps: the clock is moved, and after each move everything that was set off has come to rest.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { TaskRecord } from '../../src/core/record.ts';
import { readRecord } from '../../src/core/stored.ts';
import type { Registration, SchedulerOptions } from '../../src/scheduler/options.ts';
import { memory } from '../../src/store/memory.ts';
import type { Batch, CommitResult, OpenOptions, Store, StoreSession } from '../../src/store/port.ts';
import { sqlite } from '../../src/store/sqlite.ts';
import { follow } from './judged.ts';
import { LifeClock, Time } from './scenario-time.ts';
import { createWorld, type World } from './world.ts';

export const SECOND = 1000;
export const MINUTE = 60_000;
export const HOUR = 3_600_000;
export const DAY = 86_400_000;

/** What a disk does with a batch: takes it, refuses it, takes it and says it did not, or says nothing at all. */
export type Fate = 'taken' | 'refused' | 'taken but refused' | 'silence';

/** A store under observation. `log` tells what became durable, in order; `fate` may be set to anything. */
class Disk implements Store {
  readonly log: string[] = [];
  fate: (batch: Batch) => Fate = () => 'taken';
  readonly #store: Store;
  readonly #time: Time;

  constructor(time: Time, store: Store = memory()) {
    this.#time = time;
    this.#store = store;
  }

  get location(): string {
    return this.#store.location;
  }

  async open(options: OpenOptions): Promise<StoreSession> {
    const session = await this.#time.watch(this.#store.open(options));
    return {
      read: (names) => this.#time.watch(session.read(names)),
      commit: (batch) => this.#commit(session, batch),
      close: () => this.#time.watch(session.close()),
    };
  }

  async #commit(session: StoreSession, batch: Batch): Promise<CommitResult> {
    const fate = this.fate(batch);
    if (fate === 'silence') return new Promise(() => {});
    if (fate === 'refused') throw new Error('disk full');
    const result = await this.#time.watch(session.commit(batch));
    for (const { name } of batch.ends ?? []) this.log.push(`end ${name}`);
    for (const { name } of batch.unstarts ?? []) this.log.push(`unstart ${name}`);
    for (const { name } of batch.starts ?? []) this.log.push(`start ${name}`);
    if (fate === 'taken but refused') throw new Error('connection lost');
    return result;
  }

  async record(name: string): Promise<TaskRecord> {
    const found = (await this.records()).find((record) => record.name === name);
    if (found === undefined) throw new Error(`There is no record of ${name}`);
    return found;
  }

  async records(): Promise<TaskRecord[]> {
    const snapshot = await this.#time.watch(this.#store.inspect?.() ?? Promise.reject(new Error('no view')));
    return snapshot.records.map(readRecord);
  }

  /** The machine dies: nothing is written any more, and what was written is found on a new disk. */
  async crash(): Promise<Disk> {
    this.fate = () => 'silence';
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    await session.commit({ puts: await this.records() });
    await session.close();
    return new Disk(this.#time, store);
  }
}

/** One life after another, in the same time, on the same disk. */
export class Stage {
  readonly time: Time;
  readonly #options: Partial<SchedulerOptions>;
  disk: Disk;
  clock: LifeClock;
  world: World;

  constructor(start: string, options: Partial<SchedulerOptions> = {}) {
    this.time = new Time(start);
    this.#options = options;
    this.disk = new Disk(this.time, options.store ?? memory());
    this.clock = new LifeClock(this.time);
    this.world = this.#createWorld();
  }

  /** Hands over the registrations, and lets everything that is pending at once start. */
  async initialize(...registrations: readonly Registration[]): Promise<void> {
    await this.world.scheduler.initialize(registrations);
    await this.time.settle();
  }

  stop(): Promise<void> {
    return this.world.scheduler.stop();
  }

  /** The process dies, and another takes its place; nothing of the old one ever happens. */
  async crash(): Promise<void> {
    this.clock.die();
    this.disk = await this.disk.crash();
    this.clock = new LifeClock(this.time);
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
    const world = createWorld('1970-01-01', { ...this.#options, store: this.disk, clock: this.clock });
    follow(this, world.trace);
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

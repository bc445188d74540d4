/**
 * Tasks whose record has gone from the store, because another program deleted it. Only they stand still; everything else goes on.
 *
 *     known ──the store says that the record is missing──▶ aside ──the record is back──▶ returning ──written──▶ known
 *                                                            ▲ │
 *                                                            └─┘ looked for again, after 1 s to 60 s
 *
 * A task that is aside has no special place elsewhere: its starts are refused like any others, so it is idle and what it is owed
 * stands. The record is not made again here: somebody has deleted it, and should hear of it. When it is back, it may be an old one. This
 * scheduler knows better, since it is the only owner, and writes what it knows before the task starts again.
 */
import type { TaskRecord } from '../core/record.ts';
import { placesOf } from '../core/registration.ts';
import { readRecord } from '../core/stored.ts';
import { visible } from '../errors.ts';
import { StoreRecordMissingError } from '../store/errors.ts';
import type { Timer } from '../time/clock.ts';
import type { EngineOptions } from './engine-options.ts';

const FIRST_LOOK_MS = 1000;
const LONGEST_LOOK_MS = 60_000;

export class Aside {
  readonly #options: EngineOptions;
  /** Something is to be written. */
  readonly #found: () => void;
  readonly #names = new Set<string>();
  readonly #returning = new Map<string, TaskRecord>();
  #lookMs = FIRST_LOOK_MS;
  #timer: Timer | undefined;

  constructor(options: EngineOptions, found: () => void) {
    this.#options = options;
    this.#found = found;
  }

  /** The store says that these records are missing. It is reported once for each. */
  add(names: ReadonlySet<string>): void {
    const { emit, logger, clock, location } = this.#options;
    const fresh = [...names].filter((name) => !this.#names.has(name));
    for (const name of fresh) {
      this.#names.add(name);
      const error = new StoreRecordMissingError({ path: location, taskName: name, change: 'change' });
      emit('TaskSetAside', clock.now(), { task: name, error });
      logger.error(`${visible(name, 100)} is set aside, everything else goes on: ${error.message}`);
    }
    if (fresh.length > 0) this.#lookMs = FIRST_LOOK_MS;
    if (this.#names.size > 0 && this.#timer === undefined) this.#lookLater();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#names.clear();
    this.#returning.clear();
  }

  /** The records to write for tasks that come back. */
  take(): readonly TaskRecord[] {
    const records = [...this.#returning.values()];
    this.#returning.clear();
    return records;
  }

  /** The records are written: their tasks may start. Answers whether there were any. */
  written(records: Iterable<{ readonly name: string }>): boolean {
    const { emit, logger, clock } = this.#options;
    let hasReturned = false;
    for (const { name } of records) {
      if (!this.#names.delete(name)) continue;
      hasReturned = true;
      emit('TaskReturned', clock.now(), { task: name });
      logger.info(`the record of ${visible(name, 100)} is back, and the task goes on`);
    }
    return hasReturned;
  }

  #lookLater(): void {
    this.#timer = this.#options.clock.setTimer(() => {
      this.#timer = undefined;
      this.#lookMs = Math.min(this.#lookMs * 2, LONGEST_LOOK_MS);
      void this.#look();
    }, this.#lookMs);
  }

  async #look(): Promise<void> {
    const { session, tasks } = this.#options;
    // A store that does not answer is in trouble, which the writer reports.
    const values = await session.read([...this.#names]).catch(() => []);
    const places = values.length === 0 ? new Map<string, number>() : placesOf(tasks.registrations);
    for (const value of values) {
      const record = readable(value);
      const task = record && places.get(record.name);
      if (record === undefined || task === undefined || !this.#names.has(record.name)) continue;
      const { name, cron, retryDelayMs, policy } = tasks.registrationOf(task);
      const config = { cron, retryDelayMs, policy: policy.text };
      this.#returning.set(name, { ...record, ...config, ...tasks.stateOf(task) });
    }
    if (this.#returning.size > 0) this.#found();
    if (this.#names.size > 0 && this.#timer === undefined) this.#lookLater();
  }
}

/** A record that makes no sense is not back yet (E7). */
function readable(value: unknown): TaskRecord | undefined {
  try {
    return readRecord(value);
  } catch {
    return undefined;
  }
}

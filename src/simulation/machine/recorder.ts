/**
 * The trace of a whole world, over all lives of its processes: what the scheduler itself records, and what only somebody
 * outside it can know (that it died, that it could not compute, that the clock was set while nobody was there to see it).
 */
import type { WrittenRecord } from '../../trace/record.ts';

/** One event of a simulated world. */
export type WorldRecord = WrittenRecord;

/** A scheduler may take less than this for drift. */
const DRIFT_MS = 1000;

/**
 * Collects records. Identifiers that the scheduler makes up at random are told by the order of their appearance instead, so
 * that the same world gives the same trace, byte for byte.
 */
export class Recorder {
  readonly records: WorldRecord[] = [];
  readonly #blame: (because: string) => void;
  readonly #instances = new Map<string, string>();
  #mayGoBack = false;
  /** By how much the clock was set since an active scheduler last looked at it. */
  #unseenMs = 0;
  /** How much that was when it last looked, and how many records there were. */
  #seen = { byMs: 0, records: 0 };

  /** `blame` hears of a record whose instant lies before the last one's. */
  constructor(blame: (because: string) => void) {
    this.#blame = blame;
  }

  /** Until a `ClockStep` tells of it, instants may go back. */
  clockWasSet(byMs: number): void {
    if (byMs < 0) this.#mayGoBack = true;
  }

  /** The clock was set while a scheduler is active: it is for the scheduler to see and to tell. */
  clockIsUnseen(byMs: number): void {
    this.#unseenMs += byMs;
  }

  /** The scheduler has looked: it has seen a step, or taken it for drift. */
  clockIsSeen(): void {
    this.#seen = { byMs: this.#unseenMs, records: this.records.length };
    this.#unseenMs = 0;
  }

  /** The scheduler is dead: what it saw and could not tell any more, nobody has seen. Answers what the clock showed without that. */
  clockAtDeath(instant: number): number {
    if (this.#seen.records === this.records.length) this.#unseenMs += this.#seen.byMs;
    const told = this.told(instant);
    this.#unseenMs = 0;
    this.#seen = { byMs: 0, records: 0 };
    return told;
  }

  /**
   * What the world tells of an instant: what the clock would show if it had not been set since the scheduler last looked. A trace
   * goes by one clock, and of that step it does not know yet. What may be taken for drift is not told of at all.
   */
  told(instant: number): number {
    const isDrift = Math.abs(this.#unseenMs) < DRIFT_MS;
    return Math.max(isDrift ? instant : instant - this.#unseenMs, this.last?.at ?? instant);
  }

  write(record: WorldRecord): void {
    const last = this.last?.at ?? record.at;
    if (record.event === 'ClockStep') this.#mayGoBack = false;
    else if (record.at < last && !this.#mayGoBack)
      this.#blame(`${record.event} at ${record.at} comes after ${last}`);
    // What a scheduler takes for drift, it does not tell; but it has overtaken what the world has told.
    else if (record.at < last && last - record.at < DRIFT_MS && this.last?.event === 'Frozen')
      this.records.push({ event: 'ClockStep', at: record.at, from: last, to: record.at });
    this.records.push(this.#renamed(record));
  }

  /** A run is named by its instance and a number, so renaming the one renames the other. */
  runName(runId: string): string {
    const cut = runId.lastIndexOf('-');
    return `${this.#instanceName(runId.slice(0, cut))}${runId.slice(cut)}`;
  }

  get last(): WorldRecord | undefined {
    return this.records.at(-1);
  }

  /** JSON Lines. */
  text(): string {
    return this.records.map((record) => JSON.stringify(record)).join('\n');
  }

  #renamed(record: WorldRecord): WorldRecord {
    if (!('instance' in record) || record.instance === undefined) return record;
    const instance = this.#instanceName(record.instance);
    if (!('runId' in record)) return { ...record, instance };
    return { ...record, instance, runId: this.runName(record.runId) };
  }

  #instanceName(instance: string): string {
    let name = this.#instances.get(instance);
    if (name === undefined) {
      name = `i${this.#instances.size + 1}`;
      this.#instances.set(instance, name);
    }
    return name;
  }
}

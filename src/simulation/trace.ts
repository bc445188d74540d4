/**
 * The trace of a whole world, over all lives of its processes: what the scheduler itself records, and what only somebody
 * outside it can know (that it died, that it could not compute, that the clock was set while nobody was there to see it).
 */
import type { WrittenRecord } from '../trace/record.ts';

/** One event of a simulated world. */
export type WorldRecord = WrittenRecord;

/**
 * Collects records. Identifiers that the scheduler makes up at random are told by the order of their appearance instead, so
 * that the same world gives the same trace, byte for byte.
 */
export class Recorder {
  readonly records: WorldRecord[] = [];
  readonly #blame: (because: string) => void;
  readonly #instances = new Map<string, string>();
  #mayGoBack = false;

  /** `blame` hears of a record whose instant lies before the last one's. */
  constructor(blame: (because: string) => void) {
    this.#blame = blame;
  }

  /** Until a `ClockStep` tells of it, instants may go back. */
  clockWasSetBack(): void {
    this.#mayGoBack = true;
  }

  write(record: WorldRecord): void {
    const last = this.last?.at ?? record.at;
    if (record.event === 'ClockStep') this.#mayGoBack = false;
    else if (record.at < last && !this.#mayGoBack)
      this.#blame(`${record.event} at ${record.at} comes after ${last}`);
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

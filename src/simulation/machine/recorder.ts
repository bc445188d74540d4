/**
 * The trace of a whole world, across all lives of its processes. The scheduler records what it does. The world adds what only
 * somebody outside can know: that the process died, that it could not compute, that the clock was set while no scheduler was
 * active.
 */
import type { WrittenRecord } from '../../trace/record.ts';
import type { Timeline } from './timeline.ts';

/** One event of a simulated world. */
export type WorldRecord = WrittenRecord;

/** The scheduler may take a smaller step for drift. */
const DRIFT_MS = 1000;

/**
 * Collects records. The scheduler makes up identifiers at random. Here each is replaced by a number in the order of appearance,
 * so that the same world gives the same trace, byte for byte.
 */
export class Recorder {
  readonly records: WorldRecord[] = [];
  readonly #timeline: Timeline;
  readonly #disordered: (because: string) => void;
  readonly #instances = new Map<string, string>();
  #mayGoBack = false;
  /**
   * By how much the clock was set since an active scheduler last compared it. A scheduler that finds a step records it; one that measures
   * how long something takes reads the same clock, and finds nothing.
   */
  #unseenMs = 0;
  /** What the clock showed at the end of the last process, as far as the trace knows, and how much time had passed. */
  #end: { readonly wall: number; readonly passed: number } | undefined;

  /** `disordered` is called when a record's instant lies before the last one's, without a reason. */
  constructor(timeline: Timeline, disordered: (because: string) => void) {
    this.#timeline = timeline;
    this.#disordered = disordered;
  }

  /** The wall clock was set. If a scheduler is active, the scheduler records the step when it notices. */
  clockSet(byMs: number, scheduler: 'active' | 'not active'): void {
    if (byMs < 0) this.#mayGoBack = true;
    if (scheduler === 'active') this.#unseenMs += byMs;
  }

  /** The scheduler may have compared the clock. A small step is drift from then on, and any other counts until it is recorded. */
  clockSeen(): void {
    if (this.#isDrift) this.#unseenMs = 0;
  }

  get #isDrift(): boolean {
    return Math.abs(this.#unseenMs) < DRIFT_MS;
  }

  /** Records that nothing computed while `freeze` happened; during a run of this task, if one is named. */
  frozenWhile(freeze: () => void, task?: string): void {
    const from = this.#shown();
    freeze();
    const to = this.#shown();
    if (to > from) this.write({ event: 'Frozen', at: to, from, to, ...(task !== undefined && { task }) });
  }

  /** The process crashes. A step that it has noticed and had no time to record counts as not noticed. */
  crashed(): void {
    const wall = this.#shown();
    this.#unseenMs = 0;
    this.#shutDown();
    this.#end = { wall, passed: this.#timeline.passed };
  }

  /** The process ends by itself. If its last stop failed, what it could not write is lost, as in a crash. */
  left(stop: 'stopped' | 'failed'): void {
    if (stop === 'failed') this.#shutDown();
    this.#end = { wall: this.#timeline.now, passed: this.#timeline.passed };
  }

  /** The next process begins. Nothing has computed since the last one ended; after that come the steps that it did not see. */
  begins(): void {
    if (this.#end === undefined) return;
    const { now, passed } = this.#timeline;
    const to = this.#end.wall + (passed - this.#end.passed);
    const from = Math.min(this.#last?.at ?? to, to);
    this.#end = undefined;
    this.write({ event: 'Frozen', at: to, from, to });
    if (now !== to) this.write({ event: 'ClockStep', at: now, from: to, to: now });
  }

  /**
   * Right after the last record, because nothing else is left of the process. A real recorder of the next process does the same.
   */
  #shutDown(): void {
    this.write({ event: 'UnexpectedShutdown', at: this.#last?.at ?? this.#timeline.now });
  }

  /**
   * The present instant as the trace must show it: what the clock would show if it had not been set since the scheduler last
   * looked. A trace has one clock, which does not know of that step yet. A step that may be taken for drift does not count.
   */
  #shown(): number {
    const { now } = this.#timeline;
    return Math.max(this.#isDrift ? now : now - this.#unseenMs, this.#last?.at ?? now);
  }

  write(record: WorldRecord): void {
    const last = this.#last?.at ?? record.at;
    // After the clock was set back, instants may go back until a ClockStep says so.
    if (record.event === 'ClockStep') {
      this.#mayGoBack = false;
      this.#unseenMs = 0;
    } else if (record.at < last && !this.#mayGoBack)
      this.#disordered(`${record.event} at ${record.at} comes after ${last}`);
    // The scheduler records no step that it takes for drift, so its next record may lie before a freeze that the world has
    // recorded.
    else if (record.at < last && last - record.at < DRIFT_MS && this.#last?.event === 'Frozen')
      this.records.push({ event: 'ClockStep', at: record.at, from: last, to: record.at });
    this.records.push(this.#renamed(record));
  }

  get #last(): WorldRecord | undefined {
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
    return { ...record, instance, runId: this.#runName(record.runId) };
  }

  /** A run's identifier is that of its instance and a number. */
  #runName(runId: string): string {
    const cut = runId.lastIndexOf('-');
    return `${this.#instanceName(runId.slice(0, cut))}${runId.slice(cut)}`;
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

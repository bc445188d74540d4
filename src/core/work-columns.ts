/** The work and the run of every task, as columns; texts are made when somebody asks for them. */
import type { Reason, RunRecord, WorkRecord } from './record.ts';
import { REASONS, ROW } from './rows.ts';
import { type RunNames, splitRunName } from './run-names.ts';

/** The place of a name that is not there. */
const NOWHERE = -1;

/** What identifies a run (F4), kept after its end; the texts are made when somebody asks for them. */
export class NamedRun {
  readonly reason: Reason;
  readonly scheduledFor: number;
  readonly attempt: number;
  readonly #runNames: RunNames;
  readonly #keyPlace: number;
  readonly #keyCount: number;
  readonly #runPlace: number;
  readonly #runCount: number;

  /** From the row of a start or of an end. */
  constructor(runNames: RunNames, cells: Float64Array, row: number) {
    this.#runNames = runNames;
    this.#keyPlace = cells[row + ROW.keyPlace];
    this.#keyCount = cells[row + ROW.keyCount];
    this.#runPlace = cells[row + ROW.runPlace];
    this.#runCount = cells[row + ROW.runCount];
    this.scheduledFor = cells[row + ROW.scheduledFor];
    this.attempt = cells[row + ROW.attempt];
    this.reason = REASONS[cells[row + ROW.reason]];
  }

  get key(): string {
    return this.#runNames.text(this.#keyPlace, this.#keyCount);
  }

  get runId(): string {
    return this.#runNames.text(this.#runPlace, this.#runCount);
  }
}

/** What each task is working on. */
export class WorkColumn {
  readonly #runNames: RunNames;
  readonly #keyPlace: Int32Array;
  readonly #keyCount: Float64Array;
  readonly #scheduledFor: Float64Array;
  readonly #attempt: Float64Array;

  constructor(count: number, runNames: RunNames) {
    this.#runNames = runNames;
    this.#keyPlace = new Int32Array(count).fill(NOWHERE);
    this.#keyCount = new Float64Array(count);
    this.#scheduledFor = new Float64Array(count);
    this.#attempt = new Float64Array(count);
  }

  has(task: number): boolean {
    return this.#keyPlace[task] !== NOWHERE;
  }

  scheduledFor(task: number): number {
    return this.#scheduledFor[task];
  }

  get(task: number): WorkRecord | null {
    if (!this.has(task)) return null;
    return {
      key: this.#runNames.text(this.#keyPlace[task], this.#keyCount[task]),
      scheduledFor: this.#scheduledFor[task],
      attempt: this.#attempt[task],
    };
  }

  set(task: number, work: WorkRecord | null): void {
    this.#keyPlace[task] = NOWHERE;
    if (work === null) return;
    const { instance, count } = splitRunName(work.key);
    this.#keyPlace[task] = this.#runNames.place(instance);
    this.#keyCount[task] = count;
    this.#scheduledFor[task] = work.scheduledFor;
    this.#attempt[task] = work.attempt;
  }

  /** New work, named after its first run. */
  begin(task: number, place: number, count: number, scheduledFor: number): void {
    this.#keyPlace[task] = place;
    this.#keyCount[task] = count;
    this.#scheduledFor[task] = scheduledFor;
    this.#attempt[task] = 1;
  }

  /** The same work, one attempt further. */
  again(task: number): void {
    this.#attempt[task]++;
  }

  write(task: number, cells: Float64Array, row: number): void {
    cells[row + ROW.keyPlace] = this.#keyPlace[task];
    cells[row + ROW.keyCount] = this.#keyCount[task];
    cells[row + ROW.scheduledFor] = this.#scheduledFor[task];
    cells[row + ROW.attempt] = this.#attempt[task];
  }
}

/** The unfinished run of each task. */
export class RunColumn {
  readonly #runNames: RunNames;
  readonly #place: Int32Array;
  readonly #count: Float64Array;
  readonly #startedAt: Float64Array;
  readonly #reason: Uint8Array;
  /** The few that an instance before this one has left: they are kept as they are. */
  readonly #leftOver = new Map<number, RunRecord>();

  constructor(count: number, runNames: RunNames) {
    this.#runNames = runNames;
    this.#place = new Int32Array(count).fill(NOWHERE);
    this.#count = new Float64Array(count);
    this.#startedAt = new Float64Array(count);
    this.#reason = new Uint8Array(count);
  }

  get(task: number): RunRecord | null {
    const place = this.#place[task];
    if (place === NOWHERE) return this.#leftOver.get(task) ?? null;
    return {
      runId: this.#runNames.text(place, this.#count[task]),
      instanceId: this.#runNames.text(place, 0),
      startedAt: this.#startedAt[task],
      reason: REASONS[this.#reason[task]],
      cutOffAt: null,
    };
  }

  set(task: number, run: RunRecord | null): void {
    this.#place[task] = NOWHERE;
    if (run !== null) this.#leftOver.set(task, run);
    else if (this.#leftOver.size > 0) this.#leftOver.delete(task);
  }

  begin(task: number, place: number, count: number, startedAt: number, reason: number): void {
    if (this.#leftOver.size > 0) this.#leftOver.delete(task);
    this.#place[task] = place;
    this.#count[task] = count;
    this.#startedAt[task] = startedAt;
    this.#reason[task] = reason;
  }

  write(task: number, cells: Float64Array, row: number): void {
    cells[row + ROW.runPlace] = this.#place[task];
    cells[row + ROW.runCount] = this.#count[task];
    cells[row + ROW.reason] = this.#reason[task];
  }
}

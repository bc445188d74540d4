/** The work and the run of every task; texts are made when somebody asks for them. */
import type { Reason, RunRecord, WorkRecord } from './record.ts';
import { REASONS, ROW } from './rows.ts';
import { type RunNames, splitRunName } from './run-names.ts';
import {
  BYTE,
  bytesOf,
  INTEGER,
  integersOf,
  NOWHERE,
  NUMBER,
  numbersOf,
  type TaskCells,
} from './task-cells.ts';

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
  #numbers: Float64Array;
  #integers: Int32Array;

  constructor(cells: TaskCells, runNames: RunNames) {
    this.#runNames = runNames;
    this.#numbers = cells.numbers;
    this.#integers = cells.integers;
    cells.onGrowth(() => {
      this.#numbers = cells.numbers;
      this.#integers = cells.integers;
    });
  }

  has(task: number): boolean {
    return this.#integers[integersOf(task) + INTEGER.keyPlace] !== NOWHERE;
  }

  scheduledFor(task: number): number {
    return this.#numbers[numbersOf(task) + NUMBER.scheduledFor];
  }

  attempt(task: number): number {
    return this.#numbers[numbersOf(task) + NUMBER.attempt];
  }

  get(task: number): WorkRecord | null {
    if (!this.has(task)) return null;
    return {
      key: this.#runNames.text(
        this.#integers[integersOf(task) + INTEGER.keyPlace],
        this.#numbers[numbersOf(task) + NUMBER.keyCount],
      ),
      scheduledFor: this.#numbers[numbersOf(task) + NUMBER.scheduledFor],
      attempt: this.#numbers[numbersOf(task) + NUMBER.attempt],
    };
  }

  set(task: number, work: WorkRecord | null): void {
    this.#integers[integersOf(task) + INTEGER.keyPlace] = NOWHERE;
    if (work === null) return;
    const { instance, count } = splitRunName(work.key);
    this.#integers[integersOf(task) + INTEGER.keyPlace] = this.#runNames.place(instance);
    this.#numbers[numbersOf(task) + NUMBER.keyCount] = count;
    this.#numbers[numbersOf(task) + NUMBER.scheduledFor] = work.scheduledFor;
    this.#numbers[numbersOf(task) + NUMBER.attempt] = work.attempt;
  }

  /** New work, named after its first run. */
  begin(task: number, place: number, count: number, scheduledFor: number): void {
    const numbers = this.#numbers;
    const at = numbersOf(task);
    this.#integers[integersOf(task) + INTEGER.keyPlace] = place;
    numbers[at + NUMBER.keyCount] = count;
    numbers[at + NUMBER.scheduledFor] = scheduledFor;
    numbers[at + NUMBER.attempt] = 1;
  }

  /** The same work, one attempt further. */
  again(task: number): void {
    this.#numbers[numbersOf(task) + NUMBER.attempt]++;
  }

  write(task: number, cells: Float64Array, row: number): void {
    const numbers = this.#numbers;
    const at = numbersOf(task);
    cells[row + ROW.keyPlace] = this.#integers[integersOf(task) + INTEGER.keyPlace];
    cells[row + ROW.keyCount] = numbers[at + NUMBER.keyCount];
    cells[row + ROW.scheduledFor] = numbers[at + NUMBER.scheduledFor];
    cells[row + ROW.attempt] = numbers[at + NUMBER.attempt];
  }
}

/** The unfinished run of each task. */
export class RunColumn {
  readonly #runNames: RunNames;
  #numbers: Float64Array;
  #integers: Int32Array;
  #bytes: Uint8Array;
  /** The few that an instance before this one has left: they are kept as they are. */
  readonly #leftOver = new Map<number, RunRecord>();

  constructor(cells: TaskCells, runNames: RunNames) {
    this.#runNames = runNames;
    this.#numbers = cells.numbers;
    this.#integers = cells.integers;
    this.#bytes = cells.bytes;
    cells.onGrowth(() => {
      this.#numbers = cells.numbers;
      this.#integers = cells.integers;
      this.#bytes = cells.bytes;
    });
  }

  get(task: number): RunRecord | null {
    const place = this.#integers[integersOf(task) + INTEGER.runPlace];
    if (place === NOWHERE) return this.#leftOver.get(task) ?? null;
    return {
      runId: this.#runNames.text(place, this.#numbers[numbersOf(task) + NUMBER.runCount]),
      instanceId: this.#runNames.text(place, 0),
      startedAt: this.#numbers[numbersOf(task) + NUMBER.startedAt],
      reason: REASONS[this.#bytes[bytesOf(task) + BYTE.reason]],
      cutOffAt: null,
    };
  }

  set(task: number, run: RunRecord | null): void {
    this.#integers[integersOf(task) + INTEGER.runPlace] = NOWHERE;
    if (run !== null) this.#leftOver.set(task, run);
    else if (this.#leftOver.size > 0) this.#leftOver.delete(task);
  }

  begin(task: number, place: number, count: number, startedAt: number, reason: number): void {
    if (this.#leftOver.size > 0) this.#leftOver.delete(task);
    this.#integers[integersOf(task) + INTEGER.runPlace] = place;
    const numbers = this.#numbers;
    const at = numbersOf(task);
    numbers[at + NUMBER.runCount] = count;
    numbers[at + NUMBER.startedAt] = startedAt;
    this.#bytes[bytesOf(task) + BYTE.reason] = reason;
  }

  write(task: number, cells: Float64Array, row: number): void {
    cells[row + ROW.runPlace] = this.#integers[integersOf(task) + INTEGER.runPlace];
    cells[row + ROW.runCount] = this.#numbers[numbersOf(task) + NUMBER.runCount];
    cells[row + ROW.reason] = this.#bytes[bytesOf(task) + BYTE.reason];
  }
}

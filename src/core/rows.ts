/**
 * Starts and ends as rows of numbers, one after the other in one array: a hundred thousand of them are no objects, no strings, and
 * cross to another thread without being copied. Each list can also be walked as the changes that it means, made one at a time.
 *
 * A row is a copy. What becomes of the task afterwards does not change it.
 */
import type { EndChange, Many, StartChange } from './changes.ts';
import type { EndOutcome, Outcome, RunError } from './history.ts';
import type { Reason, RunRecord } from './record.ts';
import type { RunNames } from './run-names.ts';

/** Rows have the places of reasons and outcomes in these lists, and so have stored ones: only append. */
export const REASONS: readonly Reason[] = ['due', 'retry', 'orphaned', 'manual'];
/** The same with what a record says of a run that a stop has interrupted. */
export const RUN_REASONS: readonly RunRecord['reason'][] = [...REASONS, 'interrupted'];
export const OUTCOMES: readonly Outcome[] = [
  'success',
  'failure',
  'cut off',
  'gave up',
  'cancelled',
  'timed out',
  'interrupted',
];

/** Where in a row each number is. Starts and ends begin alike. An instant that is `null` is NaN. */
export const ROW = {
  task: 0,
  runPlace: 1,
  runCount: 2,
  keyPlace: 3,
  keyCount: 4,
  scheduledFor: 5,
  attempt: 6,
  reason: 7,
  startedAt: 8,
  /** Of a start: the version of the record that it was decided by. */
  version: 9,
  calledAt: 8,
  endedAt: 9,
  outcome: 10,
  retryAt: 11,
  failures: 12,
  failingSince: 13,
  /** 0 for none, otherwise one more than its place in the list of errors. */
  error: 14,
  /** The cursor after an end; NaN if it is the instant of the call. */
  servedThrough: 15,
} as const;
export const START_WIDTH = 10;
export const END_WIDTH = 16;

/** What turns the numbers of a row into names, and arrays for the numbers. */
export interface Naming {
  readonly runNames: RunNames;
  readonly spareCells: SpareCells;
  nameOf(task: number): string;
}

const MOST_SPARE = 16;

/** Arrays that are not used any more, for the next rows: large arrays that come and go make the garbage collector walk everything. */
export class SpareCells {
  readonly #spare: Float64Array<ArrayBuffer>[] = [];

  take(length: number): Float64Array<ArrayBuffer> {
    const place = this.#spare.findIndex((cells) => cells.length >= length && cells.length <= 4 * length);
    return place < 0 ? new Float64Array(length) : this.#spare.splice(place, 1)[0];
  }

  give(cells: Float64Array<ArrayBuffer>): void {
    if (cells.length > 0 && this.#spare.length < MOST_SPARE) this.#spare.push(cells);
  }
}

const NO_CELLS = new Float64Array(0);

/** Rows of one width, as many as come. */
abstract class Rows {
  readonly naming: Naming;
  readonly width: number;
  /** The numbers of all rows, and some room behind them. */
  cells: Float64Array<ArrayBuffer>;
  #length = 0;

  /** `expected` rows fit without growing. */
  constructor(naming: Naming, width: number, expected: number) {
    this.naming = naming;
    this.width = width;
    this.cells = naming.spareCells.take(width * Math.max(expected, 8));
  }

  get length(): number {
    return this.#length;
  }

  /** As an integer: one that is seen as a fraction makes all code slower that takes it. */
  taskAt(place: number): number {
    return this.cells[place * this.width] | 0;
  }

  /** Makes room for one more row; answers where in `cells` it begins. The caller fills it in. */
  protected extend(): number {
    const at = this.#length++ * this.width;
    if (at + this.width > this.cells.length) {
      const { spareCells } = this.naming;
      const wider = spareCells.take(this.cells.length * 2);
      wider.set(this.cells);
      spareCells.give(this.cells);
      this.cells = wider;
    }
    return at;
  }

  /** Nobody needs these rows any more. */
  release(): void {
    this.naming.spareCells.give(this.cells);
    this.cells = NO_CELLS;
    this.#length = 0;
  }

  protected runId(at: number): string {
    return this.naming.runNames.text(this.cells[at + ROW.runPlace], this.cells[at + ROW.runCount]);
  }

  protected workAt(at: number): StartChange['work'] {
    const { cells } = this;
    return {
      key: this.naming.runNames.text(cells[at + ROW.keyPlace], cells[at + ROW.keyCount]),
      scheduledFor: cells[at + ROW.scheduledFor],
      attempt: cells[at + ROW.attempt],
    };
  }
}

/** Claims of one batch. */
export class Starts extends Rows implements Many<StartChange> {
  constructor(naming: Naming, expected = 0) {
    super(naming, START_WIDTH, expected);
  }

  add(): number {
    return this.extend();
  }

  /** The version of the record that a claim was decided by. */
  versionAt(place: number): number {
    return this.cells[place * START_WIDTH + ROW.version];
  }

  *[Symbol.iterator](): Generator<StartChange> {
    const { cells } = this;
    for (let at = 0; at < this.length * START_WIDTH; at += START_WIDTH) {
      const instanceId = this.naming.runNames.text(cells[at + ROW.runPlace], 0);
      yield {
        name: this.naming.nameOf(cells[at]),
        work: this.workAt(at),
        run: {
          runId: this.runId(at),
          instanceId,
          startedAt: cells[at + ROW.startedAt],
          reason: REASONS[cells[at + ROW.reason]],
          cutOffAt: null,
        },
        version: cells[at + ROW.version],
      };
    }
  }
}

/** Ends, in the order in which they came. */
export class Ends extends Rows implements Many<EndChange> {
  /** What the failed ones threw; a row's `error` is one more than a place in this list. */
  readonly errors: RunError[] = [];

  constructor(naming: Naming, expected = 0) {
    super(naming, END_WIDTH, expected);
  }

  /** The tasks of its rows, without the rows. */
  get tasks(): readonly number[] {
    return Array.from({ length: this.length }, (_, place) => this.taskAt(place));
  }

  add(error: RunError | null): number {
    const at = this.extend();
    this.cells[at + ROW.error] = error === null ? 0 : this.errors.push(error);
    return at;
  }

  *[Symbol.iterator](): Generator<EndChange> {
    for (let at = 0; at < this.length * END_WIDTH; at += END_WIDTH) yield this.#changeAt(at);
  }

  #changeAt(at: number): EndChange {
    const { cells } = this;
    const error = cells[at + ROW.error];
    const servedThrough = cells[at + ROW.servedThrough];
    return {
      name: this.naming.nameOf(cells[at]),
      runId: this.runId(at),
      instanceId: this.naming.runNames.text(cells[at + ROW.runPlace], 0),
      reason: REASONS[cells[at + ROW.reason]],
      work: this.workAt(at),
      calledAt: cells[at + ROW.calledAt],
      ...(Number.isNaN(servedThrough) ? {} : { servedThrough }),
      endedAt: cells[at + ROW.endedAt],
      // An end is never `cut off`: only a history has those.
      outcome: OUTCOMES[cells[at + ROW.outcome]] as EndOutcome,
      pendingRetryUntil: orNull(cells[at + ROW.retryAt]),
      failures: cells[at + ROW.failures],
      failingSince: orNull(cells[at + ROW.failingSince]),
      error: error === 0 ? null : this.errors[error - 1],
    };
  }
}

/** An instant that may be missing is NaN among numbers, and `null` in a record. */
export const orNull = (instant: number): number | null => (Number.isNaN(instant) ? null : instant);
export const orNone = (instant: number | null): number => instant ?? Number.NaN;

/**
 * Everything that the oracle keeps of each task. A row is a number. Row 0 is the *stranger*: it stands for every name that
 * the trace has not mentioned yet. A task has the row of its name; a task in doubt has further rows, one for each other past that it
 * may have had (`pasts.ts`). Those columns that only describe what the trace has shown are used in the row of the name alone.
 */
export const STRANGER = 0;

/** A failed run waits for its retry. */
export interface Retry {
  readonly at: number;
  /** The delay of the registration under which it failed (A6). */
  readonly delayMs: number;
  readonly failedAt: number;
}

/** What one past of a task has been, as far as its state does not say. */
export interface History {
  /** Up to which instant the dues of the task have been served; for a first coming, the last instant before its minute. */
  servedTo: number;
  /** Whether `servedTo` comes from a first coming: then the minute right after it may be owed (E2). */
  isFirstComing: boolean;
  /** The retry delay of the registration; NaN without one. */
  delayMs: number;
  /** The state of the automaton before the last run ended: what the store holds until that end is durable. */
  stateBeforeEnd: number;
  /** The retry that it waits for, due or not. */
  retry: Retry | undefined;
  /** What the store may hold instead, where it may not know of a step that moved something. */
  stored: readonly Stored[];
}

export type Stored = Readonly<Pick<History, 'servedTo' | 'retry'>>;

export const nothingStored: readonly Stored[] = [];

const noHistory = (): History => ({
  servedTo: Number.NEGATIVE_INFINITY,
  isFirstComing: false,
  delayMs: Number.NaN,
  stateBeforeEnd: 0,
  retry: undefined,
  stored: nothingStored,
});

export class TaskTable {
  /** Undefined for a further past: it is found by its task alone. */
  readonly #names: (string | undefined)[] = [];
  readonly #rows = new Map<string, number>();
  /** The row that was found last, and how far from it the next one probably is: 0 or 1. */
  #found = 0;
  #step = 1;

  readonly history: History[] = [];

  /** The last start and the last end that the trace has shown, for explanations; NaN where there was none. Line 0 is no line. */
  readonly startedAt: number[] = [];
  readonly startLine: number[] = [];
  readonly endedAt: number[] = [];
  readonly endLine: number[] = [];
  readonly hasFailed: boolean[] = [];

  /** What `runs.ts` knows of the last run. */
  readonly run: string[] = [];
  readonly known: number[] = [];
  readonly wasAsked: boolean[] = [];

  constructor() {
    this.add('');
  }

  /** A further row: of a task, if it has a name, or of another past of one. */
  add(name: string | undefined): number {
    const row = this.#names.push(name) - 1;
    this.history[row] = noHistory();
    this.startedAt[row] = Number.NaN;
    this.startLine[row] = 0;
    this.endedAt[row] = Number.NaN;
    this.endLine[row] = 0;
    this.hasFailed[row] = false;
    this.run[row] = '';
    this.known[row] = 0;
    this.wasAsked[row] = false;
    return row;
  }

  addTask(name: string): number {
    const row = this.add(name);
    this.#rows.set(name, row);
    return row;
  }

  nameOf(task: number): string {
    return this.#names[task] ?? '';
  }

  get tasks(): number {
    return this.#rows.size;
  }

  /**
   * The row of a name, if it has one. Schedulers work through tasks in order, so the row is mostly the one after the last for a start,
   * and the last one again for its end: a guess costs next to nothing, where a look-up among many names costs several cache misses.
   */
  find(name: string): number | undefined {
    const guess = this.#found + this.#step;
    if (this.#names[guess] === name) {
      this.#found = guess;
      this.#step = 1 - this.#step;
      return guess;
    }
    const row = this.#rows.get(name);
    if (row !== undefined) {
      this.#step = row === this.#found + 1 ? 0 : 1;
      this.#found = row;
    }
    return row;
  }
}

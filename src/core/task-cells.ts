/**
 * The numbers of every task, all of a task next to each other. Tasks that are due together lie scattered over the list, and a start touches
 * most numbers of its task. As one stretch they are two lines of the processor's cache; as one array per field they would be twenty.
 *
 * A stretch is seen in three ways: as numbers (instants and counts), as integers, and as bytes. When tasks come, the arrays grow: whoever keeps one
 * looks again then.
 */

/** Numbers per task. The last two of them are seen as four integers, and the last of these as four bytes. */
const WIDTH = 16;

/** How much room is made when tasks come: a large table takes a while to copy, and much memory. */
const GROWTH = 1.125;

/** Where in a stretch of numbers each is. An instant that is missing is NaN. */
export const NUMBER = {
  servedThrough: 0,
  lastAttemptAt: 1,
  lastFailureAt: 2,
  retryAt: 3,
  failingSince: 4,
  keyCount: 5,
  scheduledFor: 6,
  attempt: 7,
  runCount: 8,
  startedAt: 9,
  owedAt: 10,
  noticedAt: 11,
  freeAt: 12,
  version: 13,
} as const;

/** Where in a stretch of integers each is. */
export const INTEGER = { keyPlace: 28, runPlace: 29, failures: 30 } as const;

/** Where in a stretch of bytes each is. */
export const BYTE = { flags: 124, reason: 125 } as const;

/** The place of a name that is not there. */
export const NOWHERE = -1;

export class TaskCells {
  numbers: Float64Array<ArrayBuffer>;
  integers: Int32Array<ArrayBuffer>;
  bytes: Uint8Array<ArrayBuffer>;
  /** Those who keep the arrays: they look again when there is more room. */
  readonly #users: Array<() => void> = [];

  /** Nothing is known of any task yet. */
  constructor(count: number) {
    this.numbers = new Float64Array(count * WIDTH);
    this.integers = new Int32Array(this.numbers.buffer);
    this.bytes = new Uint8Array(this.numbers.buffer);
    for (let task = 0; task < count; task++) this.clear(task);
  }

  /** Calls back whenever the arrays are others than before. */
  onGrowth(look: () => void): void {
    this.#users.push(look);
  }

  /** Makes room for so many tasks; more than that, so that the next ones find room too. */
  fit(count: number): void {
    if (count * WIDTH <= this.numbers.length) return;
    const before = this.numbers;
    this.numbers = new Float64Array(Math.ceil(count * GROWTH) * WIDTH);
    this.numbers.set(before);
    this.integers = new Int32Array(this.numbers.buffer);
    this.bytes = new Uint8Array(this.numbers.buffer);
    for (const look of this.#users) look();
  }

  /** Nothing is known of a task. */
  clear(task: number): void {
    const at = numbersOf(task);
    this.numbers.fill(0, at, at + WIDTH);
    this.numbers[at + NUMBER.lastAttemptAt] = Number.NaN;
    this.numbers[at + NUMBER.lastFailureAt] = Number.NaN;
    this.numbers[at + NUMBER.retryAt] = Number.NaN;
    this.numbers[at + NUMBER.failingSince] = Number.NaN;
    this.numbers[at + NUMBER.owedAt] = Number.NaN;
    this.numbers[at + NUMBER.version] = Number.NaN;
    this.integers[integersOf(task) + INTEGER.keyPlace] = NOWHERE;
    this.integers[integersOf(task) + INTEGER.runPlace] = NOWHERE;
  }
}

/** Where the stretch of a task begins. */
export const numbersOf = (task: number): number => task * WIDTH;
export const integersOf = (task: number): number => task * (2 * WIDTH);
export const bytesOf = (task: number): number => task * (8 * WIDTH);

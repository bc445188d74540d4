/**
 * How tests wait. A test waits for an event or a condition, never for a length of time, so a slow machine makes it slow and nothing
 * else. The one bound here is a diagnosis: it turns a wait that would never end into an error that says what did not come.
 */
import { availableParallelism, loadavg } from 'node:os';

const MINUTE_MS = 60_000;
/** How many times slower than alone a process may be here: what runs per core. */
const slowness = Math.ceil(Math.max(1, loadavg()[0] / availableParallelism()));

/** How long one wait may take, with a wide margin. */
export const PATIENCE_MS = 5 * MINUTE_MS * slowness;
/** How long one test file may take: far longer than any does, and short enough that a file that hangs leaves time for the others. */
export const FILE_PATIENCE_MS = 15 * MINUTE_MS * Math.min(slowness, 2);

/** The promise; if it is never settled, an error that says what was awaited, and what was seen instead. */
export async function bounded<T>(what: string, promise: Promise<T>, seen = (): string => ''): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new Error(`waited ${Math.round(PATIENCE_MS / 1000)} s for ${what}\n${seen()}`)),
    PATIENCE_MS,
  ).unref();
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a condition that nothing signals, such as the end of a process that is not our child, by asking again and again. */
export async function until(holds: () => boolean): Promise<void> {
  let isGivenUp = false;
  const asking = async (): Promise<void> => {
    while (!holds() && !isGivenUp) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  await bounded(String(holds), asking()).finally(() => {
    isGivenUp = true;
  });
}

/** Does something again and again until the promise is settled, as a person presses a key. */
export async function repeatUntil<T>(what: string, promise: Promise<T>, action: () => void): Promise<T> {
  const repeating = setInterval(action, 50);
  try {
    return await bounded(what, promise);
  } finally {
    clearInterval(repeating);
  }
}

/** Waits for conditions that can only change when something happens; `happened` says that it did. */
export class Conditions {
  readonly #waiting = new Set<() => void>();

  happened(): void {
    for (const look of this.#waiting) look();
  }

  /** What `find` finds, as soon as it finds something. It gives up by throwing. */
  find<T>(what: string, find: () => T | undefined, seen?: () => string): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const look = (): void => {
      try {
        const found = find();
        if (found === undefined) return;
        resolve(found);
      } catch (error) {
        reject(error);
      }
      this.#waiting.delete(look);
    };
    this.#waiting.add(look);
    look();
    return bounded(what, promise, seen);
  }
}

/** What a program says, and its end. */
export class Words {
  text = '';
  readonly #conditions = new Conditions();
  readonly #aside: () => string;
  #isOver = false;

  /** `aside` is what else it has said, for the error when it ends without the words that were awaited. */
  constructor(aside = (): string => '') {
    this.#aside = aside;
  }

  hear(chunk: Buffer | string): void {
    this.text += chunk;
    this.#conditions.happened();
  }

  over(): void {
    this.#isOver = true;
    this.#conditions.happened();
  }

  /** All that was said, once it matches. */
  says(pattern: RegExp): Promise<string> {
    const seen = (): string => this.text + this.#aside();
    return this.#conditions.find(
      `the words ${pattern}`,
      () => {
        if (pattern.test(this.text)) return this.text;
        if (this.#isOver) throw new Error(`it ended without ${pattern}: ${seen()}`);
        return undefined;
      },
      seen,
    );
  }
}

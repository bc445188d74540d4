/**
 * The time of a world, and its one queue of events. Events happen one at a time, in the order of their instants; events at the
 * same instant happen in the order in which they were planned.
 *
 * *Why nothing is left over between two events.* Each event runs in an immediate of its own. Node empties the queue of microtasks
 * after every single immediate, before it takes the next. So all promises that an event settles, and all that those settle, are
 * through before the next event, however long the chain is. No turns are counted, and nothing depends on the machine. Immediates
 * are set in bundles, since one round of the event loop costs more than most events.
 *
 * There are two clocks. `passed` only grows, and timers follow it. The wall clock is `passed` plus an offset, which a step
 * changes.
 */
const BUNDLE = 64;

export interface Planned {
  cancel(): void;
}

interface Entry {
  readonly at: number;
  readonly order: number;
  run: (() => void) | undefined;
}

export class Timeline {
  readonly #heap: Entry[] = [];
  #planned = 0;
  #passed = 0;
  #wallOffset: number;
  #steps = 0;
  #stepsBefore = 0;
  #burnt = 0;

  constructor(startAt: number) {
    this.#wallOffset = startAt;
  }

  /** What the wall clock shows. */
  get now(): number {
    return this.#wallOffset + this.#passed;
  }

  get passed(): number {
    return this.#passed;
  }

  /** How many events have happened. */
  get steps(): number {
    return this.#steps;
  }

  /** How many of them happened since time last passed. */
  get stepsNow(): number {
    return this.#steps - this.#stepsBefore;
  }

  /** Somebody sets the wall clock; no time passes. */
  step(byMs: number): void {
    this.#wallOffset += byMs;
  }

  /** Time passes, and nothing can happen meanwhile. Events that were planned for that time come late. */
  burn(ms: number): void {
    this.#pass(this.#passed + ms);
    this.#burnt += ms;
  }

  /** How much time has passed like that. */
  get burnt(): number {
    return this.#burnt;
  }

  plan(afterMs: number, run: () => void): Planned {
    const entry: Entry = { at: this.#passed + Math.max(0, afterMs), order: this.#planned++, run };
    this.#push(entry);
    return {
      cancel: () => {
        entry.run = undefined;
      },
    };
  }

  /** Lets events happen, one after another, until `isOver` holds or nothing is planned. */
  drive(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let left = 0;
      let ended = false;
      const next = (): void => {
        if (ended) return;
        try {
          ended = isOver() || !this.#next();
          if (ended) resolve();
          else if (--left === 0) bundle();
        } catch (error) {
          ended = true;
          reject(error);
        }
      };
      const bundle = (): void => {
        left = BUNDLE;
        for (let count = 0; count < BUNDLE; count++) setImmediate(next);
      };
      bundle();
    });
  }

  #next(): boolean {
    for (let entry = this.#pop(); entry !== undefined; entry = this.#pop()) {
      if (entry.run === undefined) continue;
      this.#pass(entry.at);
      this.#steps++;
      entry.run();
      return true;
    }
    return false;
  }

  /** Time only grows. */
  #pass(until: number): void {
    if (until <= this.#passed) return;
    this.#passed = until;
    this.#stepsBefore = this.#steps;
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (isBefore(heap[parent], entry)) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = entry;
  }

  #pop(): Entry | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return first;
    let place = 0;
    for (let child = 1; child < heap.length; child = 2 * place + 1) {
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++;
      if (isBefore(last, heap[child])) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = last;
    return first;
  }
}

const isBefore = (one: Entry, other: Entry): boolean =>
  one.at < other.at || (one.at === other.at && one.order < other.order);

/**
 * When the retries of failed tasks come due (T2): the latest failure of a task counts, until a start or a first coming. A clock
 * that is set back may bring it nearer, or put it ahead again (B5); while it is not certain that the store knows, it may come at
 * several instants, of which the last is the one that is owed.
 *
 * One class is left open. A record keeps the failure and the deadline, and so the delay between them, but a step that moves the
 * deadline moves it closer to the failure. So where a registration with another delay has come while the retry waited, the
 * delay of the failure cannot be told from the record, and a scheduler may take the registration's for it, if it is longer.
 */
import { distinct } from './clock-back.ts';

interface Waiting {
  at: number;
  readonly delayMs: number;
  readonly failedAt: number;
  /** It has come due, and waits for its start. */
  isDue: boolean;
  /** When else it may come, before that. */
  earlier: readonly number[];
  /** When it comes if the store does not know of a step. */
  stored: readonly number[];
}

interface Entry {
  readonly at: number;
  readonly task: number;
}

export interface RetryPulse {
  readonly task: number;
  readonly isCertain: boolean;
}

export class Retries {
  readonly #waiting = new Map<number, Waiting>();
  /** A binary heap of what was ever asked for; entries that no longer count are passed over. */
  #heap: Entry[] = [];

  /** The instant of the next retry; Infinity where there is none. */
  get next(): number {
    this.#dropStale();
    return this.#heap.length === 0 ? Number.POSITIVE_INFINITY : this.#heap[0].at;
  }

  set(task: number, at: number, delayMs: number): void {
    const failedAt = at - delayMs;
    this.#waiting.set(task, { at, delayMs, failedAt, isDue: false, earlier: none, stored: none });
    this.#push({ at, task });
    // A task that fails often and is retried late leaves entries behind.
    if (this.#heap.length > 2 * this.#waiting.size + 1000) this.#rebuild();
  }

  clear(task: number): void {
    if (this.#waiting.size > 0) this.#waiting.delete(task);
  }

  /** Takes the next one. */
  take(): RetryPulse {
    this.#dropStale();
    const { task, at } = this.#heap[0];
    this.#pop();
    const waiting = this.#waiting.get(task);
    const isCertain = waiting?.at === at;
    if (isCertain) waiting.isDue = true;
    else if (waiting !== undefined) waiting.earlier = waiting.earlier.filter((each) => each !== at);
    return { task, isCertain };
  }

  /** Whether the retry of a task is still to come, by a clock that shows this. */
  isAhead(task: number, now: number): boolean {
    return (this.#waiting.get(task)?.at ?? Number.NEGATIVE_INFINITY) > now;
  }

  /** An active scheduler has seen that the clock was set back: a deadline farther away than its delay comes after its delay (B5). */
  setClock(landedAt: number, seenAt: number, delaysOf: DelaysOf): void {
    for (const [task, waiting] of this.#waiting) {
      const { at, earlier } = waiting;
      this.#come(waiting, readings([at, ...earlier], waiting, seenAt, delaysOf(task)), landedAt);
      if (waiting.at !== at) waiting.stored = distinct([...waiting.stored, at]);
    }
    this.#rebuild();
  }

  /** An initialization judges what it finds in the store. */
  initialize(judgedAt: number, now: number, delaysOf: DelaysOf): void {
    for (const [task, waiting] of this.#waiting) {
      const all = [waiting.at, ...waiting.earlier, ...waiting.stored];
      this.#come(waiting, readings(all, waiting, judgedAt, delaysOf(task)), now);
      waiting.stored = none;
    }
    this.#rebuild();
  }

  /** An initialization that was cut off, or failed, may have judged and been committed (T11). */
  maybeInitialized(judgedAt: number, delaysOf: DelaysOf): void {
    for (const [task, waiting] of this.#waiting) {
      const all = [waiting.at, ...waiting.earlier, ...waiting.stored];
      const comes = readings(all, waiting, judgedAt, delaysOf(task));
      waiting.stored = distinct([...waiting.stored, ...comes]).filter((at) => at !== waiting.at);
    }
  }

  /** Everything is durable. */
  settle(): void {
    for (const waiting of this.#waiting.values()) waiting.stored = none;
  }

  #come(waiting: Waiting, instants: readonly number[], now: number): void {
    waiting.at = Math.max(...instants);
    waiting.earlier = instants.filter((at) => at < waiting.at);
    waiting.isDue &&= waiting.at <= now;
  }

  #isStale({ at, task }: Entry): boolean {
    const waiting = this.#waiting.get(task);
    if (waiting === undefined) return true;
    return waiting.at === at ? waiting.isDue : !waiting.earlier.includes(at);
  }

  #dropStale(): void {
    while (this.#heap.length > 0 && this.#isStale(this.#heap[0])) this.#pop();
  }

  #rebuild(): void {
    const entries = Array.from(this.#waiting, ([task, { at, earlier }]) =>
      [at, ...earlier].map((each) => ({ at: each, task })),
    );
    // Sorted is a heap too.
    this.#heap = entries
      .flat()
      .filter((entry) => !this.#isStale(entry))
      .sort((a, b) => a.at - b.at);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let place = heap.push(entry) - 1;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (heap[parent].at <= entry.at) break;
      heap[place] = heap[parent];
      place = parent;
    }
    heap[place] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let place = 0;
    for (;;) {
      let child = 2 * place + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1].at < heap[child].at) child++;
      if (heap[child].at >= last.at) break;
      heap[place] = heap[child];
      place = child;
    }
    heap[place] = last;
  }
}

const none: readonly number[] = [];

/** The delays of the registrations that a task may have by now. */
type DelaysOf = (task: number) => readonly number[];

/**
 * When a retry that would have come at one of some instants comes now: by the rule, and, where its delay was overridden, by what a
 * record has kept. Each instant once: they are read again with every step and every initialization.
 */
function readings(
  instants: readonly number[],
  waiting: Waiting,
  now: number,
  delays: readonly number[],
): readonly number[] {
  const { delayMs: own, failedAt } = waiting;
  const others = delays.filter((delayMs) => delayMs !== own);
  const comes = distinct(
    instants.flatMap((at) => [
      Math.min(at, now + own),
      ...others.map((delayMs) => Math.min(at, now + Math.max(at - failedAt, delayMs))),
    ]),
  );
  return comes.length <= MOST_READINGS ? comes : outermost(comes);
}

/** As many readings of one retry are kept. A start is accepted from the earliest on, so that no other is missed. */
const MOST_READINGS = 64;

function outermost(instants: readonly number[]): readonly number[] {
  const sorted = instants.toSorted((a, b) => a - b);
  return [...sorted.slice(0, MOST_READINGS / 2), ...sorted.slice(-MOST_READINGS / 2)];
}

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
import { type Coming, Timeline } from './timeline.ts';

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

export interface RetryPulse {
  readonly task: number;
  readonly isCertain: boolean;
}

export class Retries {
  readonly #waiting = new Map<number, Waiting>();
  /** The tasks of all that was ever asked for; what no longer counts is passed over. */
  readonly #timeline = new Timeline<number>();

  /** The instant of the next retry; Infinity where there is none. */
  get next(): number {
    this.#dropStale();
    return this.#timeline.next;
  }

  set(task: number, at: number, delayMs: number): void {
    const failedAt = at - delayMs;
    this.#waiting.set(task, { at, delayMs, failedAt, isDue: false, earlier: none, stored: none });
    this.#timeline.add(at, task);
    // A task that fails often and is retried late leaves entries behind.
    if (this.#timeline.size > 2 * this.#waiting.size + 1000) this.#rebuild();
  }

  clear(task: number): void {
    if (this.#waiting.size > 0) this.#waiting.delete(task);
  }

  /** Takes the next one. */
  take(): RetryPulse {
    this.#dropStale();
    const { first } = this.#timeline;
    if (first === undefined) throw new RangeError('There is no retry to take');
    const { at, what: task } = first;
    this.#timeline.drop();
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
      const before = [waiting.at, ...waiting.earlier];
      const comes = readings(before, waiting, seenAt, delaysOf(task));
      this.#come(waiting, comes, landedAt);
      // Whichever of them it is, the store may not know that it has moved.
      const moved = before.filter((at) => !comes.includes(at));
      if (moved.length > 0) waiting.stored = distinct([...waiting.stored, ...moved]);
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

  #isStale({ at, what: task }: Coming<number>): boolean {
    const waiting = this.#waiting.get(task);
    if (waiting === undefined) return true;
    return waiting.at === at ? waiting.isDue : !waiting.earlier.includes(at);
  }

  #dropStale(): void {
    let { first } = this.#timeline;
    while (first !== undefined && this.#isStale(first)) {
      this.#timeline.drop();
      first = this.#timeline.first;
    }
  }

  #rebuild(): void {
    const all = Array.from(this.#waiting, ([task, { at, earlier }]) =>
      [at, ...earlier].map((each) => ({ at: each, what: task })),
    );
    this.#timeline.replace(all.flat().filter((coming) => !this.#isStale(coming)));
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

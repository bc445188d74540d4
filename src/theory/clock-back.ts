/**
 * The clock was set back (B5): for each task, from how far it had been served, whether what was served repeats.
 *
 * - At most a minute: nothing moves, and no instant that was served repeats.
 * - At most three hours: a task whose hour field is `*` goes on from now; another does not repeat.
 * - Farther: it was a correction, and everybody goes on from now.
 *
 * An active scheduler judges when it sees the step. If nobody is active, nobody does, and the next initialization judges from
 * what is stored. So what a step moved may be lost in a crash, and then it is judged a second time, from where it was: as long as
 * a trace cannot tell which, a task has several cursors, and each of them may be the one that counts.
 *
 *     certain ──step seen──▶ the store may not know ──stop ended well──▶ certain
 *        ▲                         └──initialize──▶ several ──start, first coming──▶ certain
 */
import type { Enlisted, Population } from './population.ts';
import { type Coming, Timeline } from './timeline.ts';

const MINUTE_MS = 60_000;
const FEW_HOURS_MS = 3 * 60 * MINUTE_MS;

/** A clock that shows something else, and how the tasks are to be read by it. */
export interface Reading {
  /** What cursors are held against: where the clock landed, or the reading of an initialization. */
  readonly judgedAt: number;
  readonly now: number;
  /** Whether the retry of a task lies ahead. */
  readonly isRetryAhead: (task: number) => boolean;
  /** What was pending may have been taken, or cut off in a crash, before the clock was read (A2, T10). */
  readonly doubt: 'taken' | 'cut off' | 'none';
}

export class Cursors {
  /** How far each task has been served. */
  readonly #at: number[] = [];
  /** How far else it may have been. */
  readonly #others = new Map<number, readonly number[]>();
  /** How far it has been served if the store does not know of a step. */
  readonly #stored = new Map<number, readonly number[]>();
  /** Tasks that were served ahead of the clock when they were last judged, and have not been started since. */
  readonly #ahead = new Set<number>();
  /** When a task may come due or not, depending on which of its cursors counts. */
  readonly #maybeDue = new Map<number, number>();
  /** … in the order of time; those that no longer count are passed over. */
  readonly #maybes = new Timeline<number>();
  /** The clock was set back, and nobody has judged it yet. */
  #isUnjudged = false;
  /** The latest that any clock has shown: until then cursors may lie ahead. */
  #highest = Number.NEGATIVE_INFINITY;

  /** A name that has never been served. */
  add(task: number): void {
    this.#at[task] = Number.NEGATIVE_INFINITY;
  }

  served(task: number, at: number): void {
    this.#at[task] = at;
    if (this.#others.size > 0) this.#others.delete(task);
    if (this.#stored.size > 0) this.#stored.delete(task);
    if (this.#maybeDue.size > 0) this.#maybeDue.delete(task);
    if (this.#ahead.size > 0) this.#ahead.delete(task);
  }

  /** The next task that may be due or not, and when. */
  get nextMaybeDue(): Coming<number> | undefined {
    let first = this.#maybes.first;
    while (first !== undefined && this.#maybeDue.get(first.what) !== first.at) {
      this.#maybes.drop();
      first = this.#maybes.first;
    }
    return first;
  }

  #expectMaybe(task: number, at: number): void {
    this.#maybeDue.set(task, at);
    this.#maybes.add(at, task);
    // A clock that is set often leaves many behind.
    if (this.#maybes.size > 2 * this.#maybeDue.size + 1000)
      this.#maybes.replace(Array.from(this.#maybeDue, ([what, when]) => ({ at: when, what })));
  }

  /** It has been told that a task may be due: once is enough, until it is started. */
  toldMaybeDue(task: number): void {
    this.#maybeDue.delete(task);
  }

  /** Everything is durable. */
  settle(): void {
    this.#stored.clear();
  }

  /** The clock was set back from an instant. */
  clockWasSetBack(from: number): void {
    this.#highest = Math.max(from, this.#highest);
    this.#isUnjudged = true;
  }

  /** … while nobody was there to judge it: what was not to repeat does not repeat either by a clock that is farther back. */
  setBackUnseen(population: Population, landedAt: number): void {
    for (const task of this.#ahead) population.sitOut(task, this.farthest(task), landedAt);
  }

  /** Whether an initialization has anything to judge. */
  isUnsure(now: number): boolean {
    return this.#isUnjudged || now < this.#highest || this.#others.size + this.#stored.size > 0;
  }

  /** An active scheduler has seen that the clock was set back. */
  setBack(population: Population, reading: Reading): void {
    for (const enlisted of population.registered) {
      const task = population.task(enlisted.name);
      const before = this.#all(task);
      const isMoved = this.#judge(population, enlisted, before, reading);
      if (isMoved) this.#stored.set(task, distinct([...before, ...(this.#stored.get(task) ?? [])]));
    }
    population.dropSittingOut();
    this.#isUnjudged = false;
  }

  /** An initialization judges what it finds in the store, for those who stay. */
  initialize(population: Population, list: readonly Enlisted[], reading: Reading): void {
    const known = new Set(population.registered.map(({ name }) => name));
    for (const enlisted of list) {
      if (!known.has(enlisted.name)) continue;
      const task = population.task(enlisted.name);
      this.#judge(population, enlisted, [...this.#all(task), ...(this.#stored.get(task) ?? [])], reading);
    }
    this.#isUnjudged = false;
  }

  /**
   * A name comes for the first time, unless an initialization that failed had brought it already. Answers whether it is read
   * again, because its cursor lies, or may lie, ahead of the clock.
   */
  firstComing(population: Population, task: number, cursor: number, now: number): boolean {
    const stored = this.#stored.get(task) ?? [];
    this.served(task, cursor);
    if (stored.length === 0 && cursor <= now) return false;
    const enlisted = { name: population.names[task], schedule: population.groupOf(task).key };
    this.#judge(population, enlisted, [cursor, ...stored], {
      judgedAt: Math.max(now, cursor),
      now,
      isRetryAhead: () => false,
      doubt: 'none',
    });
    return true;
  }

  /** An initialization is over: what it found is what is stored. */
  initialized(): void {
    this.#stored.clear();
  }

  /** An initialization that was cut off, or failed, may have judged and been committed (T11). */
  maybeInitialized(
    population: Population,
    list: readonly Enlisted[],
    judgedAt: number,
    firstCursor: number,
  ): void {
    const known = new Set(population.registered.map(({ name }) => name));
    for (const { name, schedule } of list) {
      const task = population.task(name);
      const own = known.has(name) ? this.#all(task) : [firstCursor];
      const stored = [...own, ...(this.#stored.get(task) ?? [])];
      const judged = stored.map((cursor) => moved(cursor, schedule, judgedAt));
      this.#stored.set(task, distinct([...stored, ...judged]));
    }
  }

  #all(task: number): readonly number[] {
    return [this.#at[task], ...(this.#others.get(task) ?? [])];
  }

  /** Answers whether any cursor that may be the one has moved. */
  #judge(
    population: Population,
    { name, schedule }: Enlisted,
    before: readonly number[],
    reading: Reading,
  ): boolean {
    const { judgedAt, now, isRetryAhead, doubt } = reading;
    const task = population.task(name);
    const after = before.map((each) => moved(each, schedule, judgedAt));
    const isMoved = after.some((each, index) => each !== before[index]);
    const [cursor, ...others] = distinct(after);
    this.#at[task] = cursor;
    if (others.length > 0) this.#others.set(task, others);
    else this.#others.delete(task);
    const cursors = [cursor, ...others];
    const farthest = Math.max(...cursors);
    const group = population.group(schedule, farthest, now);
    population.setClock(task, group, { cursors, now, doubt, isRetryAhead: isRetryAhead(task) });
    if (farthest > now) this.#ahead.add(task);
    else this.#ahead.delete(task);
    this.#maybeDue.delete(task);
    if (others.length > 0 && farthest > now) {
      // Where it counts as served farther ahead by one cursor than by another, the first due in between is one that may count.
      const maybeDue = group.dueAfter(Math.max(now, Math.min(...cursors)));
      if (maybeDue <= farthest) this.#expectMaybe(task, maybeDue);
    }
    return isMoved;
  }

  /** The farthest that a task may have been served. */
  farthest(task: number): number {
    return this.#others.size === 0 ? this.#at[task] : Math.max(...this.#all(task));
  }
}

/** Each of them once. */
export const distinct = (values: readonly number[]): number[] => [...new Set(values)];

/** How far a task counts as served, by a clock that may have been set back. */
function moved(cursor: number, schedule: string, now: number): number {
  const ahead = cursor - now;
  if (ahead <= MINUTE_MS) return cursor;
  if (ahead <= FEW_HOURS_MS && hourField(schedule) !== '*') return cursor;
  return now;
}

const hourField = (schedule: string): string | undefined =>
  schedule
    .split('\n')[1]
    .trim()
    .split(/[ \t]+/)[1];

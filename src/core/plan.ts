/**
 * What `initialize` makes of the stored records and the new registrations (E1–E4): one set of changes, to be made in one
 * transaction. Names are compared, nothing else.
 *
 *     stored?  registered?   it is
 *     no       yes           new: its cursor stands right before the current minute (E2)
 *     yes      yes           preserved, or overridden if expression or delay differ; history is kept either way;
 *                            also orphaned if it has an unfinished run: no other instance is alive (E6)
 *     yes      no            removed: forgotten
 *
 * Records come one at a time, in any order, and none of them is kept: what counts of it goes into the columns of its task. A plan
 * for a million tasks is made in slices, so that it does not hold the event loop.
 */
import { TaskListMismatchError } from '../errors.ts';
import type { Zone } from '../time/zone.ts';
import type { ConfigureChange, CutOffChange, Many, MoveChange } from './changes.ts';
import { NOTHING_YET, type TaskRecord } from './record.ts';
import type { CheckedRegistration } from './registration.ts';
import { Tasks } from './tasks.ts';

/** What is to be made durable, and the tasks as they are once it is. */
export interface Plan {
  readonly tasks: Tasks;
  readonly plannedAt: number;
  /** The tasks that come for the first time, by number. */
  readonly fresh: readonly number[];
  readonly removes: readonly string[];
  readonly puts: Many<TaskRecord>;
  readonly configures: readonly ConfigureChange[];
  readonly cutOffs: readonly CutOffChange[];
  readonly moves: readonly MoveChange[];
  readonly overridden: readonly string[];
  readonly orphaned: readonly string[];
}

/** How many tasks are planned before others get their turn: some milliseconds' worth. */
const SLICE = 20_000;

export class Planner {
  readonly tasks: Tasks;
  readonly #registrations: readonly CheckedRegistration[];
  readonly #places: ReadonlyMap<string, number>;
  readonly #isKnown: Uint8Array;
  readonly #removes: string[] = [];
  readonly #configures: ConfigureChange[] = [];
  /** By task: the delay under which it failed, where the registration has another one now. */
  readonly #delaysBefore = new Map<number, number>();
  readonly #orphaned: string[] = [];
  readonly #cutOff: { readonly name: string; readonly runId: string }[] = [];

  /** `places` has the number of each registration by its name. */
  constructor(
    registrations: readonly CheckedRegistration[],
    places: ReadonlyMap<string, number>,
    instanceId: string,
  ) {
    this.tasks = new Tasks(registrations, instanceId);
    this.#registrations = registrations;
    this.#places = places;
    this.#isKnown = new Uint8Array(registrations.length);
  }

  /** A record that is stored. */
  add(record: TaskRecord): void {
    const { name, run } = record;
    if (run !== null && run.cutOffAt === null) this.#cutOff.push({ name, runId: run.runId });
    const task = this.#places.get(name);
    if (task === undefined) {
      this.#removes.push(name);
      return;
    }
    if (this.#isKnown[task] === 1)
      throw new TaskListMismatchError(`the store has more than one record of "${name}"`, 1, 2);
    this.#isKnown[task] = 1;
    const { cron, retryDelayMs } = this.#registrations[task];
    if (record.cron !== cron || record.retryDelayMs !== retryDelayMs) {
      this.#configures.push({ name, cron, retryDelayMs });
      this.#delaysBefore.set(task, record.retryDelayMs);
    }
    if (run !== null) this.#orphaned.push(name);
    this.tasks.fill(task, record);
  }

  /** The plan, by one reading of the clock, once every record is in. It yields where others may have their turn. */
  *plan(now: number, zone: Zone): Generator<undefined, Plan> {
    const { tasks } = this;
    const cursor = cursorOfFirstComing(now, zone);
    const fresh: number[] = [];
    const moves: MoveChange[] = [];
    for (let task = 0; task < tasks.count; task++) {
      if (task % SLICE === SLICE - 1) yield;
      if (this.#isKnown[task] === 0) {
        fresh.push(task);
        tasks.firstComing(task, cursor);
        continue;
      }
      const move = tasks.afterStep(task, now, now, this.#delaysBefore.get(task));
      if (move !== undefined) moves.push(move);
    }
    const cutOffs = this.#cutOff.map((run) => ({ ...run, at: now }));
    for (const { name } of cutOffs) {
      const task = this.#places.get(name);
      if (task !== undefined) tasks.cutOff(task, now);
    }
    return {
      tasks,
      plannedAt: now,
      fresh,
      removes: this.#removes,
      puts: firstComings(fresh, this.#registrations, now, cursor),
      configures: this.#configures,
      cutOffs,
      moves,
      overridden: this.#configures.map(({ name }) => name),
      orphaned: this.#orphaned,
    };
  }
}

/** The records of names that the store does not have (E2), made when they are asked for. */
const firstComings = (
  fresh: readonly number[],
  registrations: readonly CheckedRegistration[],
  now: number,
  cursor: number,
): Many<TaskRecord> => ({
  length: fresh.length,
  *[Symbol.iterator]() {
    for (const task of fresh) yield firstComing(registrations[task], now, cursor);
  },
});

/** Right before the current civil minute begins: if that minute matches, it is still to be served (A9, E2). */
export function cursorOfFirstComing(now: number, zone: Zone): number {
  const { offset, start } = zone.at(now);
  const minuteStart = Math.floor((now + offset) / 60_000) * 60_000 - offset;
  // A zone is kept in blocks: where one begins the offset may go on, and then so does the minute.
  if (minuteStart < start && zone.at(start - 1).offset === offset) return minuteStart - 1;
  return Math.max(minuteStart, start) - 1;
}

const firstComing = (
  { name, cron, retryDelayMs }: CheckedRegistration,
  now: number,
  cursor: number,
): TaskRecord => ({ name, cron, retryDelayMs, firstSeenAt: now, servedThrough: cursor, ...NOTHING_YET });

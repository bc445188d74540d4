/**
 * Plans an edit of the tasks (E1–E4): compares the new registrations with the list in force, or with the stored records, and makes one set of changes
 * for one transaction. Names are compared, nothing else.
 *
 *     known?  registered?   it is
 *     no      yes           new: its cursor stands right before the current minute (E2)
 *     yes     yes           preserved, or overridden if expression, delay or policy differ; history is kept either way,
 *                           unless the new policy says that an override makes the name a new one (H10);
 *                           also orphaned if it has an unfinished run: no other instance is alive (E6)
 *     yes     no            removed: forgotten, at once or when its run has ended (I5)
 *
 * An `initialize` is the first edit: the table is new, and what is known of a name is its record. Records come one at a time, in any order, and none
 * of them is kept: what counts of it goes into the cells of its task. A later edit finds in the table what is known (I5), and where other instances
 * share the store, in the records too (K5).
 *
 *     compared ──(records)──▶ planned ──durable──▶ applied
 *         └──────────────────────┴──failed──▶ dropped
 *
 * Names that come get numbers before the plan, and their cells are filled, but no one finds them before `apply`. So `apply` needs no memory and
 * cannot fail, and an edit that fails leaves no trace. Why the table may go on meanwhile: which tasks run, and what of them is not durable yet, is asked
 * when the plan is made, and nothing is written between the plan and its own commit. What happens in memory meanwhile stays as it is.
 *
 * A plan counts the version of each record on, in the order in which a store makes the changes of a batch: a run is cut off, the name is configured,
 * its cursor moves (`Tasks.versionOf`). The work is made in slices, so that a million tasks do not hold the event loop.
 */
import { TaskListMismatchError } from '../errors.ts';
import type { Zone } from '../time/zone.ts';
import type { ConfigureChange, CutOffChange, Many, MoveChange } from './changes.ts';
import { AHEAD_MS } from './clock-step.ts';
import { FirstComings } from './first-comings.ts';
import { Cursors } from './first-cursors.ts';
import { delayAfter, policyOfText } from './policy.ts';
import type { TaskRecord } from './record.ts';
import type { CheckedRegistration } from './registration.ts';
import type { Tasks } from './tasks.ts';

/** Names that came to the store at one instant. */
export interface FirstComing {
  readonly at: number;
  readonly names: readonly string[];
}

/** The changes to make durable, and the tasks; those of a first list are as they are once it is durable. */
export interface Plan {
  readonly tasks: Tasks;
  /** The reading of the clock by which it was made: the instant of every first coming (D6). */
  readonly plannedAt: number;
  /** The places in the list of the names that come for the first time. */
  readonly fresh: readonly number[];
  readonly removes: readonly string[];
  readonly puts: Many<TaskRecord>;
  readonly configures: readonly ConfigureChange[];
  readonly cutOffs: readonly CutOffChange[];
  readonly moves: readonly MoveChange[];
  /** Where instances share the store: the tasks that it has and no instance has started yet, by when they came (K9). */
  readonly came: readonly FirstComing[];
  /** How many tasks are stored before. */
  readonly stored: number;
  readonly overridden: readonly string[];
  readonly orphaned: readonly string[];
}

/** The state of the living scheduler's tasks when an edit is planned (I5). */
export interface Living {
  /** Whether a run of a task is claimed or goes on. */
  isOut(task: number): boolean;
  /** By task: how many changes of it wait for the store. They are counted in its version already. */
  readonly waiting: ReadonlyMap<number, number>;
  /** The tasks of which the end of a run waits for the store, or a start that was taken back. */
  readonly ending: ReadonlySet<number>;
}

/** A list of tasks that is to be in force. */
export interface EditedList {
  readonly registrations: readonly CheckedRegistration[];
  /** The place of each registration, by its name. */
  readonly places: ReadonlyMap<string, number>;
}

/** How many tasks are planned before others get their turn: some milliseconds' worth. */
const SLICE = 20_000;
/** The same, where each is looked up by its name. */
const COMPARED = 4000;

/** The number of a name that has none yet. */
const NONE = -1;

const NOTHING_LIVES: Living = { isOut: () => false, waiting: new Map(), ending: new Set() };

export class Planner {
  readonly tasks: Tasks;
  readonly #list: EditedList;
  /** By place; `undefined` for the first list, where each place is the number. */
  #numbers: Int32Array | undefined;
  /** Places of names that the table does not have, with numbers that are reserved. */
  readonly #reserved: number[] = [];
  /** Places of names that the table has, with another configuration. */
  readonly #changed: number[] = [];
  /** The tasks that the list lacks. */
  readonly #goes: number[] = [];
  readonly #isKnown: Uint8Array;
  readonly #removes: string[] = [];
  readonly #configures: ConfigureChange[] = [];
  /** By place: the delay under which it failed, where the registration has another one now. */
  readonly #delaysBefore = new Map<number, number>();
  /** By place: overridden tasks that begin anew (H10), and since when they are paused: that stays. */
  readonly #resets = new Map<number, number | null>();
  readonly #orphaned: string[] = [];
  readonly #came = new Map<number, string[]>();
  readonly #cutOff: { readonly name: string; readonly runId: string }[] = [];
  /** Places of names that were leaving. */
  readonly #back: number[] = [];
  /** The tasks that go once their runs have ended. */
  readonly #leaves: number[] = [];
  /** The tasks that are free once the edit is durable. */
  readonly #frees: number[] = [];
  /** Whether other instances have runs too: then one that is not cut off is theirs, and goes on (K1). */
  isShared = false;
  /** Whether the list is that of an instance which follows others: what is stored counts, and it overrides nothing (K5). */
  follows = false;
  #stored = 0;
  /** The place whose record probably comes next. */
  #expected = 0;

  /** For the first list `tasks` is the table made of it, in its order. */
  constructor(tasks: Tasks, list: EditedList) {
    this.tasks = tasks;
    this.#list = list;
    this.#isKnown = new Uint8Array(list.registrations.length);
  }

  /** Compares the list with the table, and takes all memory that the edit needs. Only for a table that lives. It yields where others may have their turn. */
  *compare(): Generator<undefined, void> {
    const { tasks } = this;
    const { registrations, places } = this.#list;
    const numbers = new Int32Array(registrations.length).fill(NONE);
    this.#numbers = numbers;
    const steps = slices(COMPARED);
    for (const task of tasks.listed()) {
      if (steps.isFull()) yield;
      const place = places.get(tasks.nameOf(task));
      if (place === undefined) this.#goes.push(task);
      else numbers[place] = task;
    }
    for (let place = 0; place < numbers.length; place++) {
      if (steps.isFull()) yield;
      tasks.expect(registrations[place]);
      if (numbers[place] === NONE) {
        numbers[place] = tasks.reserve(registrations[place]);
        this.#reserved.push(place);
      } else if (!isSame(tasks.registrationOf(numbers[place]), registrations[place]))
        this.#changed.push(place);
    }
  }

  /** A record that is stored. */
  add(stored: TaskRecord): void {
    const { name } = stored;
    this.#stored++;
    const record = this.#free(stored);
    const place = this.#placeOf(name);
    const isFirst = this.#numbers === undefined;
    const isFoundCutOff = isFirst && this.#findCutOff(record);
    if (place === undefined) {
      // A task of the table goes by what runs when the plan is made.
      if (isFirst || this.tasks.known(name) === NONE) this.#removes.push(name);
      return;
    }
    if (this.#isKnown[place] === 1)
      throw new TaskListMismatchError(`the store has more than one record of "${name}"`, 1, 2);
    this.#isKnown[place] = 1;
    const task = this.numberAt(place);
    if (this.isShared && stored.lastAttemptAt === null) this.#notStarted(stored);
    if (this.tasks.isListed(task) && !isFirst) this.#addKnown(place, task, stored);
    else this.#addNew(place, task, record, isFoundCutOff);
  }

  #addNew(place: number, task: number, record: TaskRecord, isFoundCutOff: boolean): void {
    const { name, run } = record;
    const { policy } = this.#list.registrations[place];
    const isSameAsStored = this.#isStoredSo(place, record);
    if (!isSameAsStored && policy.resets && !this.follows) {
      this.#resets.set(place, record.pausedAt);
      this.tasks.setVersion(task, record.version + (isFoundCutOff ? 2 : 1));
      return;
    }
    if (run !== null) this.#orphaned.push(name);
    this.tasks.fill(task, record);
    if (isFoundCutOff) this.tasks.raise(task);
    if (isSameAsStored) return;
    this.#delaysBefore.set(place, delayBefore(record));
    this.#configure(place, this.tasks.versionOf(task));
    // An instance that follows another list writes no configuration.
    if (!this.follows) this.tasks.raise(task);
  }

  /** A record of a task that lives here, of a store that several instances share. The later version counts: it is the one of the store, or of here. */
  #addKnown(place: number, task: number, stored: TaskRecord): void {
    const { tasks } = this;
    const known = tasks.versionOf(task);
    const isLater = !(stored.version <= known);
    const isElsewhere = stored.run?.cutOffAt === null && stored.run.runId !== tasks.runOf(task)?.runId;
    if (isLater && tasks.runOf(task) === null) tasks.follow(task, stored);
    if (isElsewhere) tasks.setVersion(task, Number.NaN);
    if (!this.#isStoredSo(place, stored)) this.#configure(place, isLater ? stored.version : known);
  }

  #isStoredSo(place: number, record: TaskRecord): boolean {
    const { cron, retryDelayMs, policy } = this.#list.registrations[place];
    return record.cron === cron && record.retryDelayMs === retryDelayMs && record.policy === policy.text;
  }

  /** Whether the record has a run whose instance is dead, and nobody has found that before (J1). */
  #findCutOff({ name, run }: TaskRecord): boolean {
    if (run === null || run.cutOffAt !== null) return false;
    this.#cutOff.push({ name, runId: run.runId });
    return true;
  }

  /** The record of a name that does not run here. What another instance runs is its own, and no version of it is one to decide by. */
  #free(stored: TaskRecord): TaskRecord {
    const isElsewhere = this.isShared && stored.run?.cutOffAt === null;
    return isElsewhere ? { ...stored, run: null, version: Number.NaN } : stored;
  }

  #configure(place: number, version: number): void {
    const { name, cron, retryDelayMs, policy } = this.#list.registrations[place];
    this.#configures.push({ name, version, cron, retryDelayMs, policy: policy.text });
  }

  #notStarted({ name, firstSeenAt }: TaskRecord): void {
    const names = this.#came.get(firstSeenAt);
    if (names === undefined) this.#came.set(firstSeenAt, [name]);
    else names.push(name);
  }

  /** The names that no record was there for. (One that begins anew with another configuration had one.) */
  newNames({ fresh }: Plan): string[] {
    const { registrations } = this.#list;
    return fresh.filter((place) => this.#isKnown[place] === 0).map((place) => registrations[place].name);
  }

  /** The same name; the text of the list, if the list has it. */
  ownName(name: string): string {
    const place = this.#placeOf(name);
    return place === undefined ? name : this.#list.registrations[place].name;
  }

  /** Records mostly come in the order of the list: to look at the next name is quicker than to look one up. */
  #placeOf(name: string): number | undefined {
    const { registrations, places } = this.#list;
    const isNext = registrations[this.#expected]?.name === name;
    const place = isNext ? this.#expected : places.get(name);
    if (place !== undefined) this.#expected = place + 1;
    return place;
  }

  #placesOf(changes: ReadonlyArray<{ readonly name: string }>): readonly number[] {
    return changes.flatMap(({ name }) => this.#list.places.get(name) ?? []);
  }

  /** The number of the task at a place of the list. */
  numberAt(place: number): number {
    return this.#numbers === undefined ? place : this.#numbers[place];
  }

  /** The plan, by one reading of the clock, once every record is in. It yields where others may have their turn; for a table that lives, it does not. */
  *plan(now: number, zone: Zone, living: Living = NOTHING_LIVES): Generator<undefined, Plan> {
    const { tasks } = this;
    const { registrations } = this.#list;
    tasks.aheadMs = this.isShared ? AHEAD_MS : 0;
    if (this.#numbers !== undefined) this.#planKnown(living);
    const cursors = new Cursors(registrations, now, zone);
    const fresh: number[] = [];
    const moves: MoveChange[] = [];
    const steps = slices(SLICE);
    const isFirst = this.#numbers === undefined;
    for (const place of isFirst ? registrations.keys() : this.#toCome()) {
      if (isFirst && steps.isFull()) yield;
      const task = this.numberAt(place);
      if (this.#isKnown[place] === 0 || this.#resets.has(place)) {
        fresh.push(place);
        if (isFirst) this.#firstComing(place, cursors.of(place));
        continue;
      }
      const move = tasks.afterStep(task, now, this.#delaysBefore.get(place));
      if (move === undefined) continue;
      moves.push(move);
      if (!this.follows) tasks.raise(task);
    }
    const cutOffs = this.#cutOff.map((run) => ({ ...run, at: now }));
    for (const place of this.#placesOf(cutOffs)) tasks.cutOff(this.numberAt(place), now);
    return {
      tasks,
      plannedAt: now,
      fresh,
      removes: this.#removes,
      puts: new FirstComings(fresh, registrations, cursors, this.#resets),
      configures: this.#configures,
      cutOffs,
      moves,
      stored: this.#stored,
      overridden: this.#overridden,
      orphaned: this.#orphaned,
      came: Array.from(this.#came, ([at, names]) => ({ at, names })),
    };
  }

  /** Takes what the living table knows right now (I5). */
  #planKnown(living: Living): void {
    const { tasks } = this;
    const isBusy = (task: number): boolean => living.isOut(task) || living.ending.has(task);
    for (const task of this.#goes) {
      if (isBusy(task)) this.#leaves.push(task);
      else {
        this.#removes.push(tasks.nameOf(task));
        this.#frees.push(task);
      }
    }
    this.#bringBack();
    if (this.isShared) return;
    this.#stored = tasks.count - tasks.spare - this.#reserved.length;
    this.#isKnown.fill(1);
    for (const place of this.#reserved) this.#isKnown[place] = 0;
    for (const name of tasks.recordsGone) {
      const place = this.#list.places.get(name);
      if (place !== undefined) this.#isKnown[place] = 0;
    }
    for (const place of this.#changed) {
      const task = this.numberAt(place);
      if (this.#isKnown[place] === 0) continue;
      if (this.#list.registrations[place].policy.resets && !isBusy(task))
        this.#resets.set(place, tasks.pausedSince(task));
      else this.#configure(place, tasks.versionOf(task) - (living.waiting.get(task) ?? 0));
    }
  }

  /** A name whose run goes on, which an earlier edit has left out, is found as it was (I5). */
  #bringBack(): void {
    const { tasks } = this;
    const { registrations, places } = this.#list;
    for (const task of tasks.leaving) {
      const place = places.get(tasks.nameOf(task));
      if (place === undefined || this.#numbers === undefined) continue;
      tasks.free(this.#numbers[place]);
      this.#reserved.splice(this.#reserved.indexOf(place), 1);
      this.#numbers[place] = task;
      this.#back.push(place);
      if (!isSame(tasks.registrationOf(task), registrations[place])) this.#changed.push(place);
    }
  }

  /** The places of a table that lives whose names may come for the first time. */
  *#toCome(): Generator<number> {
    yield* this.#reserved;
    for (const place of this.#resets.keys()) yield place;
    if (!this.isShared && this.tasks.recordsGone.size === 0) return;
    for (let place = 0; place < this.#isKnown.length; place++)
      if (this.#isKnown[place] === 0 && this.tasks.isListed(this.numberAt(place))) yield place;
  }

  /** A table that lives is as the plan says from now on. `isOut` says whether a run of a task is claimed or goes on. Returns which tasks are others than before. */
  apply(plan: Plan, zone: Zone, isOut: (task: number) => boolean): Applied {
    const { tasks } = this;
    const { registrations } = this.#list;
    const cursors = new Cursors(registrations, plan.plannedAt, zone);
    for (const place of plan.fresh) {
      const task = this.numberAt(place);
      if (tasks.isListed(task) && !isOut(task))
        tasks.startOver(task, this.#resets.has(place) ? 'known' : 'new');
      if (!isOut(task)) this.#firstComing(place, cursors.of(place));
      tasks.recordIsBack(task);
    }
    // The delay under which a task has failed, where the registration has another one from now on.
    const judged = new Map<number, number | undefined>();
    for (const place of [...this.#changed, ...this.#back])
      judged.set(this.numberAt(place), tasks.retryDelayOf(this.numberAt(place)));
    const configured = this.#placesOf(plan.configures);
    // The version of a name that comes was counted on when its record came.
    for (const place of this.follows ? [] : configured) tasks.raiseKnown(this.numberAt(place));
    for (let place = 0; place < registrations.length; place++) {
      const task = this.numberAt(place);
      tasks.list(task, registrations[place], isOut(task) ? 'out' : 'idle');
    }
    for (const task of this.#frees) tasks.free(task);
    for (const task of this.#leaves) tasks.leave(task);
    const places = new Set([
      ...plan.fresh,
      ...this.#reserved,
      ...this.#back,
      ...configured,
      ...this.#changed,
    ]);
    return {
      changed: Array.from(places, (place) => this.numberAt(place)),
      freed: this.#frees,
      left: this.#leaves,
      judged,
    };
  }

  /** The edit has failed: what it has taken is given back. */
  drop(): void {
    for (const place of this.#reserved) this.tasks.free(this.numberAt(place));
  }

  #firstComing(place: number, cursor: number): void {
    const task = this.numberAt(place);
    this.tasks.firstComing(task, cursor);
    const pausedAt = this.#resets.get(place) ?? null;
    if (pausedAt !== null) this.tasks.pause(task, pausedAt);
  }

  get #overridden(): readonly string[] {
    const reset = Array.from(this.#resets.keys(), (place) => this.#list.registrations[place].name);
    return [...this.#configures.map(({ name }) => name), ...reset];
  }
}

/** The result of an edit for the table, by the numbers of its tasks. */
export interface Applied {
  /** New ones, and those with another configuration or record. */
  readonly changed: readonly number[];
  readonly freed: readonly number[];
  /** Those that no list has, and that run. */
  readonly left: readonly number[];
  /** Those that were there with another configuration, or were leaving, and how long the retries wait that they may have. */
  readonly judged: ReadonlyMap<number, number | undefined>;
}

const isSame = (a: CheckedRegistration, b: CheckedRegistration): boolean =>
  a.cron === b.cron && a.retryDelayMs === b.retryDelayMs && a.policy.text === b.policy.text;

/** Says after every slice that it is full. */
function slices(size: number): { isFull(): boolean } {
  let count = 0;
  return { isFull: () => ++count % size === 0 };
}

/** How long the retry waits that a record shows, by the policy under which it failed. */
const delayBefore = ({ policy, retryDelayMs, work }: TaskRecord): number =>
  delayAfter(policyOfText(policy), retryDelayMs, work?.attempt ?? 1);

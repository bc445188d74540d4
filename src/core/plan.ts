/**
 * What `initialize` makes of the stored records and the new registrations (E1–E4): one set of changes, to be made in one
 * transaction. Names are compared, nothing else.
 *
 *     stored?  registered?   it is
 *     no       yes           new: its cursor stands right before the current minute (E2)
 *     yes      yes           preserved, or overridden if expression, delay or policy differ; history is kept either way,
 *                            unless the new policy says that an override makes the name a new one (H10);
 *                            also orphaned if it has an unfinished run: no other instance is alive (E6)
 *     yes      no            removed: forgotten
 *
 * A plan counts the version of each record on, in the order in which a store makes the changes of a batch: a run is cut off, the name is configured,
 * its cursor moves (`Tasks.versionOf`).
 *
 * Records come one at a time, in any order, and none of them is kept: what counts of it goes into the cells of its task. (Those that a
 * reload changes are kept until it is durable.) A plan for a million tasks is made in slices, so that it does not hold the event loop.
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
import { Tasks } from './tasks.ts';

/** Names that came to the store at one instant. */
export interface FirstComing {
  readonly at: number;
  readonly names: readonly string[];
}

/** What is to be made durable, and the tasks as they are once it is. */
export interface Plan {
  readonly tasks: Tasks;
  /** The reading of the clock by which it was made: the instant of every first coming (D6). */
  readonly plannedAt: number;
  /** The tasks that come for the first time, by number. */
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

/** What takes a plan back. */
export interface Undo {
  readonly removes: readonly string[];
  readonly puts: readonly TaskRecord[];
  /** Of what runs: its end is on its way, and the rest of its record with it. */
  readonly configures: readonly ConfigureChange[];
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
  /** Overridden tasks that begin anew (H10), and since when they are paused: that stays. */
  readonly #resets = new Map<number, number | null>();
  readonly #orphaned: string[] = [];
  readonly #came = new Map<number, string[]>();
  /** The records that the plan removes or writes over, as they are, if it may have to be taken back (I5). Of what runs it only configures. */
  readonly #before: TaskRecord[] = [];
  readonly #configuredBefore: ConfigureChange[] = [];
  readonly #cutOff: { readonly name: string; readonly runId: string }[] = [];

  /** Names that run right now, under an earlier list (I5). */
  readonly #busy: ReadonlySet<string>;
  /** Whether other instances have runs too: then one that is not cut off is theirs, and goes on (K1). */
  isShared = false;
  /** Whether a list is in force that stays so if this plan fails. */
  mayBeTakenBack = false;
  /** Whether the list is that of an instance which follows others: what is stored counts, and it overrides nothing (K5). */
  follows = false;
  #stored = 0;
  /** The task whose record probably comes next. */
  #expected = 0;

  /** `places` has the number of each registration by its name. */
  constructor(
    registrations: readonly CheckedRegistration[],
    places: ReadonlyMap<string, number>,
    instanceId: string,
    busy: ReadonlySet<string> = new Set(),
  ) {
    this.#busy = busy;
    this.tasks = new Tasks(registrations, instanceId);
    this.#registrations = registrations;
    this.#places = places;
    this.#isKnown = new Uint8Array(registrations.length);
  }

  /** A record that is stored. */
  add(stored: TaskRecord): void {
    const { name } = stored;
    this.#stored++;
    const isBusy = this.#busy.size > 0 && this.#busy.has(name);
    const record = isBusy ? stored : this.#free(stored);
    const { run } = record;
    const isFoundCutOff = !isBusy && this.#findCutOff(record);
    const task = this.#placeOf(name);
    if (task === undefined) {
      // What runs goes on, and is forgotten when it has ended.
      if (isBusy) return;
      this.#removes.push(name);
      this.#changes(stored, false);
      return;
    }
    if (this.#isKnown[task] === 1)
      throw new TaskListMismatchError(`the store has more than one record of "${name}"`, 1, 2);
    this.#isKnown[task] = 1;
    const { cron, retryDelayMs, policy } = this.#registrations[task];
    const isSame =
      record.cron === cron && record.retryDelayMs === retryDelayMs && record.policy === policy.text;
    if (!isSame) this.#changes(stored, isBusy);
    if (!isSame && policy.resets && !isBusy && !this.follows) {
      this.#resets.set(task, record.pausedAt);
      this.tasks.setVersion(task, record.version + (isFoundCutOff ? 2 : 1));
      return;
    }
    if (run !== null && !isBusy) this.#orphaned.push(name);
    if (this.isShared && stored.lastAttemptAt === null) this.#notStarted(stored);
    this.tasks.fill(task, record);
    if (isBusy) this.tasks.setBusy(task);
    if (isFoundCutOff) this.tasks.raise(task);
    if (!isSame) this.#configure(task, record);
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

  #configure(task: number, record: TaskRecord): void {
    const { name, cron, retryDelayMs, policy } = this.#registrations[task];
    const version = this.tasks.versionOf(task);
    this.#configures.push({ name, version, cron, retryDelayMs, policy: policy.text });
    this.#delaysBefore.set(task, delayBefore(record));
    // Who follows another list writes no configuration.
    if (!this.follows) this.tasks.raise(task);
  }

  #notStarted({ name, firstSeenAt }: TaskRecord): void {
    const names = this.#came.get(firstSeenAt);
    if (names === undefined) this.#came.set(firstSeenAt, [name]);
    else names.push(name);
  }

  #changes(stored: TaskRecord, isBusy: boolean): void {
    if (!this.mayBeTakenBack) return;
    const { name, version, cron, retryDelayMs, policy } = stored;
    // On top of the configuration of the plan.
    if (isBusy) this.#configuredBefore.push({ name, version: version + 1, cron, retryDelayMs, policy });
    else this.#before.push(stored);
  }

  /** What leaves the store as it was, whether it has taken this plan or not. */
  undo(plan: Plan): Undo {
    return {
      removes: this.newNames(plan),
      puts: this.#before.splice(0),
      configures: this.#configuredBefore.splice(0),
    };
  }

  /** The names that no record was there for. (One that begins anew with another configuration had one.) */
  newNames({ fresh }: Plan): string[] {
    return fresh.filter((task) => this.#isKnown[task] === 0).map((task) => this.tasks.nameOf(task));
  }

  /** The same name; the text of the list, if the list has it. */
  ownName(name: string): string {
    const task = this.#placeOf(name);
    return task === undefined ? name : this.#registrations[task].name;
  }

  /** Records mostly come in the order of the list: to look at the next name is quicker than to look one up. */
  #placeOf(name: string): number | undefined {
    const isNext = this.#registrations[this.#expected]?.name === name;
    const task = isNext ? this.#expected : this.#places.get(name);
    if (task !== undefined) this.#expected = task + 1;
    return task;
  }

  #firstComing(task: number, cursor: number): void {
    const { tasks } = this;
    tasks.firstComing(task, cursor);
    if (this.#resets.get(task) != null) tasks.pause(task);
    // If its record has gone while it ran (E7), it does not start again before that run has ended (F2).
    if (this.#busy.size > 0 && this.#busy.has(tasks.nameOf(task))) tasks.setBusy(task);
  }

  /** The plan, by one reading of the clock, once every record is in. It yields where others may have their turn. */
  *plan(now: number, zone: Zone): Generator<undefined, Plan> {
    const { tasks } = this;
    tasks.aheadMs = this.isShared ? AHEAD_MS : 0;
    const cursors = new Cursors(this.#registrations, now, zone);
    const fresh: number[] = [];
    const moves: MoveChange[] = [];
    for (let task = 0; task < tasks.count; task++) {
      if (task % SLICE === SLICE - 1) yield;
      if (this.#isKnown[task] === 0 || this.#resets.has(task)) {
        fresh.push(task);
        this.#firstComing(task, cursors.of(task));
        continue;
      }
      if (tasks.isBusy(task)) continue;
      const move = tasks.afterStep(task, now, this.#delaysBefore.get(task));
      if (move === undefined) continue;
      moves.push(move);
      if (!this.follows) tasks.raise(task);
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
      puts: new FirstComings(fresh, this.#registrations, cursors, this.#resets),
      configures: this.#configures,
      cutOffs,
      moves,
      stored: this.#stored,
      overridden: this.#overridden,
      orphaned: this.#orphaned,
      came: Array.from(this.#came, ([at, names]) => ({ at, names })),
    };
  }

  get #overridden(): readonly string[] {
    const reset = Array.from(this.#resets.keys(), (task) => this.tasks.nameOf(task));
    return [...this.#configures.map(({ name }) => name), ...reset];
  }
}

/** How long the retry waits that a record shows, by the policy under which it failed. */
const delayBefore = ({ policy, retryDelayMs, work }: TaskRecord): number =>
  delayAfter(policyOfText(policy), retryDelayMs, work?.attempt ?? 1);

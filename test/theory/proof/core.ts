/**
 * The scheduler's own decision, driven as the engine drives it: `Planner` on what is stored, `Tasks` for everything
 * after it, and the meaning of a batch for what becomes durable. `Tasks` cannot be copied, so it is made again for every step:
 * from records, and by claiming and calling every task that is claimed or runs. What it then says of itself is compared with what it
 * was made from, so that a wrong copy would be noticed, and so would a step of one task that touches another.
 */
import type { StartChange } from '../../../src/core/changes.ts';
import type { Plan } from '../../../src/core/plan.ts';
import type { Reason, TaskRecord } from '../../../src/core/record.ts';
import { Starts } from '../../../src/core/rows.ts';
import { readRecord } from '../../../src/core/stored.ts';
import type { Tasks } from '../../../src/core/tasks.ts';
import { decidedBy, Model, newRecord } from '../../../src/store/conformance-kit.ts';
import type { Batch } from '../../../src/store/port.ts';
import { type List, lastDue, type Subject, zone } from './instance.ts';
import { INSTANCE, type Name, type State, someRun } from './state.ts';

/** What a scheduler is caught at while a step is made. */
export class Refuted extends Error {}

const NEVER = Number.NEGATIVE_INFINITY;

/** Whether a task is marked as cut off: with no due and no deadline in sight, nothing else is a reason. */
const isMarked = (tasks: Tasks, place: number): boolean =>
  tasks.reasonToRun(place, NEVER, NEVER) === 'orphaned';

const isClaimed = ({ phase }: Name): boolean =>
  phase === 'claimed' || phase === 'ready' || phase === 'running';

/** What a record decides by. */
const gist = ({ cron, retryDelayMs, servedThrough, pendingRetryUntil, run }: TaskRecord): string =>
  JSON.stringify([cron, retryDelayMs, servedThrough, pendingRetryUntil, run]);

/** The record that a task would be made from again. */
function recordOf(tasks: Tasks, place: number): TaskRecord {
  const { name, cron, retryDelayMs } = tasks.registrationOf(place);
  return newRecord(name, { cron, retryDelayMs, ...tasks.stateOf(place) });
}

/** idle → claimed. Nothing decides by the reason or by the instant that is written. */
function claimed(tasks: Tasks, place: number, now: number): StartChange {
  const starts = new Starts(tasks);
  tasks.claim(place, 1, someRun.startedAt, someRun.reason, lastDue(tasks.registrationOf(place), now), starts);
  return [...starts][0];
}

export class Core {
  readonly #subject: Subject;
  readonly #lists: readonly List[];
  readonly #names: readonly string[];

  constructor(subject: Subject, lists: readonly List[], names: readonly string[]) {
    this.#subject = subject;
    this.#lists = lists;
    this.#names = names;
  }

  /** What `initialize` would make of what is stored, with a reading of the clock. */
  plan({ scene, names }: State, plannedAt: number): Plan {
    const { registrations, places } = this.#lists[scene.nextList];
    const planner = new this.#subject.Planner(new this.#subject.Tasks(registrations, INSTANCE), {
      registrations,
      places,
    });
    for (const { stored } of names) if (stored !== undefined) planner.add(readRecord(stored));
    const { value } = planner.plan(plannedAt, zone).next();
    if (value === undefined) throw new Error('A plan of so few tasks is one slice');
    return value;
  }

  /** A batch becomes durable. */
  commit(names: readonly Name[], batch: Batch): Name[] {
    const model = new Model();
    for (const { stored } of names) if (stored !== undefined) model.set(stored.name, stored);
    // Versions are left out of a state, where all are one: each change is decided by the one that its record has by then.
    const { overlay } = this.#subject.overlayOf(model, decidedBy(model, batch), 'the model');
    return names.map((name, i) => {
      const key = this.#names[i];
      return overlay.has(key) ? { ...name, stored: overlay.get(key) } : name;
    });
  }

  /** A life begins with the records of the plan, and the next one with what became durable of them: they must be the same. */
  mustAgree({ tasks }: Plan, names: readonly Name[]): void {
    for (let place = 0; place < tasks.count; place++) {
      const record = recordOf(tasks, place);
      const stored = names[this.#names.indexOf(record.name)]?.stored;
      if (stored === undefined || gist(stored) !== gist(record))
        throw new Refuted(`what is planned for "${record.name}" is not what becomes durable`);
    }
  }

  /** The tasks of a list, as an initialization has them at its end: from what it made durable. */
  held(state: State, list: number): Name[] {
    const { placeOf, registrations } = this.#lists[list];
    const listed = state.names.filter((_, i) => placeOf[i] >= 0);
    const tasks = new this.#subject.Tasks(registrations, INSTANCE);
    for (const [place, { name }] of registrations.entries()) {
      const found = listed.find(({ stored }) => stored?.name === name)?.stored;
      if (found === undefined) throw new Refuted(`"${name}" was registered, and nothing is stored of it`);
      tasks.fill(place, found);
    }
    return state.names.map((name, i) => ({
      ...name,
      phase: 'idle',
      held: placeOf[i] < 0 ? undefined : this.#taken(tasks, placeOf[i]),
    }));
  }

  /** Makes the tasks of a life again. */
  tasks({ scene, names }: State): Tasks {
    const { registrations, placeOf } = this.#lists[scene.list];
    const tasks = new this.#subject.Tasks(registrations, INSTANCE);
    placeOf.forEach((place, i) => {
      const { held, phase } = names[i];
      if (place < 0 || held === undefined) return;
      tasks.fill(place, held);
      if (!isClaimed(names[i])) return;
      claimed(tasks, place, scene.now);
      if (phase === 'running') tasks.call(place, held.servedThrough);
    });
    return tasks;
  }

  /** Lets one task take a step; all others must stay as they were. */
  step<T>(
    state: State,
    i: number,
    take: (tasks: Tasks, place: number) => T,
  ): { change: T; held: TaskRecord } {
    const tasks = this.tasks(state);
    const { placeOf } = this.#lists[state.scene.list];
    const change = take(tasks, placeOf[i]);
    placeOf.forEach((place, other) => {
      if (place >= 0 && other !== i) this.#compare(tasks, place, state.names[other].held);
    });
    return { change, held: this.#taken(tasks, placeOf[i]) };
  }

  /** idle → claimed: what is to be written. */
  claim({ scene, names }: State, i: number): StartChange {
    const idle = names.map((name, j): Name => (i === j ? { ...name, phase: 'idle' } : name));
    return this.step({ scene, names: idle }, i, (tasks, place) => claimed(tasks, place, scene.now)).change;
  }

  #compare(tasks: Tasks, place: number, held: TaskRecord | undefined): void {
    const { servedThrough, pendingRetryUntil } = tasks.stateOf(place);
    const isSame =
      servedThrough === held?.servedThrough &&
      pendingRetryUntil === held.pendingRetryUntil &&
      isMarked(tasks, place) === (held.run !== null);
    if (!isSame) throw new Refuted(`"${tasks.nameOf(place)}" was changed by a step of another task`);
  }

  #taken(tasks: Tasks, place: number): TaskRecord {
    return { ...recordOf(tasks, place), run: isMarked(tasks, place) ? someRun : null };
  }

  /** For each name, why rule A1 would start it: of a life from its tasks, between lives from what is stored. */
  reasons(state: State): readonly (Reason | undefined)[] {
    const { scene, names } = state;
    if (scene.list < 0) return names.map(() => undefined);
    const { placeOf, registrations } = this.#lists[scene.list];
    const tasks = this.tasks(scene.life === 'down' ? { scene, names: this.held(state, scene.list) } : state);
    return placeOf.map((place) =>
      place < 0 ? undefined : tasks.reasonToRun(place, scene.now, lastDue(registrations[place], scene.now)),
    );
  }
}

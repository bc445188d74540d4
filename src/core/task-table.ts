/**
 * Which tasks there are, under which number, name, registration and version, and which of them a list has. The roster has the states of a number.
 * What decisions are made by, beyond that, is in `tasks.ts`.
 */
import { PLAIN } from './policy.ts';
import type { CheckedRegistration } from './registration.ts';
import { BYTE, bytesOf, NUMBER, numbersOf, TaskCells } from './task-cells.ts';

/** The flags of a task are a byte of its cells. */
export const FLAG = {
  orphaned: 1,
  claimed: 2,
  running: 4,
  /** An operator has paused it (I3), or has asked for a run (I2). Neither is part of the states of a task. */
  paused: 8,
  manual: 16,
  /** No list has it (I5): its number is spare or reserved, or the task is leaving, and goes when its run has ended. */
  unlisted: 32,
  /** Its record is gone from the store: nothing starts it before the next initialize (E7). */
  gone: 64,
} as const;

export class TaskTable {
  readonly cells: TaskCells;
  /** The names of the tasks whose records are gone from the store (E7). */
  readonly recordsGone = new Set<string>();
  /** The tasks that no list has, and whose runs have not ended (I5). */
  readonly leaving = new Set<number>();
  /** Whether no task says anything beyond a tuple: then a claim need not look at the registration, which is far away in memory. */
  protected areAllPlain: boolean;
  /** The registrations of runs that began under another one than the list has now (I5). */
  protected readonly begunUnder = new Map<number, CheckedRegistration>();
  readonly #roster: Roster;

  constructor(registrations: readonly CheckedRegistration[]) {
    this.#roster = new Roster(registrations);
    this.areAllPlain = registrations.every(({ policy }) => policy === PLAIN);
    this.cells = new TaskCells(registrations.length);
  }

  /** How many numbers tasks have, spare ones included. */
  get count(): number {
    return this.#roster.size;
  }

  get registrations(): readonly CheckedRegistration[] {
    return this.#roster.registrations;
  }

  /** An edit brings a registration: from now on policies are looked at, if it has one. */
  expect({ policy }: CheckedRegistration): void {
    this.areAllPlain &&= policy === PLAIN;
  }

  /** Room for a name that comes with an edit: nothing finds or starts it before `list`, and `free` takes the room back. */
  reserve(registration: CheckedRegistration): number {
    const task = this.#roster.reserve(registration);
    this.cells.fit(task + 1);
    this.cells.clear(task);
    this.cells.bytes[bytesOf(task) + BYTE.flags] = FLAG.unlisted;
    return task;
  }

  /** A list has the name of this number from now on, under this registration. A run that goes on keeps the registration that it began with (I5). */
  list(task: number, registration: CheckedRegistration, how: 'idle' | 'out'): void {
    const { registrations } = this.#roster;
    if (how === 'out' && !this.begunUnder.has(task)) this.begunUnder.set(task, registrations[task]);
    registrations[task] = registration;
    if (this.isListed(task)) return;
    this.cells.bytes[bytesOf(task) + BYTE.flags] &= ~FLAG.unlisted;
    this.leaving.delete(task);
    this.#roster.list(task);
  }

  /** No list has the name any more; its run goes on, and it is free when that has ended (I5). */
  leave(task: number): void {
    const flagsAt = bytesOf(task) + BYTE.flags;
    this.cells.bytes[flagsAt] = (this.cells.bytes[flagsAt] & ~FLAG.manual) | FLAG.unlisted;
    this.leaving.add(task);
  }

  /** The name is forgotten, and the number is for another one. */
  free(task: number): void {
    this.#roster.free(task);
    this.begunUnder.delete(task);
    this.leaving.delete(task);
    this.recordsGone.delete(this.nameOf(task));
    this.cells.clear(task);
    this.cells.bytes[bytesOf(task) + BYTE.flags] = FLAG.unlisted;
  }

  /** How many numbers are free. */
  get spare(): number {
    return this.#roster.spare;
  }

  /** The record of a task is there again (E7). */
  recordIsBack(task: number): void {
    this.recordsGone.delete(this.nameOf(task));
    this.cells.bytes[bytesOf(task) + BYTE.flags] &= ~FLAG.gone;
  }

  /** The tasks that the list in force has. */
  *listed(): Generator<number> {
    for (let task = 0; task < this.count; task++) if (this.isListed(task)) yield task;
  }

  /** Whether the list in force has the task. */
  isListed(task: number): boolean {
    return (this.cells.bytes[bytesOf(task) + BYTE.flags] & FLAG.unlisted) === 0;
  }

  /**
   * The version that the record will have once everything that has happened here is durable (K2); `NaN` if that is not known. A store raises the
   * version by one with each change that it makes of the record. So whatever is done here to a task counts it on, and nothing is read back. A
   * change that is refused was not made: then the answer brings the record, and `follow` takes its version over.
   *
   * Why a version that is wrong does no harm: it is never too high, because every change counts that the store makes. One that is too low
   * is a version of the past, and whatever names it is refused.
   */
  versionOf(task: number): number {
    return this.cells.numbers[numbersOf(task) + NUMBER.version];
  }

  setVersion(task: number, version: number): void {
    this.cells.numbers[numbersOf(task) + NUMBER.version] = version;
  }

  /** These names have come, with this version; one that begins anew has the version that its record was counted to (H10). */
  begin(tasks: readonly number[], version: number): void {
    for (const task of tasks) {
      const at = numbersOf(task) + NUMBER.version;
      if (Number.isNaN(this.cells.numbers[at])) this.cells.numbers[at] = version;
    }
  }

  /** The record is about to be written once more; with −1, it is not after all. */
  raise(task: number, by: 1 | -1 = 1): void {
    this.cells.numbers[numbersOf(task) + NUMBER.version] += by;
  }

  /** The same for a task that an edit does not bring. */
  raiseKnown(task: number): void {
    if (this.isListed(task) || this.leaving.has(task)) this.raise(task);
  }

  /** Another program has deleted the record of a task. A run of it goes on, and its end finds no record (E7). */
  recordGone(task: number): void {
    this.cells.bytes[bytesOf(task) + BYTE.flags] |= FLAG.gone;
    this.recordsGone.add(this.nameOf(task));
  }

  /** The number of a task that the list has; -1 if there is none of that name. */
  find(name: string): number {
    const task = this.known(name);
    return task >= 0 && this.isListed(task) ? task : -1;
  }

  /** The same, also of a task that is leaving. */
  known(name: string): number {
    return this.#roster.find(name, (task) => this.isListed(task) || this.leaving.has(task));
  }

  nameOf(task: number): string {
    return this.#roster.registrations[task].name;
  }

  registrationOf(task: number): CheckedRegistration {
    return this.#roster.registrations[task];
  }

  /** The registration that the run of a task began with (I5). */
  runsUnder(task: number): CheckedRegistration {
    return this.begunUnder.get(task) ?? this.#roster.registrations[task];
  }
}

/**
 * Which number each task has. A task keeps its number for as long as it is there, whatever comes and goes beside it.
 *
 *     spare ──reserve──▶ reserved ──list──▶ listed ──leave──▶ leaving: its run goes on (I5)
 *       ▲                   │                 │ ▲                │ │
 *       └──────free─────────┴──────free───────┘ └──────list──────┘ └──free──▶ spare
 *
 * A reserved number is one of a name that comes once its edit is durable: its cells may be filled, and no one finds it. So an edit that fails gives
 * its numbers back, and one that is durable needs no memory any more.
 */
class Roster {
  /** By number. A spare number has the registration of the task that had it last. */
  readonly registrations: CheckedRegistration[];
  readonly #spare: number[] = [];
  /** By name: those that are listed or leaving. Made when a name is asked for: a list that never changes needs none. */
  #numbers: Map<string, number> | undefined;

  constructor(registrations: readonly CheckedRegistration[]) {
    this.registrations = registrations.slice();
  }

  /** How many numbers there are, spare ones included. */
  get size(): number {
    return this.registrations.length;
  }

  /** How many numbers are no one's. */
  get spare(): number {
    return this.#spare.length;
  }

  /** `isThere` says of each number whether its name is listed or leaving. */
  find(name: string, isThere: (task: number) => boolean): number {
    this.#numbers ??= this.#index(isThere);
    return this.#numbers.get(name) ?? -1;
  }

  #index(isThere: (task: number) => boolean): Map<string, number> {
    const numbers = new Map<string, number>();
    for (let task = 0; task < this.size; task++)
      if (isThere(task)) numbers.set(this.registrations[task].name, task);
    return numbers;
  }

  reserve(registration: CheckedRegistration): number {
    const task = this.#spare.pop() ?? this.size;
    this.registrations[task] = registration;
    return task;
  }

  list(task: number): void {
    this.#numbers?.set(this.registrations[task].name, task);
  }

  free(task: number): void {
    const { name } = this.registrations[task];
    if (this.#numbers?.get(name) === task) this.#numbers.delete(name);
    this.#spare.push(task);
  }
}

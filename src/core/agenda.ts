/**
 * Which tasks become due when, by calendar rather than by task: tasks with equal due instants are one *group*, computed once, and a heap
 * of the groups' next due instants finds those whose time has come. A minute in which nothing is due costs nothing, however
 * many tasks there are.
 *
 * The agenda only says when to look. Whether a task is pending is asked of the task's own cursor, at the last moment (A2), so
 * reporting a task once too often is harmless. Not reporting it would lose a start.
 */
import { type Calendar, calendarOf } from '../cron/calendar.ts';
import type { Schedule } from '../cron/schedule.ts';
import { type Zone, zoneOf } from '../time/zone.ts';
import { InstantHeap } from './heap.ts';
import { calendarRules, type Policy } from './policy.ts';
import type { CheckedRegistration } from './registration.ts';

/** What the due instants of a task depend on. */
type Timed = Pick<CheckedRegistration, 'name' | 'cron' | 'schedule' | 'policy'>;

/** Tasks with the same due instants. */
class Group {
  readonly key: Schedule | string;
  readonly calendar: Calendar;
  /** The last due instant that has come and the first that has not. */
  lastDue = Number.NEGATIVE_INFINITY;
  nextDue = Number.POSITIVE_INFINITY;
  /** Whether the heap has its next due instant. */
  isPlaced = false;
  /** The first `size` of them. */
  members: Int32Array;
  size = 0;

  constructor(key: Schedule | string, calendar: Calendar, members: Int32Array) {
    this.key = key;
    this.calendar = calendar;
    this.members = members;
  }

  add(task: number): number {
    if (this.size === this.members.length) this.members = wider(this.members, Math.max(4, 2 * this.size));
    this.members[this.size] = task;
    return this.size++;
  }
}

export class Agenda {
  readonly #groups: Group[] = [];
  readonly #byKey = new Map<Schedule | string, number>();
  /** Numbers of groups that have no members any more. */
  readonly #spare: number[] = [];
  #zone: Zone;
  /** The group of each task, or `NONE`, and its place among the members. */
  #groupOf: Int32Array;
  #placeOf: Int32Array;
  readonly #heap = new InstantHeap();
  /** The group whose tasks are being reported, from which of its members on, and its due instant. */
  #reported: { readonly group: Group | undefined; member: number; readonly dueAt: number } = {
    group: undefined,
    member: 0,
    dueAt: 0,
  };

  /** Nothing is due before `reset`. */
  constructor(registrations: readonly Timed[], zone: Zone) {
    this.#zone = zone;
    this.#groupOf = new Int32Array(registrations.length).fill(NONE);
    this.#placeOf = new Int32Array(registrations.length);
    for (let task = 0; task < registrations.length; task++) this.#join(task, registrations[task]);
  }

  /** Makes room for so many tasks. */
  fit(count: number): void {
    const before = this.#groupOf.length;
    if (count <= before) return;
    this.#groupOf = wider(this.#groupOf, Math.max(count, 2 * before)).fill(NONE, before);
    this.#placeOf = wider(this.#placeOf, this.#groupOf.length);
  }

  /** The due instants of a task are these from `now` on. */
  set(task: number, timed: Timed, now: number): void {
    const before = this.#groupOf[task];
    if (before !== NONE && this.#byKey.get(groupKey(timed)) === before) return;
    this.drop(task);
    const group = this.#join(task, timed);
    if (!this.#groups[group].isPlaced) this.#place(group, now);
  }

  /** A task has no due instants any more. The last member takes its place; what is being reported is reported again, since that one may be missed. */
  drop(task: number): void {
    const number = this.#groupOf[task];
    if (number === NONE) return;
    const group = this.#groups[number];
    const last = group.members[--group.size];
    group.members[this.#placeOf[task]] = last;
    this.#placeOf[last] = this.#placeOf[task];
    this.#groupOf[task] = NONE;
    if (this.#reported.group === group) this.#reported.member = 0;
  }

  /** Every task is in another zone from now on. */
  moveTo(zone: Zone, timedOf: (task: number) => Timed, now: number): void {
    this.#zone = zone;
    const tasks = Array.from(this.#groupOf.keys()).filter((task) => this.#groupOf[task] !== NONE);
    this.#groups.length = 0;
    this.#byKey.clear();
    this.#spare.length = 0;
    for (const task of tasks) this.#join(task, timedOf(task));
    this.reset(now);
  }

  get zone(): Zone {
    return this.#zone;
  }

  #join(task: number, timed: Timed): number {
    const key = groupKey(timed);
    let group = this.#byKey.get(key);
    if (group === undefined) {
      group = this.#spare.pop() ?? this.#groups.length;
      this.#groups[group] = new Group(key, calendarFor(timed, this.#zone), new Int32Array(4));
      this.#byKey.set(key, group);
    }
    this.#groupOf[task] = group;
    this.#placeOf[task] = this.#groups[group].add(task);
    return group;
  }

  /** Computes everything again from an instant: after a clock step, what was computed may be wrong. */
  reset(now: number): void {
    this.#heap.clear();
    for (let group = 0; group < this.#groups.length; group++) {
      this.#groups[group].isPlaced = false;
      if (this.#groups[group].size > 0) this.#place(group, now);
      else this.#forget(group);
    }
  }

  /** The next instant at which anything is due; `Infinity` if there are no tasks. */
  get next(): number {
    return this.#heap.earliest;
  }

  /**
   * Calls back for tasks that have become due since the last time, each with the first instant at which it did. At most `limit` of them:
   * a million at once would hold the event loop. Answers whether that was all.
   */
  advance(now: number, limit: number, tell: (task: number, dueAt: number) => void): boolean {
    for (let left = limit; left > 0; ) {
      const reported = this.#reported;
      const { group } = reported;
      if (group === undefined || reported.member >= group.size) {
        if (this.#heap.earliest > now) return true;
        this.#reported = this.#take(now);
        continue;
      }
      const end = Math.min(group.size, reported.member + left);
      left -= end - reported.member;
      while (reported.member < end) tell(group.members[reported.member++], reported.dueAt);
    }
    return false;
  }

  /** The next group that has come due, all of whose members are to be reported. */
  #take(now: number): { group: Group; member: number; dueAt: number } {
    const { owner } = this.#heap;
    const group = this.#groups[owner];
    const dueAt = this.#heap.earliest;
    this.#heap.pop();
    group.isPlaced = false;
    if (group.size > 0) this.#place(owner, now);
    else this.#forget(owner);
    return { group, member: 0, dueAt };
  }

  /** A group without members is not in the heap any more: its number is for another one. */
  #forget(group: number): void {
    const { key } = this.#groups[group];
    if (this.#byKey.get(key) !== group) return;
    this.#byKey.delete(key);
    this.#spare.push(group);
  }

  /** The last due instant of a task at or before `now`; `-Infinity` if there was none. */
  lastDue(task: number, now: number): number {
    const number = this.#groupOf[task];
    if (number === NONE || number === undefined) return Number.NEGATIVE_INFINITY;
    const group = this.#groups[number];
    return group.lastDue <= now && now < group.nextDue ? group.lastDue : group.calendar.previous(now);
  }

  /** The same under a registration that a run began with, and no list may have any more (I5). */
  lastDueUnder(timed: Timed, now: number): number {
    return calendarFor(timed, this.#zone).previous(now);
  }

  #place(number: number, now: number): void {
    const group = this.#groups[number];
    group.lastDue = group.calendar.previous(now);
    group.nextDue = group.calendar.next(now);
    group.isPlaced = true;
    this.#heap.push(group.nextDue, number);
  }
}

/** The group of a task that has no due instants. */
const NONE = -1;

function wider(before: Int32Array, length: number): Int32Array {
  const after = new Int32Array(length);
  after.set(before);
  return after;
}

/** Tasks with the same key have the same due instants. A plain task is known by its schedule, which equal expressions share. */
function groupKey({ name, cron, schedule, policy }: Timed): Schedule | string {
  if (!isTimed(policy)) return schedule;
  const { timeZone } = policy.stored;
  return JSON.stringify([cron, timeZone, calendarRules(name, cron, policy)]);
}

const isTimed = ({ stored: { timeZone, clockChanges, days, jitterMs } }: Policy): boolean =>
  timeZone !== undefined || clockChanges !== undefined || days !== undefined || jitterMs !== undefined;

function calendarFor({ name, cron, schedule, policy }: Timed, zone: Zone): Calendar {
  const { timeZone } = policy.stored;
  const own = timeZone === undefined ? zone : zoneOf(timeZone);
  return calendarOf(schedule, own, calendarRules(name, cron, policy));
}

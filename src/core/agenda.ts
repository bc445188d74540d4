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

export class Agenda {
  readonly #calendars: Calendar[] = [];
  /** The group of each task, and the tasks of all groups, one group after the other. */
  readonly #groupOf: Int32Array;
  readonly #members: Int32Array;
  readonly #firstMember: Int32Array;
  /** For each group, the last due instant that has come and the first that has not. */
  readonly #lastDue: Float64Array;
  readonly #nextDue: Float64Array;
  readonly #heap = new InstantHeap();
  /** The group whose tasks are being reported, from which of its members on, and its due instant. */
  #reported = { member: 0, end: 0, dueAt: 0 };

  /** Nothing is due before `reset`. */
  constructor(registrations: readonly Timed[], zone: Zone) {
    this.#groupOf = new Int32Array(registrations.length);
    const groups = new Map<Schedule | string, number>();
    for (let task = 0; task < registrations.length; task++) {
      const key = groupKey(registrations[task]);
      let group = groups.get(key);
      if (group === undefined) {
        group = this.#calendars.push(calendarFor(registrations[task], zone)) - 1;
        groups.set(key, group);
      }
      this.#groupOf[task] = group;
    }
    this.#firstMember = countMembers(this.#groupOf, this.#calendars.length);
    this.#members = listMembers(this.#groupOf, this.#firstMember);
    this.#lastDue = new Float64Array(this.#calendars.length);
    this.#nextDue = new Float64Array(this.#calendars.length);
  }

  /** Computes everything again from an instant: after a clock step, what was computed may be wrong. */
  reset(now: number): void {
    this.#heap.clear();
    for (let group = 0; group < this.#calendars.length; group++) this.#place(group, now);
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
      if (reported.member === reported.end) {
        if (this.#heap.earliest > now) return true;
        this.#reported = this.#take(now);
        continue;
      }
      const end = Math.min(reported.end, reported.member + left);
      left -= end - reported.member;
      while (reported.member < end) tell(this.#members[reported.member++], reported.dueAt);
    }
    return false;
  }

  /** The next group that has come due, all of whose members are to be reported. */
  #take(now: number): { member: number; end: number; dueAt: number } {
    const group = this.#heap.owner;
    const dueAt = this.#heap.earliest;
    this.#heap.pop();
    this.#place(group, now);
    return { member: this.#firstMember[group], end: this.#firstMember[group + 1], dueAt };
  }

  /** The last due instant of a task at or before `now`; `-Infinity` if there was none. */
  lastDue(task: number, now: number): number {
    const group = this.#groupOf[task];
    const isCurrent = this.#lastDue[group] <= now && now < this.#nextDue[group];
    return isCurrent ? this.#lastDue[group] : this.#calendars[group].previous(now);
  }

  #place(group: number, now: number): void {
    this.#lastDue[group] = this.#calendars[group].previous(now);
    this.#nextDue[group] = this.#calendars[group].next(now);
    this.#heap.push(this.#nextDue[group], group);
  }
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

/** Where each group's members begin, and one more for where the last one's end. */
function countMembers(groupOf: Int32Array, groups: number): Int32Array {
  const first = new Int32Array(groups + 1);
  for (let task = 0; task < groupOf.length; task++) first[groupOf[task] + 1]++;
  for (let group = 0; group < groups; group++) first[group + 1] += first[group];
  return first;
}

function listMembers(groupOf: Int32Array, first: Int32Array): Int32Array {
  const members = new Int32Array(groupOf.length);
  const place = first.slice();
  for (let task = 0; task < groupOf.length; task++) members[place[groupOf[task]]++] = task;
  return members;
}

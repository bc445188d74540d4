/**
 * Which tasks become due when, by schedule rather than by task: equal expressions are one *group*, computed once, and a heap
 * of the groups' next due instants finds those whose time has come. A minute in which nothing is due costs nothing, however
 * many tasks there are.
 *
 * The agenda only says when to look. Whether a task is pending is asked of the task's own cursor, at the last moment (A2), so
 * reporting a task once too often is harmless. Not reporting it would lose a start.
 */
import { nextDue, previousDue } from '../cron/due.ts';
import type { Schedule } from '../cron/schedule.ts';
import type { Zone } from '../time/zone.ts';
import { InstantHeap } from './heap.ts';

export class Agenda {
  readonly #zone: Zone;
  readonly #schedules: Schedule[] = [];
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
  constructor(registrations: readonly { readonly schedule: Schedule }[], zone: Zone) {
    this.#zone = zone;
    this.#groupOf = new Int32Array(registrations.length);
    const groups = new Map<Schedule, number>();
    for (let task = 0; task < registrations.length; task++) {
      const { schedule } = registrations[task];
      let group = groups.get(schedule);
      if (group === undefined) {
        group = this.#schedules.push(schedule) - 1;
        groups.set(schedule, group);
      }
      this.#groupOf[task] = group;
    }
    this.#firstMember = countMembers(this.#groupOf, this.#schedules.length);
    this.#members = listMembers(this.#groupOf, this.#firstMember);
    this.#lastDue = new Float64Array(this.#schedules.length);
    this.#nextDue = new Float64Array(this.#schedules.length);
  }

  /** Computes everything again from an instant: after a clock step, what was computed may be wrong. */
  reset(now: number): void {
    this.#heap.clear();
    for (let group = 0; group < this.#schedules.length; group++) this.#place(group, now);
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
    return isCurrent ? this.#lastDue[group] : previousDue(this.#schedules[group], this.#zone, now);
  }

  #place(group: number, now: number): void {
    this.#lastDue[group] = previousDue(this.#schedules[group], this.#zone, now);
    this.#nextDue[group] = nextDue(this.#schedules[group], this.#zone, now);
    this.#heap.push(this.#nextDue[group], group);
  }
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

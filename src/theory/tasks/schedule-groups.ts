/**
 * Tasks that are due at the same instants: one group per schedule, and one for names without a registration.
 *
 * After the clock was set back, a task may count as served up to an instant that still lies ahead (B5). The dues up to there do not
 * count for it. Such tasks are in a group of their own, by the first due that counts, until that has come.
 *
 *     on time ──the clock is set back behind a due that was served──▶ ahead ──the first due that counts, or a start──▶ on time
 */
import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import type { Schedule, ScheduleRules } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import type { EquivalenceClass } from './classes.ts';

export class ScheduleGroup {
  /** Undefined for names without a registration. */
  readonly schedule: Schedule | undefined;
  readonly matcher: MinuteMatcher | undefined;
  readonly rules: ScheduleRules;
  /** What its members see where it is due, besides the start of a minute. */
  readonly dueBits: number;
  /** The first due that counts, for members that count as served up to an instant ahead of the clock. */
  readonly firstDue: number;
  readonly isAhead: boolean;
  readonly classes = new Set<EquivalenceClass>();
  /** By state, the first class; it leads to the others. */
  readonly byState: (EquivalenceClass | undefined)[] = [];
  /** Whether a class has changed since the last question which groups are restless. */
  isChanged = false;
  /** No due lies from the first to before the second. */
  #noDueFrom = Number.POSITIVE_INFINITY;
  #noDueTo = Number.NEGATIVE_INFINITY;

  constructor(schedule: Schedule | undefined, firstDue = Number.NEGATIVE_INFINITY) {
    this.schedule = schedule;
    this.matcher = schedule?.matcher;
    this.rules = schedule?.rules ?? {};
    this.dueBits = bits.Due | (this.rules.whileRunning === 'skip' ? bits.Skips : 0);
    this.firstDue = firstDue;
    this.isAhead = firstDue !== Number.NEGATIVE_INFINITY;
  }

  get isEmpty(): boolean {
    return this.classes.values().every(({ pasts }) => pasts === 0);
  }

  get isUnreadable(): boolean {
    return this.schedule !== undefined && this.matcher === undefined;
  }

  /** From when on the last due up to an instant is too old (H4): −∞ if it is so at that instant, ∞ without a limit. */
  tooOldFrom(at: number): number {
    const { startWithinMs } = this.rules;
    if (startWithinMs === undefined || this.matcher === undefined || at < this.firstDue)
      return Number.POSITIVE_INFINITY;
    return this.matcher.previous(at, at - startWithinMs - 1) + startWithinMs + 1;
  }

  /** The first due of the schedule after an instant. Many tasks ask the same question at once, so the last answer is kept. */
  dueAfter(at: number): number {
    if (this.matcher === undefined) return Number.POSITIVE_INFINITY;
    if (at >= this.#noDueFrom && at < this.#noDueTo) return this.#noDueTo;
    this.#noDueTo = this.matcher.next(at);
    this.#noDueFrom = at;
    return this.#noDueTo;
  }
}

export class ScheduleGroups {
  /** Names that are not registered. */
  readonly unregistered = new ScheduleGroup(undefined);
  readonly #onTime = new Map<string, ScheduleGroup>();
  /** By the schedule, and the first due that counts. */
  readonly #ahead = new Map<string, ScheduleGroup>();

  /** The group of a schedule; made where there is none yet. */
  of(schedule: Schedule | undefined): ScheduleGroup {
    if (schedule === undefined) return this.unregistered;
    let group = this.#onTime.get(schedule.key);
    if (group === undefined) {
      group = new ScheduleGroup(schedule);
      this.#onTime.set(schedule.key, group);
    }
    return group;
  }

  /** The group that a past belongs to with a schedule: ahead only if a due lies before the instant up to which it was served. */
  for(
    schedule: Schedule | undefined,
    { group: before, servedTo }: { readonly group: ScheduleGroup; readonly servedTo: number },
    now: number,
  ): ScheduleGroup {
    const group = this.of(schedule);
    if (schedule === undefined || before === this.unregistered) return group;
    if (servedTo <= now || group.dueAfter(now) > servedTo) return group;
    const firstDue = group.dueAfter(servedTo);
    const key = `${schedule.key}\n${firstDue}`;
    const ahead = this.#ahead.get(key) ?? new ScheduleGroup(schedule, firstDue);
    this.#ahead.set(key, ahead);
    return ahead;
  }

  *[Symbol.iterator](): Generator<ScheduleGroup> {
    yield this.unregistered;
    yield* this.#onTime.values();
    yield* this.#ahead.values();
  }

  dropEmpty(): void {
    for (const [key, group] of this.#ahead) if (group.isEmpty) this.#ahead.delete(key);
    // A group that another one will join when it has caught up must still be there then.
    const awaited = new Set(Array.from(this.#ahead.values(), ({ schedule }) => schedule?.key));
    for (const [key, group] of this.#onTime) if (group.isEmpty && !awaited.has(key)) this.#onTime.delete(key);
  }
}

/** Tasks that are due at the same instants: one group per schedule, and one for names without a registration. */
import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import type { Schedule, ScheduleRules } from '../calendar/valid-list.ts';

export class ScheduleGroup<Member> {
  /** Undefined for names without a registration. */
  readonly schedule: Schedule | undefined;
  readonly matcher: MinuteMatcher | undefined;
  readonly rules: ScheduleRules;
  /** How many members it has, and those of them that its next due may change (`slices.ts`). */
  members = 0;
  readonly awake = new Set<Member>();
  /** Its next due will be derived. */
  isExpected = false;
  /** No due lies from the first to before the second. */
  #noDueFrom = Number.POSITIVE_INFINITY;
  #noDueTo = Number.NEGATIVE_INFINITY;

  constructor(schedule: Schedule | undefined) {
    this.schedule = schedule;
    this.matcher = schedule?.matcher;
    this.rules = schedule?.rules ?? {};
  }

  get isUnreadable(): boolean {
    return this.schedule !== undefined && this.matcher === undefined;
  }

  /** From when on the last due up to an instant is too old (H4): −∞ if it is so at that instant, ∞ without a limit. */
  tooOldFrom(at: number): number {
    const { startWithinMs } = this.rules;
    if (startWithinMs === undefined || this.matcher === undefined) return Number.POSITIVE_INFINITY;
    return this.matcher.previous(at, at - startWithinMs - 1) + startWithinMs + 1;
  }

  /** The first due of the schedule after an instant. Many tasks ask the same question at once, so the last answer is kept. */
  dueAfter(at: number): number {
    if (this.matcher === undefined || !Number.isFinite(at)) return Number.POSITIVE_INFINITY;
    if (at >= this.#noDueFrom && at < this.#noDueTo) return this.#noDueTo;
    this.#noDueTo = this.matcher.next(at);
    this.#noDueFrom = at;
    return this.#noDueTo;
  }
}

export class ScheduleGroups<Member> {
  /** Names that are not registered. */
  readonly unregistered = new ScheduleGroup<Member>(undefined);
  readonly #groups = new Map<string | undefined, ScheduleGroup<Member>>([[undefined, this.unregistered]]);

  /** The group of a schedule; made where there is none yet. */
  of(schedule: Schedule | undefined): ScheduleGroup<Member> {
    const group = this.#groups.get(schedule?.key) ?? new ScheduleGroup<Member>(schedule);
    this.#groups.set(schedule?.key, group);
    return group;
  }

  [Symbol.iterator](): Iterator<ScheduleGroup<Member>> {
    return this.#groups.values();
  }

  /** The unregistered are never without a member: the stranger is one. */
  dropEmpty(): void {
    for (const [key, group] of this.#groups) if (group.members === 0) this.#groups.delete(key);
  }
}

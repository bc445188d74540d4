/**
 * Tasks that are due at the same instants: one group per schedule, one for names without a registration, and one for registrations
 * that the oracle cannot read.
 *
 * After the clock was set back, a task may count as served up to an instant that still lies ahead (B5). The dues up to there do not
 * count for it. Such tasks are in a second group of their schedule, which is never due, until the clock has passed that instant.
 *
 *     on time ──the clock is set back behind a due that was served──▶ ahead ──the clock has passed it──▶ on time
 */
import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import { UNREADABLE } from '../calendar/valid-list.ts';
import type { EquivalenceClass } from './classes.ts';

export class ScheduleGroup {
  /** Of its schedule. */
  readonly key: string;
  readonly matcher: MinuteMatcher | undefined;
  /** Members count as served up to an instant ahead of the clock. */
  readonly isAhead: boolean;
  readonly classes = new Set<EquivalenceClass>();
  /** By state, the first class; it leads to the others. */
  readonly byState: (EquivalenceClass | undefined)[] = [];
  /** Whether a class has changed since the last question which groups are restless. */
  isChanged = false;
  /** No due lies from the first to before the second. */
  #noDueFrom = Number.POSITIVE_INFINITY;
  #noDueTo = Number.NEGATIVE_INFINITY;

  constructor(key: string, matcher: MinuteMatcher | undefined, isAhead = false) {
    this.key = key;
    this.matcher = matcher;
    this.isAhead = isAhead;
  }

  get isEmpty(): boolean {
    return this.classes.values().every(({ pasts }) => pasts === 0);
  }

  get isUnreadable(): boolean {
    return this.key === UNREADABLE;
  }

  /** The first due after an instant. Many tasks ask the same question at once, so the last answer is kept. */
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
  readonly unregistered = new ScheduleGroup('', undefined);
  readonly #onTime = new Map<string, ScheduleGroup>([['', this.unregistered]]);
  readonly #ahead = new Map<string, ScheduleGroup>();
  readonly #matcherOf: (schedule: string) => MinuteMatcher;

  constructor(matcherOf: (schedule: string) => MinuteMatcher) {
    this.#matcherOf = matcherOf;
  }

  /** The group of a schedule; made where there is none yet. */
  of(schedule: string): ScheduleGroup {
    let group = this.#onTime.get(schedule);
    if (group === undefined) {
      group = new ScheduleGroup(schedule, schedule === UNREADABLE ? undefined : this.#matcherOf(schedule));
      this.#onTime.set(schedule, group);
    }
    return group;
  }

  /** The group of a task that was served up to an instant: `ahead` only if a due lies before it. */
  servedTo(schedule: string, servedTo: number, now: number): ScheduleGroup {
    const group = this.of(schedule);
    if (servedTo <= now || group.dueAfter(now) > servedTo) return group;
    let ahead = this.#ahead.get(schedule);
    if (ahead === undefined) {
      ahead = new ScheduleGroup(schedule, group.matcher, true);
      this.#ahead.set(schedule, ahead);
    }
    return ahead;
  }

  *values(): Generator<ScheduleGroup> {
    yield* this.#onTime.values();
    yield* this.#ahead.values();
  }

  dropEmpty(): void {
    for (const [schedule, group] of this.#ahead) if (group.isEmpty) this.#ahead.delete(schedule);
    for (const [schedule, group] of this.#onTime)
      if (group !== this.unregistered && group.isEmpty && !this.#ahead.has(schedule))
        this.#onTime.delete(schedule);
  }
}

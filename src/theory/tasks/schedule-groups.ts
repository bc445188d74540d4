/**
 * Tasks that are due at the same instants, and know of each other only that: one group for each schedule, and one for those without.
 *
 * After the clock was set back, tasks that were served ahead of it sit out the dues up to there (B5). Where there are any such dues,
 * these tasks are a group of their own beside that of their schedule, until the last of them has passed: the next due is then the
 * same for both, so they become one again. What counts is where that is, not how far exactly each task was served, so there are
 * few of them.
 *
 *     the schedule's ──clock set back behind a due that was served──▶ sits out ──its last due has passed──▶ the schedule's
 */
import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import { Group } from './classes.ts';

export class ScheduleGroup extends Group {
  readonly matcher: MinuteMatcher | undefined;
  /** The next due that has no position yet. It is never that of a group that sits out. */
  nextDue = Number.POSITIVE_INFINITY;
  /** Dues up to here do not count; the next instant is one that does. */
  readonly notBefore: number;
  /** Those of the same schedule that sit out, by how long. */
  readonly sittingOut = new Map<number, ScheduleGroup>();
  /** No due lies from the one to before the other. */
  #quietFrom = Number.POSITIVE_INFINITY;
  #quietTo = Number.NEGATIVE_INFINITY;

  constructor(schedule: string, matcher: MinuteMatcher | undefined, notBefore = Number.NEGATIVE_INFINITY) {
    super(schedule);
    this.matcher = matcher;
    this.notBefore = notBefore;
  }

  get sitsOut(): boolean {
    return this.notBefore > Number.NEGATIVE_INFINITY;
  }

  /** The first due after an instant. Whoever asks mostly asks for many tasks at once. */
  dueAfter(at: number): number {
    if (this.matcher === undefined) return Number.POSITIVE_INFINITY;
    if (at >= this.#quietFrom && at < this.#quietTo) return this.#quietTo;
    this.#quietTo = this.matcher.next(at);
    this.#quietFrom = at;
    return this.#quietTo;
  }
}

/** All groups, by their schedules. */
export class ScheduleGroups {
  /** Whoever is not registered. */
  readonly unregistered = new ScheduleGroup('', undefined);
  readonly #bySchedule = new Map<string, ScheduleGroup>([['', this.unregistered]]);
  readonly #all = new Set<ScheduleGroup>([this.unregistered]);
  readonly #matcherOf: (schedule: string) => MinuteMatcher;
  /** The schedules of those that sit out. */
  readonly #waitedFor = new Set<ScheduleGroup>();

  constructor(matcherOf: (schedule: string) => MinuteMatcher) {
    this.#matcherOf = matcherOf;
  }

  matcher(schedule: string): MinuteMatcher {
    return this.#bySchedule.get(schedule)?.matcher ?? this.#matcherOf(schedule);
  }

  /** The group of a schedule; made where there is none yet. */
  of(schedule: string): ScheduleGroup {
    let group = this.#bySchedule.get(schedule);
    if (group === undefined) {
      group = new ScheduleGroup(schedule, this.#matcherOf(schedule));
      this.#bySchedule.set(schedule, group);
      this.#all.add(group);
    }
    return group;
  }

  /** The group of those who were served up to an instant, which may lie ahead of the clock. */
  servedTo(schedule: string, servedTo: number, now: number): ScheduleGroup {
    const group = this.of(schedule);
    if (servedTo <= now || group.matcher === undefined || group.dueAfter(now) > servedTo) return group;
    const notBefore = group.matcher.next(servedTo) - 1;
    let later = group.sittingOut.get(notBefore);
    if (later === undefined) {
      later = new ScheduleGroup(schedule, group.matcher, notBefore);
      group.sittingOut.set(notBefore, later);
      this.#waitedFor.add(group);
      this.#all.add(later);
    }
    return later;
  }

  values(): Iterable<ScheduleGroup> {
    return this.#all;
  }

  /** Those of a schedule for whom its next due counts again: they are no longer groups of their own. */
  backIn(group: ScheduleGroup): readonly ScheduleGroup[] {
    if (group.sittingOut.size === 0) return none;
    const back = [...group.sittingOut.values()].filter(({ notBefore }) => notBefore < group.nextDue);
    for (const later of back) this.#drop(later, group);
    return back;
  }

  /** Nobody sits out in them any more. */
  dropSittingOut(): void {
    for (const group of this.#waitedFor)
      for (const later of group.sittingOut.values()) if (later.isEmpty) this.#drop(later, group);
  }

  dropEmpty(): void {
    this.dropSittingOut();
    for (const [schedule, group] of this.#bySchedule)
      if (group !== this.unregistered && group.isEmpty && group.sittingOut.size === 0) {
        this.#bySchedule.delete(schedule);
        this.#all.delete(group);
      }
  }

  #drop(later: ScheduleGroup, group: ScheduleGroup): void {
    group.sittingOut.delete(later.notBefore);
    if (group.sittingOut.size === 0) this.#waitedFor.delete(group);
    this.#all.delete(later);
  }
}

const none: readonly ScheduleGroup[] = [];

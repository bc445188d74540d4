/** Tasks that are due at the same instants, and know of each other only that: one group for each schedule, and one for those without. */
import type { MinuteMatcher } from './due.ts';
import { Group } from './slices.ts';

export class ScheduleGroup extends Group {
  readonly matcher: MinuteMatcher | undefined;
  /** The next due that has no position yet. */
  nextDue = Number.POSITIVE_INFINITY;

  /** Dues up to here were served before the clock was set back, and do not repeat (B5). */
  readonly notBefore: number;

  constructor(key: string, matcher: MinuteMatcher | undefined) {
    super(key);
    this.matcher = matcher;
    this.notBefore = Number(key.split('\n')[2] ?? Number.NEGATIVE_INFINITY);
  }
}

/** All groups, by their keys. */
export class ScheduleGroups {
  /** Whoever is not registered. */
  readonly unregistered = new ScheduleGroup('', undefined);
  readonly #byKey = new Map<string, ScheduleGroup>([['', this.unregistered]]);
  readonly #matcherOf: (key: string) => MinuteMatcher;

  constructor(matcherOf: (key: string) => MinuteMatcher) {
    this.#matcherOf = matcherOf;
  }

  /** The group with a key; made where there is none yet. */
  of(key: string): ScheduleGroup {
    let group = this.#byKey.get(key);
    if (group === undefined) {
      group = new ScheduleGroup(key, this.#matcherOf(key));
      this.#byKey.set(key, group);
    }
    return group;
  }

  values(): Iterable<ScheduleGroup> {
    return this.#byKey.values();
  }

  dropEmpty(): void {
    for (const [key, group] of this.#byKey)
      if (group !== this.unregistered && group.classes.length === 0) this.#byKey.delete(key);
  }
}

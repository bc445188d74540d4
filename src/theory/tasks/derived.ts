/**
 * Derives what a trace does not record (T13): the dues, the retries, and where a due becomes too old (H4). They come in the order of time,
 * and those of one instant before its records; dues first.
 *
 * A due that would change nothing is passed over (`slices.ts`): a year without records costs next to nothing.
 */
import type { ScheduleGroup } from './schedule-groups.ts';
import type { Past } from './task.ts';
import type { Tasks } from './tasks.ts';
import { Timeline } from './timeline.ts';

export class Derived {
  readonly #tasks: Tasks;
  /** The schedules, by their next due. */
  readonly #dues = new Timeline<ScheduleGroup<Past>>();
  /** The schedules with a limit on how old a due may be, by when the last due reaches it. */
  readonly #stale = new Timeline<ScheduleGroup<Past>>();
  /** Everything up to here has been derived. */
  #derivedTo = Number.NaN;
  count = 0;

  constructor(tasks: Tasks) {
    this.#tasks = tasks;
    tasks.slices.onWake = (group) => this.#expectDue(group, this.#derivedTo);
  }

  /** Derivation begins with the minute of the first record. */
  begin(at: number): void {
    const minute = this.#tasks.clock.minuteStart(at);
    this.#tasks.reader.begin(minute);
    this.#derivedTo = minute - 1;
  }

  /** Time has come this far. */
  derive(until: number): void {
    const { retryDeadlines } = this.#tasks.pasts;
    for (;;) {
      const due = this.#dues.next;
      const retry = retryDeadlines.next;
      const at = Math.min(due, retry, this.#stale.next);
      if (at > until) break;
      this.count++;
      this.#derivedTo = at;
      if (due === at) this.#due(at);
      else if (retry === at) this.#tasks.retryDue(retryDeadlines.take(), at);
      else this.#tasks.stale(this.#stale.take(), at);
    }
    if (until > this.#derivedTo) this.#derivedTo = until;
  }

  #due(at: number): void {
    const due: ScheduleGroup<Past>[] = [];
    while (this.#dues.next === at) due.push(this.#dues.take());
    this.#tasks.due(due, at);
    for (const group of due) {
      group.isExpected = group.awake.size > 0;
      if (group.isExpected) this.#expectDue(group, at);
    }
  }

  /** All schedules, by their next due: there are others, or the clock was set. */
  lineUp(now: number): void {
    this.#derivedTo = now;
    this.#dues.clear();
    this.#stale.clear();
    this.#tasks.groups.dropEmpty();
    for (const group of this.#tasks.groups) this.#expectDue(group, now);
  }

  /** The dues of a schedule up to an instant have been derived. */
  #expectDue(group: ScheduleGroup<Past>, derivedTo: number): void {
    const due = group.dueAfter(derivedTo);
    group.isExpected = true;
    if (Number.isFinite(due)) this.#dues.set(group, due);
    if (group.rules.startWithinMs === undefined) return;
    const stale = group.tooOldFrom(derivedTo);
    if (Number.isFinite(stale)) this.#stale.set(group, stale);
  }
}

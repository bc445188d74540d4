/**
 * Derives what a trace does not record (T13): the starts of civil minutes, with what is due, the dues within minutes (H5), the retries,
 * and where a due becomes too old (H4). They come in the order of time, and those of one instant before its records; dues first.
 *
 * A minute in which nothing is due is passed over unless it would change something. So a year without records costs as much as
 * there are dues in it.
 */
import type { ScheduleGroup } from './schedule-groups.ts';
import type { Tasks } from './tasks.ts';
import { Timeline } from './timeline.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export class Derived {
  readonly #tasks: Tasks;
  /** The schedules, by their next due. */
  readonly #dues = new Timeline<ScheduleGroup>();
  /** The schedules with a limit on how old a due may be, by when the last due reaches it. */
  readonly #stale = new Timeline<ScheduleGroup>();
  /** Everything up to here has been derived. */
  #derivedTo = Number.NaN;
  /** Nothing is to be derived before this. */
  next = Number.NEGATIVE_INFINITY;
  count = 0;

  constructor(tasks: Tasks) {
    this.#tasks = tasks;
  }

  /** Derivation begins with the minute of the first record. */
  begin(at: number): void {
    const minute = this.#tasks.clock.minuteStart(at);
    this.#tasks.reader.begin(minute);
    this.#derivedTo = minute - 1;
    this.next = minute;
  }

  derive(until: number): void {
    const { pasts } = this.#tasks;
    for (;;) {
      const { restless } = this.#tasks.classes;
      const nextDue = this.#dues.next;
      const minute =
        restless.size === 0 ? nextDue : Math.min(nextDue, this.#tasks.clock.nextMinute(this.#derivedTo));
      const retry = pasts.retryDeadlines.next;
      const stale = this.#stale.next;
      if (Math.min(minute, retry, stale) > until) break;
      const quietTo = Math.min(until, retry) - HOUR_MS;
      if (quietTo - minute > DAY_MS && this.#tasks.isSteady) {
        this.#skipTo(quietTo);
        continue;
      }
      this.count++;
      if (Math.min(retry, stale) < minute) {
        if (retry <= stale) this.#tasks.retryDue(pasts.retryDeadlines.take(), retry);
        else this.#tasks.stale(this.#stale.take(), stale);
        continue;
      }
      const due = this.#takeDue(minute);
      this.#derivedTo = minute;
      if (this.#tasks.clock.nextMinute(minute - 1) === minute) this.#tasks.minute(due, restless, minute);
      else this.#tasks.withinMinute(due, minute);
      for (const group of due) this.#expectDue(group, minute);
    }
    this.#derivedTo = Math.max(this.#derivedTo, until);
    this.expect();
  }

  #takeDue(at: number): readonly ScheduleGroup[] {
    const due: ScheduleGroup[] = [];
    while (this.#dues.next === at) {
      const group = this.#dues.take();
      if (group.isAhead) this.#tasks.caughtUp(group);
      else due.push(group);
    }
    return due;
  }

  /** Years of silence, or an instant that is wrong: where only the last pulses matter, the others are not derived. */
  #skipTo(at: number): void {
    this.#derivedTo = at;
    while (this.#dues.next <= at) this.#expectDue(this.#dues.take(), at);
  }

  /** All schedules, by their next due: there are others, or the clock was set. */
  lineUp(now: number, isSetBack = false): void {
    if (isSetBack) this.#derivedTo = now;
    this.#dues.clear();
    this.#stale.clear();
    for (const group of this.#tasks.groups) this.#expectDue(group, now);
    this.expect();
  }

  /** The dues of a schedule up to an instant have been derived. */
  #expectDue(group: ScheduleGroup, derivedTo: number): void {
    const due = derivedTo < group.firstDue ? group.firstDue : group.dueAfter(derivedTo);
    if (Number.isFinite(due)) this.#dues.set(group, due);
    if (group.rules.startWithinMs === undefined) return;
    const stale = group.tooOldFrom(derivedTo);
    if (Number.isFinite(stale)) this.#stale.set(group, stale);
  }

  /** When there is something to derive again. */
  expect(): void {
    this.next = Math.min(
      this.#tasks.clock.nextMinute(this.#derivedTo),
      this.#tasks.pasts.retryDeadlines.next,
      this.#dues.next,
      this.#stale.next,
    );
  }
}

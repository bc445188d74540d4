/**
 * Derives what a trace does not record (T13): the starts of civil minutes, with what is due, and the retries. They come in the
 * order of time, and those of one instant before its records; minutes before retries.
 *
 * A minute in which nothing is due is passed over unless it would change something. So a year without records costs as much as
 * there are dues in it.
 */
import { civilClock } from '../calendar/civil-clock.ts';
import type { Matchers } from '../calendar/valid-list.ts';
import type { ScheduleGroup } from './schedule-groups.ts';
import type { Tasks } from './tasks.ts';
import { Timeline } from './timeline.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export class Derived {
  readonly #tasks: Tasks;
  readonly #matchers: Matchers;
  /** The schedules, by their next due. */
  readonly #dues = new Timeline<ScheduleGroup>();
  #clock = civilClock('UTC');
  /** Everything up to here has been derived. */
  #derivedTo = Number.NaN;
  /** Nothing is to be derived before this. */
  next = Number.NEGATIVE_INFINITY;
  count = 0;

  constructor(tasks: Tasks, matchers: Matchers) {
    this.#tasks = tasks;
    this.#matchers = matchers;
  }

  /** Derivation begins with the minute of the first record. */
  begin(at: number): void {
    const minute = this.#clock.minuteStart(at);
    this.#tasks.begin(minute);
    this.#derivedTo = minute - 1;
    this.next = minute;
  }

  minuteStart(at: number): number {
    return this.#clock.minuteStart(at);
  }

  /** Derives all pulses up to an instant. */
  derive(until: number): void {
    const { pasts } = this.#tasks;
    for (;;) {
      const { restless } = this.#tasks.classes;
      const nextDue = this.#dues.next;
      const minute =
        restless.size === 0 ? nextDue : Math.min(nextDue, this.#clock.nextMinute(this.#derivedTo));
      const retry = pasts.retryDeadlines.next;
      if (Math.min(minute, retry) > until) break;
      const quietTo = Math.min(until, retry) - HOUR_MS;
      if (quietTo - minute > DAY_MS && this.#tasks.isSteady) {
        this.#skipTo(quietTo);
        continue;
      }
      this.count++;
      if (retry < minute) {
        this.#tasks.retryDue(pasts.retryDeadlines.take(), retry);
        continue;
      }
      const due: ScheduleGroup[] = [];
      while (this.#dues.next === minute) due.push(this.#dues.take());
      this.#derivedTo = minute;
      this.#tasks.minute(due, restless, minute);
      for (const group of due) this.#expectDue(group, minute);
    }
    this.#derivedTo = Math.max(this.#derivedTo, until);
    this.expect();
  }

  /** Years of silence, or an instant that is wrong: where only the last pulses matter, the others are not derived. */
  #skipTo(at: number): void {
    this.#derivedTo = at;
    while (this.#dues.next <= at) this.#expectDue(this.#dues.take(), at);
  }

  /** The zone in which minutes begin is that of the last list. */
  setZone(timeZone: string): void {
    const isKnown = this.#matchers.refusal('* * * * *', timeZone) === undefined;
    this.#clock = civilClock(isKnown ? timeZone : 'UTC');
  }

  /** All schedules, by their next due: there are others, or the clock was set. */
  lineUp(now: number, isSetBack = false): void {
    if (isSetBack) this.#derivedTo = now;
    const before = new Map(Array.from(this.#tasks.groups, (group) => [group, this.#dues.of(group)]));
    this.#dues.clear();
    for (const [group, due] of before) {
      if (isSetBack || due === undefined) this.#expectDue(group, now);
      else this.#dues.set(group, due);
    }
    this.expect();
  }

  /** The dues of a schedule up to an instant have been derived. */
  #expectDue(group: ScheduleGroup, derivedTo: number): void {
    const due = group.isAhead ? Number.POSITIVE_INFINITY : group.dueAfter(derivedTo);
    if (Number.isFinite(due)) this.#dues.set(group, due);
  }

  /** When there is something to derive again. */
  expect(): void {
    this.next = Math.min(this.#clock.nextMinute(this.#derivedTo), this.#tasks.pasts.retryDeadlines.next);
  }
}

/**
 * Derives what a trace does not record (T13): the starts of civil minutes, with what is due, and the retries. They come in the
 * order of time, and those of one instant before its records; minutes before retries.
 *
 * A minute in which nothing is due is passed over unless it would change something. So a year without records costs as much as
 * there are dues in it.
 */
import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import { type Matchers, scheduleKey } from '../calendar/valid-list.ts';
import type { Group } from './classes.ts';
import type { ScheduleGroup } from './schedule-groups.ts';
import type { Tasks } from './tasks.ts';
import { type Coming, Timeline } from './timeline.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Every minute of a zone. */
const minutesOf = (matchers: Matchers, timeZone: string): MinuteMatcher =>
  matchers.of(scheduleKey('* * * * *', timeZone));

export class Derived {
  readonly #tasks: Tasks;
  readonly #matchers: Matchers;
  /** The schedules, by their next due. */
  readonly #dues = new Timeline<ScheduleGroup>();
  #minutes: MinuteMatcher;
  /** Everything up to here has been derived. */
  #derivedTo = Number.NaN;
  /** Nothing is to be derived before this. */
  next = Number.NEGATIVE_INFINITY;
  count = 0;

  constructor(tasks: Tasks, matchers: Matchers) {
    this.#tasks = tasks;
    this.#matchers = matchers;
    this.#minutes = minutesOf(matchers, 'UTC');
  }

  /** Derivation begins with the minute of the first record. */
  begin(at: number): void {
    const minute = this.#minutes.minuteStart(at);
    this.#tasks.begin(minute);
    this.#derivedTo = minute - 1;
    this.next = minute;
  }

  minuteStart(at: number): number {
    return this.#minutes.minuteStart(at);
  }

  /** Derives all pulses up to an instant. */
  derive(until: number): void {
    const { pasts } = this.#tasks;
    for (;;) {
      const { restless } = this.#tasks;
      const nextDue = this.#dues.next;
      const minute =
        restless.size === 0 ? nextDue : Math.min(nextDue, this.#minutes.nextMinute(this.#derivedTo));
      const retry = pasts.retryDeadlines.next;
      if (Math.min(minute, retry) > until) break;
      const quietTo = Math.min(until, retry) - HOUR_MS;
      if (quietTo - minute > DAY_MS && this.#tasks.isSteady) {
        this.#skipTo(quietTo);
        continue;
      }
      this.count++;
      if (retry < minute) this.#tasks.retryDue(pasts.retryDeadlines.take(), retry);
      else this.#minute(restless, minute);
    }
    this.#derivedTo = Math.max(this.#derivedTo, until);
    this.expect();
  }

  /** Years of silence, or an instant that is wrong: where only the last pulses matter, the others are not derived. */
  #skipTo(at: number): void {
    this.#derivedTo = at;
    while (this.#dues.next <= at)
      for (const group of this.#takeDue(this.#dues.next)) this.#expectDue(group, at);
  }

  #minute(restless: ReadonlySet<Group>, at: number): void {
    const due = this.#takeDue(at);
    this.#derivedTo = at;
    const groups = due.length === 0 ? restless : new Set<Group>([...due, ...restless]);
    this.#tasks.minute(groups, (group) => group.nextDue === at, at);
    for (const group of due) this.#expectDue(group, at);
  }

  /** The zone in which minutes begin is that of the last list. */
  setZone(timeZone: string): void {
    this.#minutes = minutesOf(
      this.#matchers,
      this.#matchers.refusal('* * * * *', timeZone) === undefined ? timeZone : 'UTC',
    );
  }

  /** All schedules, by their next due: there are others, or the clock was set. */
  lineUp(now: number, isSetBack = false): void {
    if (isSetBack) this.#derivedTo = now;
    const coming: Coming<ScheduleGroup>[] = [];
    for (const group of this.#tasks.groups) {
      if (group.isAhead) continue;
      if (isSetBack || !Number.isFinite(group.nextDue)) group.nextDue = group.dueAfter(now);
      if (Number.isFinite(group.nextDue)) coming.push({ at: group.nextDue, what: group });
    }
    this.#dues.replace(coming);
    this.expect();
  }

  /** The dues of a schedule up to an instant have been derived. */
  #expectDue(group: ScheduleGroup, derivedTo: number): void {
    group.nextDue = group.dueAfter(derivedTo);
    if (Number.isFinite(group.nextDue)) this.#dues.add(group.nextDue, group);
  }

  /** The groups that are due next, at an instant. */
  #takeDue(at: number): readonly ScheduleGroup[] {
    const due: ScheduleGroup[] = [];
    for (let { first } = this.#dues; first?.at === at; first = this.#dues.first) {
      due.push(first.what);
      this.#dues.drop();
    }
    return due;
  }

  /** When there is something to derive again. */
  expect(): void {
    this.next = Math.min(this.#minutes.nextMinute(this.#derivedTo), this.#tasks.pasts.retryDeadlines.next);
  }
}

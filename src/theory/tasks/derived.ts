/**
 * Derives what a trace does not record (T13): the starts of civil minutes, with what is due, and the retries. They come in the
 * order of time, and those of one instant before its records; minutes before retries.
 *
 * A minute in which nothing is due is passed over unless it would change something: so a year without records costs as much as
 * there are dues in it.
 */

import type { MinuteMatcher } from '../calendar/minute-matcher.ts';
import { type Matchers, scheduleKey } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import type { Group } from './classes.ts';
import type { Cursors } from './clock-back.ts';
import type { Population } from './population.ts';
import { Retries, type RetryPulse } from './retries.ts';
import type { ScheduleGroup } from './schedule-groups.ts';
import { type Coming, Timeline } from './timeline.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export class Pulses {
  readonly #population: Population;
  readonly #matchers: Matchers;
  readonly #cursors: Cursors;
  readonly retries = new Retries();
  /** The schedules, by their next due. */
  readonly #dues = new Timeline<ScheduleGroup>();
  /** Every minute of the zone. */
  #minutes: MinuteMatcher;
  /** Everything up to here has been derived. */
  #derivedTo = Number.NaN;
  /** Nothing is to be derived before this. */
  next = Number.NEGATIVE_INFINITY;
  count = 0;

  constructor(population: Population, matchers: Matchers, cursors: Cursors) {
    this.#population = population;
    this.#matchers = matchers;
    this.#cursors = cursors;
    this.#minutes = this.#minutesOf('UTC');
  }

  #minutesOf(timeZone: string): MinuteMatcher {
    return this.#matchers.of(scheduleKey('* * * * *', timeZone));
  }

  /** Derivation begins with the minute of the first record. */
  begin(at: number): void {
    const minute = this.#minutes.minuteStart(at);
    this.#population.begin(minute);
    this.#derivedTo = minute - 1;
    this.next = minute;
  }

  minuteStart(at: number): number {
    return this.#minutes.minuteStart(at);
  }

  /** Derives all pulses up to an instant. `retryDue` is told of each retry. */
  derive(until: number, retryDue: (pulse: RetryPulse, at: number) => void): void {
    for (;;) {
      const { restless } = this.#population;
      const nextDue = this.#dues.next;
      const minute =
        restless.size === 0 ? nextDue : Math.min(nextDue, this.#minutes.nextMinute(this.#derivedTo));
      const retry = this.retries.next;
      const maybeDue = this.#cursors.nextMaybeDue;
      if (maybeDue !== undefined && maybeDue.at <= Math.min(minute, retry, until)) {
        this.#cursors.toldMaybeDue(maybeDue.what);
        this.#population.maybe(maybeDue.what, bits.MinuteStart | bits.Due, maybeDue.at);
        continue;
      }
      if (Math.min(minute, retry) > until) break;
      const quietTo = Math.min(until, retry) - HOUR_MS;
      if (quietTo - minute > DAY_MS && this.#isSteady()) {
        this.#skipTo(quietTo);
        continue;
      }
      this.count++;
      if (retry < minute) retryDue(this.retries.take(), retry);
      else this.#minute(restless, minute);
    }
    this.#derivedTo = Math.max(this.#derivedTo, until);
    this.#schedule();
  }

  #isSteady(): boolean {
    for (const group of this.#population.groups) if (!this.#population.isSteady(group)) return false;
    return true;
  }

  /** Years of silence, or an instant that is wrong: where only the last pulses matter, the others are not derived. */
  #skipTo(at: number): void {
    this.#derivedTo = at;
    while (this.#dues.next <= at) for (const group of this.#takeDue(this.#dues.next)) this.#expect(group, at);
  }

  #minute(restless: ReadonlySet<Group>, at: number): void {
    const due = this.#takeDue(at);
    this.#derivedTo = at;
    this.#population.minute(new Set<Group>([...due, ...restless]), (group) => group.nextDue === at, at);
    for (const group of due) this.#expect(group, at);
  }

  /** A retry that comes due now, directly after its failure (T13), or later. */
  retry(task: number, at: number, delayMs: number): void {
    this.retries.set(task, at, delayMs);
    this.next = Math.min(this.next, at);
  }

  /** Other schedules, another zone. */
  reschedule(timeZone: string, now: number): void {
    this.#minutes = this.#minutesOf(timeZone);
    this.#lineUp((group) => (Number.isFinite(group.nextDue) ? group.nextDue : group.dueAfter(now)));
    this.#schedule();
  }

  /** A schedule has come into use. */
  include(group: ScheduleGroup, now: number): void {
    if (!Number.isFinite(group.nextDue) && !group.sitsOut) this.#expect(group, now);
  }

  /** The clock was set back, and landed somewhere. */
  setClock(landedAt: number): void {
    this.#derivedTo = landedAt;
    this.#lineUp((group) => group.dueAfter(landedAt));
    this.#schedule();
  }

  /** All schedules, by their next due. */
  #lineUp(nextDueOf: (group: ScheduleGroup) => number): void {
    const coming: Coming<ScheduleGroup>[] = [];
    // Whoever is back in is no longer one of the groups.
    for (const group of [...this.#population.groups]) {
      if (group.sitsOut) continue;
      group.nextDue = nextDueOf(group);
      this.#population.rejoin(group);
      if (Number.isFinite(group.nextDue)) coming.push({ at: group.nextDue, what: group });
    }
    this.#dues.replace(coming);
  }

  /** The dues of a schedule up to an instant have been derived. */
  #expect(group: ScheduleGroup, derivedTo: number): void {
    group.nextDue = group.dueAfter(derivedTo);
    this.#population.rejoin(group);
    if (Number.isFinite(group.nextDue)) this.#dues.add(group.nextDue, group);
  }

  /** The groups that are due next, at an instant. */
  #takeDue(at: number): readonly ScheduleGroup[] {
    const due: ScheduleGroup[] = [];
    for (let first = this.#dues.first; first?.at === at; first = this.#dues.first) {
      due.push(first.what);
      this.#dues.drop();
    }
    return due;
  }

  #schedule(): void {
    this.next = Math.min(this.#minutes.nextMinute(this.#derivedTo), this.retries.next);
  }
}

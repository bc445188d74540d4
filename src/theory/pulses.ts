/**
 * Derives what a trace does not record (T13): the starts of civil minutes, with what is due, and the retries. They come in the
 * order of time, and those of one instant before its records; minutes before retries.
 *
 * A minute in which nothing is due is passed over unless it would change something: so a year without records costs as much as
 * there are dues in it.
 */
import { bits } from './alphabet.ts';
import type { Cursors } from './clock-back.ts';
import type { Population } from './population.ts';
import { type Matchers, scheduleKey } from './registrations.ts';
import { Retries, type RetryPulse } from './retries.ts';
import type { ScheduleGroup } from './schedule-groups.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const never = Number.POSITIVE_INFINITY;

export class Pulses {
  readonly #population: Population;
  readonly #matchers: Matchers;
  readonly #cursors: Cursors;
  readonly retries = new Retries();
  #timeZone = 'UTC';
  /** Everything up to here has been derived. */
  #derivedTo = Number.NaN;
  /** Nothing is to be derived before this. */
  next = Number.NEGATIVE_INFINITY;
  count = 0;

  constructor(population: Population, matchers: Matchers, cursors: Cursors) {
    this.#population = population;
    this.#matchers = matchers;
    this.#cursors = cursors;
  }

  get #minutes() {
    return this.#matchers.of(scheduleKey('* * * * *', this.#timeZone));
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
      const groups = [...this.#population.groups];
      const restless = groups.filter((group) => this.#population.isRestless(group));
      const nextDue = groups.reduce((next, group) => Math.min(next, group.nextDue), never);
      const minute =
        restless.length === 0 ? nextDue : Math.min(nextDue, this.#minutes.nextMinute(this.#derivedTo));
      const retry = this.retries.next;
      const maybeDue = this.#cursors.nextMaybeDue;
      if (maybeDue !== undefined && maybeDue.at <= Math.min(minute, retry, until)) {
        this.#cursors.toldMaybeDue(maybeDue.task);
        this.#population.maybe(maybeDue.task, bits.MinuteStart | bits.Due, maybeDue.at);
        continue;
      }
      if (Math.min(minute, retry) > until) break;
      const quietTo = Math.min(until, retry) - HOUR_MS;
      if (quietTo - minute > DAY_MS && groups.every((group) => this.#population.isSteady(group))) {
        this.#skipTo(quietTo);
        continue;
      }
      this.count++;
      if (retry < minute) retryDue(this.retries.take(), retry);
      else this.#minute(groups, restless, minute);
    }
    this.#derivedTo = Math.max(this.#derivedTo, until);
    this.#schedule();
  }

  /** Years of silence, or an instant that is wrong: where only the last pulses matter, the others are not derived. */
  #skipTo(at: number): void {
    this.#derivedTo = at;
    for (const group of this.#population.groups)
      if (group.nextDue <= at) group.nextDue = group.matcher?.next(at) ?? never;
  }

  #minute(groups: readonly ScheduleGroup[], restless: readonly ScheduleGroup[], at: number): void {
    const due = groups.filter((group) => group.nextDue === at);
    this.#derivedTo = at;
    this.#population.minute(new Set([...due, ...restless]), (group) => group.nextDue === at, at);
    for (const group of due) group.nextDue = group.matcher?.next(at) ?? never;
  }

  /** A retry that comes due now, directly after its failure (T13), or later. */
  retry(task: number, at: number, delayMs: number): void {
    this.retries.set(task, at, delayMs);
    this.next = Math.min(this.next, at);
  }

  /** Other schedules, another zone. */
  reschedule(timeZone: string, now: number): void {
    this.#timeZone = timeZone;
    for (const group of this.#population.groups) this.include(group, now);
    this.#schedule();
  }

  /** A schedule has come into use. */
  include(group: ScheduleGroup, now: number): void {
    if (!Number.isFinite(group.nextDue)) group.nextDue = firstDue(group, now);
  }

  /** The clock was set back, and landed somewhere. */
  setClock(landedAt: number): void {
    this.#derivedTo = landedAt;
    for (const group of this.#population.groups) group.nextDue = firstDue(group, landedAt);
    this.#schedule();
  }

  #schedule(): void {
    this.next = Math.min(this.#minutes.nextMinute(this.#derivedTo), this.retries.next);
  }
}

const firstDue = ({ matcher, notBefore }: ScheduleGroup, now: number): number =>
  matcher?.next(Math.max(now, notBefore)) ?? never;

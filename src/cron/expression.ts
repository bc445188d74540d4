/** `parseCron`: a cron expression in a zone, with `Date` in and out. */
import { CronCalculationError, describeValue, InvalidCronExpressionError, visible } from '../errors.ts';
import type { ClockChange } from '../time/clock-change.ts';
import { hostNow, hostZoneName } from '../time/host.ts';
import { type Zone, zoneOf } from '../time/zone.ts';
import { type ClockEffect, effectOf } from './clock-effect.ts';
import { compile, isSatisfiable } from './compile.ts';
import { describeSchedule, describeTimes } from './describe.ts';
import { matchesAt, nextDue, previousDue } from './due.ts';
import { refusal } from './refuse.ts';
import type { Schedule } from './schedule.ts';

/** How an expression is to be read. */
export interface CronOptions {
  /** An IANA name such as `Europe/Stockholm`. The host's zone by default, read now. */
  readonly timeZone?: string | undefined;
}

/** A parsed expression. Immutable; make one and keep it. */
export interface CronExpression {
  /** The text as it was given. */
  readonly expression: string;
  /** The IANA name of the zone in which it is read: the one that was given, with its letter case put right. */
  readonly timeZone: string;
  /** The first due instant strictly after another. Throws {@link CronCalculationError} where `Date` ends. */
  next(after: Date): Date;
  /** The last due instant at or before another. Throws {@link CronCalculationError} where `Date` ends. */
  previous(at: Date): Date;
  /** Whether the civil minute that holds an instant matches; seconds do not count. */
  matches(at: Date): boolean;
  /** All due instants strictly after another, in order; lazily, so take as many as you want. */
  occurrences(after: Date): IteratorObject<Date, undefined>;
  /** What a change of the clock does to it: which of its minutes are skipped, or come twice. `clockChanges` finds the changes. */
  effectOf(change: ClockChange): ClockEffect;
  /**
   * In plain English, with what the next two clock changes after `from` (by default now) do to it; or with `only: 'times'` just when it is
   * due, without the zone: "At 02:30 every day".
   */
  describe(options?: { readonly from?: Date | undefined; readonly only?: 'times' | undefined }): string;
}

/**
 * Reads a POSIX cron expression. Throws {@link InvalidCronExpressionError}, or {@link UnknownTimeZoneError}, or, if no zone is
 * given and the host's zone has no name, {@link HostTimeZoneError}.
 */
export function parseCron(expression: string, options?: CronOptions): CronExpression {
  if (typeof expression !== 'string') {
    throw new TypeError(
      `A cron expression is a string such as "0 6 * * 1-5"; got ${describeValue(expression)}`,
    );
  }
  const timeZone = (options === undefined ? undefined : timeZoneOf(options)) ?? hostZoneName();
  return new ZonedSchedule(expression, parseSchedule(expression), zoneOf(timeZone));
}

/** A misspelt option would quietly mean the host's zone, and a job at the wrong hour: so nothing unknown is passed over. */
function timeZoneOf(options: CronOptions): string | undefined {
  const example = '{ timeZone: "Europe/Stockholm" }';
  if (typeof options !== 'object' || options === null) {
    throw new TypeError(`The options are an object such as ${example}; got ${describeValue(options)}`);
  }
  const unknown = Object.keys(options).find((key) => key !== 'timeZone');
  if (unknown !== undefined) {
    throw new TypeError(`There is no option "${visible(unknown, 64)}"; write ${example}`);
  }
  const { timeZone } = options;
  if (timeZone !== undefined && typeof timeZone !== 'string') {
    throw new TypeError(
      `timeZone is an IANA name such as "Europe/Stockholm"; got ${describeValue(timeZone)}`,
    );
  }
  return timeZone;
}

/** The compiled form alone. It knows no zone, so everything that has the same text may share it. */
export function parseSchedule(expression: string): Schedule {
  const schedule = compile(expression);
  if (schedule === undefined || !isSatisfiable(schedule)) throw refusal(expression);
  return schedule;
}

class ZonedSchedule implements CronExpression {
  readonly expression: string;
  readonly #schedule: Schedule;
  readonly #zone: Zone;

  constructor(expression: string, schedule: Schedule, zone: Zone) {
    this.expression = expression;
    this.#schedule = schedule;
    this.#zone = zone;
  }

  get timeZone(): string {
    return this.#zone.name;
  }

  next(after: Date): Date {
    const due = nextDue(this.#schedule, this.#zone, instantOf(after));
    if (due === Number.POSITIVE_INFINITY) throw this.#noneLeft(after, 'after');
    return new Date(due);
  }

  previous(at: Date): Date {
    const due = previousDue(this.#schedule, this.#zone, instantOf(at));
    if (due === Number.NEGATIVE_INFINITY) throw this.#noneLeft(at, 'at or before');
    return new Date(due);
  }

  matches(at: Date): boolean {
    return matchesAt(this.#schedule, this.#zone, instantOf(at));
  }

  occurrences(after: Date): Generator<Date, undefined> {
    return this.#dueAfter(instantOf(after));
  }

  /** Apart from the method above, which so looks at its argument when it is called, not when it is first iterated. */
  *#dueAfter(after: number): Generator<Date, undefined> {
    let due = nextDue(this.#schedule, this.#zone, after);
    for (; due !== Number.POSITIVE_INFINITY; due = nextDue(this.#schedule, this.#zone, due))
      yield new Date(due);
    return undefined;
  }

  effectOf(change: ClockChange): ClockEffect {
    return effectOf(this.#schedule, change);
  }

  describe({
    from,
    only,
  }: {
    readonly from?: Date | undefined;
    readonly only?: 'times' | undefined;
  } = {}): string {
    if (only === 'times') return describeTimes(this.#schedule);
    return describeSchedule(this.#schedule, this.#zone, from === undefined ? hostNow() : instantOf(from));
  }

  #noneLeft(at: Date, where: string): CronCalculationError {
    const time = at.toISOString();
    const cause = new RangeError(`there is no due instant ${where} ${time} that a Date can hold`);
    return new CronCalculationError(this.expression, time, cause);
  }
}

function instantOf(date: Date): number {
  if (!(date instanceof Date) && Object.prototype.toString.call(date) !== '[object Date]') {
    throw new TypeError(`An instant is a Date; got ${describeValue(date)}`);
  }
  const instant = date.getTime();
  if (Number.isNaN(instant)) throw new RangeError('An instant is a valid Date; got an Invalid Date');
  return instant;
}

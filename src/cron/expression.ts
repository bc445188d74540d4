/** `parseCron`: a cron expression in a zone, with `Date` in and out. */
import { CronCalculationError, InvalidCronExpressionError } from '../errors.ts';
import { hostNow, hostZoneName } from '../time/host.ts';
import { type Zone, zoneOf } from '../time/zone.ts';
import { compile, isSatisfiable } from './compile.ts';
import { describeSchedule } from './describe.ts';
import { matchesAt, nextDue, previousDue } from './due.ts';
import { refusal } from './refuse.ts';
import type { Schedule } from './schedule.ts';

export interface CronOptions {
  /** An IANA name such as `Europe/Stockholm`. The host's zone by default, read now. */
  readonly timeZone?: string;
}

/** A parsed expression. Immutable; make one and keep it. */
export interface CronExpression {
  /** The text as it was given. */
  readonly expression: string;
  /** The IANA name of the zone in which it is read. */
  readonly timeZone: string;
  /** The first due instant strictly after another. Throws {@link CronCalculationError} where `Date` ends. */
  next(after: Date): Date;
  /** The last due instant at or before another. Throws {@link CronCalculationError} where `Date` ends. */
  previous(at: Date): Date;
  /** Whether the civil minute that holds an instant matches; seconds do not count. */
  matches(at: Date): boolean;
  /** All due instants strictly after another, in order; lazily, so take as many as you want. */
  occurrences(after: Date): IteratorObject<Date, undefined>;
  /** In plain English, with what the next two clock changes after `from` (by default now) do to it. */
  describe(options?: { readonly from?: Date }): string;
}

/** Reads a POSIX cron expression. Throws {@link InvalidCronExpressionError}, or {@link UnknownTimeZoneError}. */
export function parseCron(expression: string, options: CronOptions = {}): CronExpression {
  if (typeof expression !== 'string') {
    throw new TypeError(`A cron expression is a string such as "0 6 * * 1-5"; got ${kindOf(expression)}`);
  }
  const { timeZone = hostZoneName() } = options;
  if (typeof timeZone !== 'string') {
    throw new TypeError(`timeZone is an IANA name such as "Europe/Stockholm"; got ${kindOf(timeZone)}`);
  }
  return new ZonedSchedule(expression, parseSchedule(expression), zoneOf(timeZone));
}

/** The compiled form alone. It knows no zone and may be shared by everybody who has the same text. */
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

  *occurrences(after: Date): Generator<Date, undefined> {
    let due = nextDue(this.#schedule, this.#zone, instantOf(after));
    for (; due !== Number.POSITIVE_INFINITY; due = nextDue(this.#schedule, this.#zone, due))
      yield new Date(due);
    return undefined;
  }

  describe({ from }: { readonly from?: Date } = {}): string {
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
    throw new TypeError(`An instant is a Date; got ${kindOf(date)}`);
  }
  const instant = date.getTime();
  if (Number.isNaN(instant)) throw new RangeError('An instant is a valid Date; got an Invalid Date');
  return instant;
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

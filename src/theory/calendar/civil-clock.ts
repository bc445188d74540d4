/**
 * What the clocks on the walls of a zone show, as `Intl` has it. This is the oracle's own reading of time: it shares no
 * code with the scheduler's, or a mistake of the scheduler's would be the oracle's too and never be found.
 *
 * Time is cut into stretches in which the offset from UTC is constant, so that a local time is an instant plus a number.
 * A stretch is a UTC day, or a part of one if the clocks change on it. A day at whose two ends the offset is the same has
 * it throughout: no zone changes its clocks twice within six days.
 */

const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Where the last whole day ends that a `Date` can hold. The first one begins as far away from 1970. */
export const END_OF_TIME = 8.64e15;

/** Days kept a zone: eleven years and more. What is beyond is asked for again, which costs microseconds. */
const MAX_DAYS = 4096;
/** Names kept: there are fewer, but the letter case is free. */
const MAX_NAMES = 2048;

/** From `start` to before `end` the clocks show the instant plus `offset`; all in milliseconds. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
  readonly offset: number;
}

export class CivilClock {
  readonly #format: Intl.DateTimeFormat;
  readonly #days = new Map<number, readonly Stretch[]>();
  /** Most questions are about the same day again. */
  #latest: Stretch = { start: 0, end: 0, offset: 0 };

  constructor(timeZone: string) {
    try {
      // Intl would take undefined for the zone of the host, and the verdict would depend on the machine.
      if (typeof timeZone !== 'string') throw new TypeError('a zone is a string');
      const options = { timeZone, timeZoneName: 'longOffset', hour: 'numeric' } as const;
      this.#format = new Intl.DateTimeFormat('en-US', options);
    } catch (cause) {
      throw new Error(`Not a time zone that Intl knows: ${JSON.stringify(timeZone)}`, { cause });
    }
  }

  stretchAt(at: number): Stretch {
    const latest = this.#latest;
    if (at >= latest.start && at < latest.end) return latest;
    if (!(at >= -END_OF_TIME && at < END_OF_TIME)) throw new RangeError(`${at} is not an instant of a Date`);
    const day = Math.floor(at / DAY_MS);
    const stretches = this.#days.get(day) ?? this.#keep(day);
    let position = 0;
    while (at >= stretches[position].end) position++;
    this.#latest = stretches[position];
    return this.#latest;
  }

  /**
   * The first instant of the civil minute that holds an instant: the one at which it shows second 0, or, if a change of
   * the clocks led into the middle of the minute, that change.
   */
  minuteStart(at: number): number {
    const { start, offset } = this.stretchAt(at);
    const minute = Math.floor((at + offset) / MINUTE_MS);
    const began = minute * MINUTE_MS - offset;
    if (began >= start || start === -END_OF_TIME) return began;
    // With an offset that is not whole minutes, a minute may well have begun on the day before.
    const before = start - 1;
    const minuteBefore = Math.floor((before + this.stretchAt(before).offset) / MINUTE_MS);
    return minuteBefore === minute ? this.minuteStart(before) : start;
  }

  #keep(day: number): readonly Stretch[] {
    if (this.#days.size >= MAX_DAYS) this.#days.clear();
    const stretches = this.#survey(day * DAY_MS, (day + 1) * DAY_MS);
    this.#days.set(day, stretches);
    return stretches;
  }

  #survey(from: number, to: number): readonly Stretch[] {
    const stretches: Stretch[] = [];
    const last = this.#offsetAt(to);
    let start = from;
    let offset = this.#offsetAt(from);
    while (offset !== last) {
      const end = this.#changeAfter(start, offset);
      stretches.push({ start, end, offset });
      start = end;
      offset = this.#offsetAt(start);
    }
    if (start < to) stretches.push({ start, end: to, offset });
    return stretches;
  }

  /** The first instant after `from` whose offset is another, by looking every hour, then every minute, then every second. */
  #changeAfter(from: number, offset: number): number {
    for (const step of [HOUR_MS, MINUTE_MS, SECOND_MS]) {
      while (this.#offsetAt(from + step) === offset) from += step;
    }
    return from + SECOND_MS;
  }

  #offsetAt(at: number): number {
    const text = this.#format.format(at);
    const shown = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text);
    if (shown === null) throw new Error(`Intl writes an offset from UTC as ${JSON.stringify(text)}`);
    const [, sign, hours = 0, minutes = 0, seconds = 0] = shown;
    const offset = Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS + Number(seconds) * SECOND_MS;
    return sign === '-' ? -offset : offset;
  }
}

const clocks = new Map<string, CivilClock>();

/** The clock of a zone, one for everybody who asks for it by the same name. */
export function civilClock(timeZone: string): CivilClock {
  const clock = clocks.get(timeZone) ?? new CivilClock(timeZone);
  if (clocks.size >= MAX_NAMES) clocks.clear();
  clocks.set(timeZone, clock);
  return clock;
}

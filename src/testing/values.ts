/** Checks the values that a test gives its clock, before anything moves. An error says what to write instead. */
import { describeValue as shown } from '../errors.ts';
import { LONGEST_TIMER_MS } from '../time/clock.ts';
import { type Duration, toMilliseconds } from '../time/duration.ts';

/** How far a `Date` reaches from 1970, in both directions. */
const FURTHEST_MS = 8.64e15;

/** A length of time that can pass, in whole milliseconds. */
export function durationOf(method: string, value: Duration): number {
  const ms = lengthOf(method, value, 'a duration, such as minutes(5) or days(7)');
  if (ms >= 0) return ms;
  throw new RangeError(
    `${method}: time only passes forward; got ${shown(value)}. To set the wall clock back, write clock.step(-hours(1))`,
  );
}

/** A number of milliseconds by which the wall clock can be set, forward or back. */
export function stepOf(now: number, value: unknown): number {
  if (typeof value !== 'number')
    throw new TypeError(`step takes milliseconds, such as hours(1) or -hours(1); got ${shown(value)}`);
  const ms = lengthOf('step', value, 'milliseconds, such as hours(1) or -hours(1)');
  if (Math.abs(now + ms) <= FURTHEST_MS) return ms;
  throw new RangeError(`step: no calendar reaches so far; got ${shown(value)}`);
}

function lengthOf(method: string, value: unknown, what: string): number {
  const ms = toMilliseconds(value);
  if (ms === undefined) {
    const kind = typeof value === 'number' ? RangeError : TypeError;
    throw new kind(`${method} takes ${what}; got ${shown(value)}`);
  }
  if (Number.isSafeInteger(ms)) return ms;
  throw new RangeError(
    `${method} takes whole milliseconds; got ${shown(value)}. Write Math.round(…) around what was calculated`,
  );
}

const HOW = "write it as '2026-03-28T12:00:00Z'";
/** A day, or a day and a time with its offset. A time without an offset would mean something else on every machine. */
const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/;

/** An instant, in epoch milliseconds, from a text or a `Date`. */
export function instantOf(method: string, value: unknown): number {
  if (typeof value === 'string') return instantOfText(method, value);
  if (!(value instanceof Date))
    throw new TypeError(`${method} takes an instant, as a text or a Date; got ${shown(value)}: ${HOW}`);
  const instant = value.getTime();
  if (Number.isNaN(instant)) throw new RangeError(`${method}: the Date is no instant: ${HOW}`);
  return instant;
}

/** The same, or epoch milliseconds. */
export function startOf(value: unknown): number {
  if (typeof value !== 'number') return instantOf('createTestClock', value);
  if (Number.isSafeInteger(value) && Math.abs(value) <= FURTHEST_MS) return value;
  throw new RangeError(`createTestClock: ${value} is no instant in whole epoch milliseconds: ${HOW}`);
}

function instantOfText(method: string, text: string): number {
  const [whole, year, month, day, offset] = ISO.exec(text) ?? [];
  if (whole === undefined) throw new RangeError(`${method}: ${shown(text)} is no instant: ${HOW}`);
  if (whole.includes('T') && offset === undefined)
    throw new RangeError(`${method}: ${shown(text)} has no offset, so it depends on the machine: ${HOW}`);
  // `Date` reads 30 February as 2 March.
  const isInCalendar =
    new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  const instant = Date.parse(text);
  if (!isInCalendar || Number.isNaN(instant))
    throw new RangeError(`${method}: ${shown(text)} is in no calendar: ${HOW}`);
  return instant;
}

/** How long the clock waits for real work, in real milliseconds. */
export function patienceOf(value: unknown): number {
  const count = toMilliseconds(value);
  if (count !== undefined && count >= 0 && count <= LONGEST_TIMER_MS) return count;
  throw new RangeError(
    `createTestClock: patience is how long of real time a busy callback is waited for, such as seconds(3); got ${shown(value)}`,
  );
}

/**
 * The grammar of POSIX cron (C1), one pass over the characters, nothing allocated but the result.
 *
 *     expression = SP* minute SP+ hour SP+ day SP+ month SP+ weekday SP*      SP     = " " | "\t"
 *     field      = "*" | element ("," element)*                               number = DIGIT+
 *     element    = number | number "-" number
 *
 * This side only says yes or no. `refuse.ts` says why an expression is refused, and what to write instead.
 */
import { DAY, type Field, HOUR, MAX_LENGTH, MINUTE, MONTH, WEEKDAY } from './fields.ts';
import { ALL_DAYS, type Schedule } from './schedule.ts';

const TAB = 9;
const SPACE = 32;
const STAR = 42;
const COMMA = 44;
const MINUS = 45;
const ZERO = 48;
/** Not a set of values, since those have at most 31 bits. */
const INVALID = -1;

/** The schedule of an expression, or undefined if it is not POSIX cron. It may be one that never comes: see `isSatisfiable`. */
export function compile(expression: string): Schedule | undefined {
  if (expression.length > MAX_LENGTH) return undefined;
  let start = skipBlanks(expression, 0);
  let end = skipField(expression, start);
  const minutesLow = readField(expression, start, end, MINUTE, 0, 29);
  const minutesHigh = readField(expression, start, end, MINUTE, 30, 59);
  start = skipBlanks(expression, end);
  end = skipField(expression, start);
  const hours = readField(expression, start, end, HOUR, 0, 23);
  start = skipBlanks(expression, end);
  end = skipField(expression, start);
  const anyDay = isStar(expression, start, end);
  const days = readField(expression, start, end, DAY, 1, 31);
  start = skipBlanks(expression, end);
  end = skipField(expression, start);
  const months = readField(expression, start, end, MONTH, 0, 12);
  start = skipBlanks(expression, end);
  end = skipField(expression, start);
  const anyWeekday = isStar(expression, start, end);
  const weekdays = readField(expression, start, end, WEEKDAY, 0, 6);

  // INVALID has all bits set, the sign too, and nothing else has.
  if ((minutesLow | minutesHigh | hours | days | months | weekdays) < 0) return undefined;
  if (skipBlanks(expression, end) !== expression.length) return undefined;
  return {
    minutesLow,
    minutesHigh,
    hours,
    days: anyDay ? (anyWeekday ? ALL_DAYS : 0) : days,
    months,
    weekdays: anyWeekday ? 0 : weekdays,
  };
}

/** Whether a schedule is ever due (C3): some chosen month must have some chosen day, unless weekdays are chosen too. */
export function isSatisfiable({ days, months, weekdays }: Schedule): boolean {
  const inFebruary = 0x1fffffff;
  const inShortMonths = 0x3fffffff;
  const shortMonths = (1 << 4) | (1 << 6) | (1 << 9) | (1 << 11);
  const february = 1 << 2;
  if (weekdays !== 0) return true;
  if ((months & ~(february | shortMonths)) !== 0) return true;
  return (days & ((months & shortMonths) !== 0 ? inShortMonths : inFebruary)) !== 0;
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function skipBlanks(text: string, from: number): number {
  let position = from;
  while (position < text.length && isBlank(text.charCodeAt(position))) position++;
  return position;
}

function skipField(text: string, from: number): number {
  let position = from;
  while (position < text.length && !isBlank(text.charCodeAt(position))) position++;
  return position;
}

const isStar = (text: string, start: number, end: number): boolean =>
  end - start === 1 && text.charCodeAt(start) === STAR;

/** The values of a field that lie in `base` to `top`, bit 0 for `base`; INVALID if any of the field is wrong. */
function readField(
  text: string,
  start: number,
  end: number,
  { min, max }: Field,
  base: number,
  top: number,
): number {
  if (isStar(text, start, end)) return rangeBits(min, max, base, top);
  let bits = 0;
  let position = start;
  for (;;) {
    const lowEnd = skipDigits(text, position, end);
    const isRange = lowEnd < end && text.charCodeAt(lowEnd) === MINUS;
    const highEnd = isRange ? skipDigits(text, lowEnd + 1, end) : lowEnd;
    const low = numberAt(text, position, lowEnd);
    const high = isRange ? numberAt(text, lowEnd + 1, highEnd) : low;
    if (low < min || high > max || low > high) return INVALID;
    bits |= rangeBits(low, high, base, top);
    if (highEnd === end) return bits;
    if (text.charCodeAt(highEnd) !== COMMA) return INVALID;
    position = highEnd + 1;
  }
}

function skipDigits(text: string, from: number, end: number): number {
  let position = from;
  while (position < end && (text.charCodeAt(position) - ZERO) >>> 0 <= 9) position++;
  return position;
}

/** The number that stands there; -1, which is in no range, where there are no digits. Past 99 only "too large" matters. */
function numberAt(text: string, start: number, end: number): number {
  if (start === end) return -1;
  let number = 0;
  for (let position = start; position < end && number <= 99; position++) {
    number = number * 10 + text.charCodeAt(position) - ZERO;
  }
  return number;
}

/** The bits of `low` to `high`, as far as they lie in `base` to `top`. */
function rangeBits(low: number, high: number, base: number, top: number): number {
  const first = low < base ? 0 : low - base;
  const last = (high > top ? top : high) - base;
  return last < first ? 0 : (ALL_DAYS >>> (30 - last)) & (ALL_DAYS << first);
}

/** POSIX cron by brute force, for the reference checker: which minutes match, and which lists are valid (C0–C3, D3). */
import type { TracedRegistration } from '../../../src/trace/record.ts';

export const MINUTE_MS = 60_000;

/** Minute, hour, day of month, month, day of week, as a clock on the wall shows them. */
type Fields = readonly [minute: number, hour: number, day: number, month: number, weekday: number];

const bounds: readonly (readonly [low: number, high: number])[] = [
  [0, 59],
  [0, 23],
  [1, 31],
  [1, 12],
  [0, 6],
];

/** The numbers that one field allows; `undefined` if its text is not POSIX. */
function numbersOf(text: string, [low, high]: readonly [number, number]): ReadonlySet<number> | undefined {
  const numbers = new Set<number>();
  if (text === '*') {
    for (let n = low; n <= high; n++) numbers.add(n);
    return numbers;
  }
  for (const element of text.split(',')) {
    const [, from, to = from] = /^(\d+)(?:-(\d+))?$/.exec(element) ?? [];
    if (from === undefined || Number(from) < low || Number(to) > high || Number(from) > Number(to)) return;
    for (let n = Number(from); n <= Number(to); n++) numbers.add(n);
  }
  return numbers;
}

/** An expression, taken apart. */
interface Expression {
  readonly allowed: readonly ReadonlySet<number>[];
  readonly dayRestricted: boolean;
  readonly weekdayRestricted: boolean;
}

const expressions = new Map<string, Expression | undefined>();

function expressionOf(cron: string): Expression | undefined {
  if (!expressions.has(cron)) expressions.set(cron, parsed(cron));
  return expressions.get(cron);
}

function parsed(cron: string): Expression | undefined {
  if (cron.length > 1000) return;
  const texts = cron.split(/[ \t]+/).filter((text) => text !== '');
  if (texts.length !== 5) return;
  const allowed = texts.flatMap((text, field) => numbersOf(text, bounds[field]) ?? []);
  if (allowed.length !== 5) return;
  const expression = { allowed, dayRestricted: texts[2] !== '*', weekdayRestricted: texts[4] !== '*' };
  return isEverDue(expression) ? expression : undefined;
}

const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** C3: a day of the week comes in every month; without one, some month must have one of the days. */
function isEverDue({ allowed, weekdayRestricted }: Expression): boolean {
  if (weekdayRestricted) return true;
  const firstDay = Math.min(...allowed[2]);
  return [...allowed[3]].some((month) => firstDay <= longestMonths[month - 1]);
}

/** C2: the day of the month or of the week, if both are restricted; else both. */
function matches(expression: Expression, fields: Fields): boolean {
  const [minute, hour, day, month, weekday] = expression.allowed.map((set, field) => set.has(fields[field]));
  const either = expression.dayRestricted && expression.weekdayRestricted;
  return minute && hour && month && (either ? day || weekday : day && weekday);
}

const formats = new Map<string, Intl.DateTimeFormat>();
const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

function fieldsAt(at: number, timeZone: string): Fields {
  if (timeZone === 'UTC') {
    const date = new Date(at);
    return [
      date.getUTCMinutes(),
      date.getUTCHours(),
      date.getUTCDate(),
      date.getUTCMonth() + 1,
      date.getUTCDay(),
    ];
  }
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      minute: 'numeric',
      hour: 'numeric',
      day: 'numeric',
      month: 'numeric',
      weekday: 'short',
    });
  formats.set(timeZone, format);
  const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, value]));
  const { minute, hour, day, month, weekday } = parts;
  return [Number(minute), Number(hour), Number(day), Number(month), weekdays.indexOf(weekday)];
}

const answers = new Map<string, Map<string, Map<number, boolean>>>();

const getOrInsert = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
  const known = map.get(key);
  if (known !== undefined) return known;
  const value = make();
  map.set(key, value);
  return value;
};

/** B1: whether the minute that begins at this instant is due. */
export function isDue(cron: string, timeZone: string, minuteStart: number): boolean {
  const ofZone = getOrInsert(answers, timeZone, () => new Map<string, Map<number, boolean>>());
  const known = getOrInsert(ofZone, cron, () => new Map<number, boolean>());
  return getOrInsert(known, minuteStart, () => {
    const expression = expressionOf(cron);
    return expression !== undefined && matches(expression, fieldsAt(minuteStart, timeZone));
  });
}

/** Whether one registration can stand in a valid list, but for names that come twice. */
const isSound = ({ name, cron, retryDelayMs }: TracedRegistration): boolean =>
  name !== '' &&
  name.isWellFormed() &&
  expressionOf(cron) !== undefined &&
  Number.isSafeInteger(retryDelayMs) &&
  retryDelayMs >= 0;

/** The names whose registrations are at fault. A list without any is valid. */
export function faultyNames(list: readonly TracedRegistration[]): ReadonlySet<string> {
  const twice = list.filter(({ name }, index) => list.findIndex((other) => other.name === name) < index);
  return new Set([...twice, ...list.filter((one) => !isSound(one))].map(({ name }) => name));
}

export const isValid = (list: readonly TracedRegistration[]): boolean => faultyNames(list).size === 0;

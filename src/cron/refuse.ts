/**
 * Why an expression is refused, and what to write instead (C4). Only ever called with what `compile` turned down, or
 * what can never be due; being slow is allowed here, being wrong about the reason is not. Every reason is one line and
 * reads on after "<field> field".
 */
import {
  CronCalculationError,
  codePoint,
  FieldParseError,
  InvalidCronExpressionError,
  visible,
} from '../errors.ts';
import { DAY, FIELDS, type Field, HOUR, MACROS, MAX_LENGTH, MONTH, WEEKDAY } from './fields.ts';
import {
  fiveFields,
  hasForeignWeekday,
  isAmbiguousBeside,
  longStepIn,
  readName,
  rewriteCron,
  rewriteField,
} from './rewrite.ts';

/** The error for an expression that is not valid. */
export function refusal(expression: string): InvalidCronExpressionError {
  const whole = problemOfWhole(expression);
  if (whole !== undefined) return withField(expression, 'expression', expression, whole);
  const words = wordsOf(expression);
  for (const [index, field] of FIELDS.entries()) {
    const reason = problemOfField(words[index], field, words);
    if (reason !== undefined) return withField(expression, field.name, words[index], reason);
  }
  return neverDue(expression, words);
}

const wordsOf = (expression: string): string[] => expression.split(/[ \t]+/).filter((word) => word !== '');

function withField(
  expression: string,
  field: string,
  value: string,
  reason: string,
): InvalidCronExpressionError {
  return new InvalidCronExpressionError(expression, field, reason, new FieldParseError(field, value, reason));
}

/** The grammar is kept, but no month that is chosen has a day that is chosen (C3). */
function neverDue(expression: string, words: readonly string[]): InvalidCronExpressionError {
  const months = /[,-]/.test(words[MONTH_INDEX]) ? 'months' : 'month';
  const proof = `day ${clip(words[DAY_INDEX])} does not exist in ${months} ${clip(words[MONTH_INDEX])}`;
  const cause = new CronCalculationError(expression, 'any', new Error(proof));
  return new InvalidCronExpressionError(expression, DAY.name, `is never due: ${proof}`, cause);
}

const DAY_INDEX = FIELDS.indexOf(DAY);
const MONTH_INDEX = FIELDS.indexOf(MONTH);

const ORDER = 'minute hour day month weekday';

function problemOfWhole(expression: string): string | undefined {
  if (expression.length > MAX_LENGTH) {
    return `is ${expression.length} characters long, and ${MAX_LENGTH} is the limit`;
  }
  const words = wordsOf(expression);
  if (words.length === 0) return `is empty; write five fields: ${ORDER}`;
  const strange = /[^\S \t]/.exec(expression);
  if (strange !== null) {
    return `contains ${nameOfBlank(strange[0])}; separate the fields with spaces or tabs${orWrite(rewriteCron(expression))}`;
  }
  if (words[0].startsWith('@')) return problemOfMacro(words);
  if (/^(CRON_)?TZ=/i.test(words[0])) return problemOfPrefix(words);
  if (/^cron\(.*\)$/i.test(expression.trim())) {
    return `is in AWS's cron(), and POSIX cron is five bare fields: ${ORDER}${wholeInstead(expression)}`;
  }
  if (words.length !== FIELDS.length) {
    const count = `has ${words.length} ${words.length === 1 ? 'field' : 'fields'}, and POSIX cron has five: ${ORDER}`;
    const seconds = words.length === 6 && !/^0+$/.test(words[0]) ? ' (no seconds)' : '';
    return count + seconds + wholeInstead(expression);
  }
  return undefined;
}

/** What to write for an expression that has not five fields, or why nothing can be offered. */
function wholeInstead(expression: string): string {
  const fields = fiveFields(expression);
  if (fields !== undefined && /^[\d,-]+$/.test(fields[4]) && hasForeignWeekday(expression, fields)) {
    return '; with "?" the weekday 1 is Sunday to Quartz and Monday to others, so give its name (MON) to learn what to write';
  }
  return orWrite(rewriteCron(expression));
}

/** `CRON_TZ=Europe/Berlin 0 6 * * *`, as cronie and many libraries have it. */
function problemOfPrefix([prefix, ...rest]: readonly string[]): string {
  const zone = prefix.slice(prefix.indexOf('=') + 1);
  const posix = rewriteCron(rest.join(' '));
  const then = posix === undefined ? '' : ` and write ${posix}`;
  return `has a zone in front; give it as the option { timeZone: ${quote(zone)} }${then}`;
}

function problemOfMacro(words: readonly string[]): string {
  const macro = words[0].toLowerCase();
  const posix = words.length === 1 ? MACROS.get(macro) : undefined;
  const advice: Record<string, string> = {
    '@reboot': '; call the work yourself, where your program starts',
    '@every': '; choose the minutes of the hour, such as 0,15,30,45 * * * *',
  };
  const instead = advice[macro] ?? orWrite(posix);
  return `is the macro ${quote(words.join(' '))}, and POSIX cron has no macros${instead}`;
}

/**
 * Why one field is wrong, or undefined if it is not. It reports the first element that is wrong. But if one of them cannot be
 * rewritten, it reports that one, since rewriting the others would not help.
 */
function problemOfField(text: string, field: Field, words: readonly string[]): string | undefined {
  const elements = text.split(',');
  const hopeless = elements.filter((each) => each !== '' && rewriteField(each, field) === undefined);
  for (const element of [...hopeless, ...elements]) {
    const problem = problemOfElement(element, text, field);
    if (problem !== undefined) return problem + fieldInstead(text, field, words);
  }
  return undefined;
}

/** What to write for a field; with a warning where other crons may have meant something else by it. */
function fieldInstead(text: string, field: Field, words: readonly string[]): string {
  const posix = rewriteField(text, field);
  const other = field === DAY ? words[FIELDS.indexOf(WEEKDAY)] : field === WEEKDAY ? words[DAY_INDEX] : '*';
  const caution =
    posix !== undefined && posix !== '*' && isAmbiguousBeside(text, other)
      ? ' (and mind that with day and weekday both given, either is enough)'
      : '';
  return orWrite(posix) + caution;
}

/** Why one element of a list is wrong; the reason depends on what other crons would make of it. */
function problemOfElement(element: string, text: string, field: Field): string | undefined {
  const range = `${field.min}-${field.max}`;
  if (text === '*') return undefined;
  if (element === '') return 'has an empty list element';
  if (/^H(\(.*\))?(\/.*)?$/.test(element)) {
    const what = element.includes('/') ? 'numbers' : 'a number';
    return `has the Jenkins token ${quote(element)}; choose ${what} from ${range} yourself`;
  }
  if (longStepIn(element, field) !== undefined) {
    const values = field.max - field.min + 1;
    return `has the step ${quote(element)}, and the field has only ${values} values, of which cron would take the first alone`;
  }
  if (element.includes('/')) return `has the step ${quote(element)}, and POSIX cron has no steps`;
  if (element === '?') return 'has the Quartz token "?"';
  if (element === '*') return 'has "*" inside a list';
  const name = element.split('-').find((part) => readName(part, field) !== undefined);
  if (name !== undefined) return `has the name ${quote(name)}, and POSIX cron has no names`;
  if (isQuartzDay(element, field)) {
    return `has the Quartz token ${quote(element)}, which POSIX cron cannot say; ${dayAdvice(element, field)}`;
  }
  if (!/^\d+(-\d+)?$/.test(element))
    return `has ${quote(element)}, which is not a decimal number or a range of two`;
  return problemOfNumbers(element, field);
}

/** `L`, `L-3`, `15W`, `LW`, `5L`, `friL`, `5#2`, `mon#1`. */
function isQuartzDay(element: string, field: Field): boolean {
  if (/^(\d*L(-\d+)?|\d*W|LW|\d+#\d+)$/i.test(element)) return true;
  const [, name] = /^([a-z]{3,9})(?:L|#\d+)$/i.exec(element) ?? [];
  return name !== undefined && readName(name, field) !== undefined;
}

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** What the library has for a day that POSIX cannot say: a rule of the task, beside an expression with a star. */
function dayAdvice(element: string, field: Field): string {
  const rule = field === DAY ? lastDay(element) : nthDay(element);
  return rule === undefined
    ? 'choose all the days it may fall on and look at scheduledFor in the callback'
    : `write * and give the task a rule, days: ${rule}`;
}

/** `L`, `L-3`. */
function lastDay(element: string): string | undefined {
  const [whole, before = ''] = /^L(?:-(\d+))?$/i.exec(element) ?? [];
  return whole === undefined || Number(before) > 30 ? undefined : `lastDayOfMonth(${before})`;
}

/** `5#2`, `mon#1`, `5L`, `friL`. Digits are read as POSIX does; Quartz counts from 1 for Sunday. */
function nthDay(element: string): string | undefined {
  const [, day = '', nth] = /^(\d|[a-z]{3,9}?)(?:#([1-5])|L)$/i.exec(element) ?? [];
  const weekday = readName(day, WEEKDAY) ?? (/^[0-7]$/.test(day) ? Number(day) % 7 : undefined);
  if (weekday === undefined) return undefined;
  const caution = /\d/.test(day)
    ? ` (${day} is ${WEEKDAYS[weekday]} here, and ${WEEKDAYS[(weekday + 6) % 7]} to Quartz)`
    : '';
  return `nthWeekday(${nth ?? -1}, '${WEEKDAYS[weekday]}')${caution}`;
}

function problemOfNumbers(element: string, field: Field): string | undefined {
  const [low, high = low] = element.split('-').map(Number);
  const outside = [low, high].find((value) => value < field.min || value > field.max);
  if (outside === 7 && field === WEEKDAY) return 'has the value 7, and Sunday is 0';
  if (outside !== undefined) {
    const midnight = field === HOUR && outside === 24 ? '; midnight is 0' : '';
    return `has the value ${clip(element.split('-').find((part) => Number(part) === outside) ?? element)}, which is outside ${field.min}-${field.max}${midnight}`;
  }
  return low > high ? `has the range ${quote(element)}, which runs backwards` : undefined;
}

const orWrite = (posix: string | undefined): string => (posix === undefined ? '' : `; write ${posix}`);

const clip = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** A piece of what the user wrote, short and on one line. */
const quote = (text: string): string => `"${visible(text, 40)}"`;

function nameOfBlank(character: string): string {
  const names: Record<string, string> = {
    '\n': 'a line feed',
    '\r': 'a carriage return',
    '\u00a0': 'a no-break space',
  };
  return names[character] ?? `the white space ${codePoint(character)}`;
}

/**
 * Why an expression is refused, and what to write instead (C4). Only ever called with what `compile` turned down, or
 * what can never be due; being slow is allowed here, being wrong about the reason is not. Every reason is one line and
 * reads on after "<field> field".
 */
import { CronCalculationError, FieldParseError, InvalidCronExpressionError } from '../errors.ts';
import { compile } from './compile.ts';
import { DAY, FIELDS, type Field, HOUR, MACROS, MAX_LENGTH, MONTH, WEEKDAY } from './fields.ts';
import { readName, rewriteCron, rewriteField } from './rewrite.ts';

/** The error for an expression that is not valid. */
export function refusal(expression: string): InvalidCronExpressionError {
  const shown = expression.length > MAX_LENGTH ? `${expression.slice(0, 40)}…` : expression;
  const whole = problemOfWhole(expression);
  if (whole !== undefined) return withField(shown, 'expression', shown, whole);
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
  const months = words[MONTH_INDEX].includes(',') || words[MONTH_INDEX].includes('-') ? 'months' : 'month';
  const reason = `is never due: day ${clip(words[DAY_INDEX])} does not exist in ${months} ${clip(words[MONTH_INDEX])}`;
  const proof = new Error(
    `day ${clip(words[DAY_INDEX])} does not exist in ${months} ${clip(words[MONTH_INDEX])}`,
  );
  return new InvalidCronExpressionError(
    expression,
    DAY.name,
    reason,
    new CronCalculationError(expression, 'any', proof),
  );
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
  if (words.length !== FIELDS.length) {
    const count = `has ${words.length} ${words.length === 1 ? 'field' : 'fields'}, and POSIX cron has five: ${ORDER}`;
    const seconds = words.length === 6 && !/^0+$/.test(words[0]) ? ' (no seconds)' : '';
    return count + seconds + orWrite(rewriteCron(expression));
  }
  return undefined;
}

function problemOfMacro(words: readonly string[]): string {
  const macro = words[0].toLowerCase();
  const posix = words.length === 1 ? MACROS.get(macro) : undefined;
  const instead =
    macro === '@reboot' ? '; call the work yourself, where your program starts' : orWrite(posix);
  return `is the macro ${quote(words.join(' '))}, and POSIX cron has no macros${instead}`;
}

/** Why one field is wrong, or undefined if it is not. The first element that is wrong is the one to tell of. */
function problemOfField(text: string, field: Field, words: readonly string[]): string | undefined {
  const alone = FIELDS.map((other) => (other === field ? text : '*')).join(' ');
  if (compile(alone) !== undefined) return undefined;
  const posix = rewriteField(text, field);
  for (const element of text.split(',')) {
    const problem = problemOfElement(element, text, field);
    if (problem !== undefined)
      return problem + (posix === undefined ? '' : orWrite(posix) + caution(text, field, words));
  }
  return `has ${quote(text)}, which is not a list of numbers and ranges from ${field.min} to ${field.max}`;
}

/** Why one element of a list is wrong, told apart by what other crons would make of it. */
function problemOfElement(element: string, text: string, field: Field): string | undefined {
  const range = `${field.min}-${field.max}`;
  if (element === '') return 'has an empty list element';
  if (element.includes('/')) return `has the step ${quote(element)}, and POSIX cron has no steps`;
  if (element === '?') return 'has the Quartz token "?"';
  if (element === '*' && text !== '*') return 'has "*" inside a list';
  const name = element.split('-').find((part) => readName(part, field) !== undefined);
  if (name !== undefined) return `has the name ${quote(name)}, and POSIX cron has no names`;
  if (/^(\d*L(-\d+)?|\d*W|LW|\d+#\d+)$/i.test(element)) {
    return `has the Quartz token ${quote(element)}, which POSIX cron cannot say; choose all the days it may fall on and look at the date in the callback`;
  }
  if (/^H(\(.*\))?$/.test(element))
    return `has the Jenkins token ${quote(element)}; choose a number from ${range} yourself`;
  if (!/^\d+(-\d+)?$/.test(element))
    return `has ${quote(element)}, which is not a decimal number or a range of two`;
  return problemOfNumbers(element, field);
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

/** A step over all days beside a weekday: classic cron would want both to hold, POSIX either. */
function caution(text: string, field: Field, words: readonly string[]): string {
  const other = field === DAY ? words[FIELDS.indexOf(WEEKDAY)] : field === WEEKDAY ? words[DAY_INDEX] : '*';
  const overAll = text.startsWith('*/') && other !== '*' && other !== '?';
  return overAll ? ' (and mind that with day and weekday both given, either is enough)' : '';
}

const orWrite = (posix: string | undefined): string => (posix === undefined ? '' : `; write ${posix}`);

const clip = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}…` : text);

/** A piece of what the user wrote, short and on one line. */
function quote(text: string): string {
  const visible = clip(text).replace(/[\p{C}\p{Zl}\p{Zp}]/gu, codePoint);
  return `"${visible}"`;
}

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;

function nameOfBlank(character: string): string {
  const names: Record<string, string> = {
    '\n': 'a line feed',
    '\r': 'a carriage return',
    '\u00a0': 'a no-break space',
  };
  return names[character] ?? `the white space ${codePoint(character)}`;
}

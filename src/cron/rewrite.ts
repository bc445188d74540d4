/**
 * What other crons write, in POSIX (C4): steps, names, wrap-around ranges, 7 for Sunday, `?`, macros, a seconds field
 * that is 0, a years field that is `*`. What has no POSIX form, or none that surely means the same, has no rewrite.
 */
import { compile, isSatisfiable } from './compile.ts';
import { DAY, FIELDS, type Field, MACROS, MAX_LENGTH, WEEKDAY } from './fields.ts';

/** The POSIX form of an expression, or undefined if there is none. A POSIX expression is its own. */
export function rewriteCron(text: string): string | undefined {
  if (typeof text !== 'string' || text.length > MAX_LENGTH) return undefined;
  if (compile(text) !== undefined) return satisfiable(text);
  const macro = MACROS.get(text.trim().toLowerCase());
  if (macro !== undefined) return macro;
  const fields = fiveFields(text);
  if (fields === undefined || isAmbiguous(fields) || hasForeignWeekday(text, fields)) return undefined;
  const rewritten: string[] = [];
  for (const [index, field] of FIELDS.entries()) {
    const posix = rewriteField(fields[index], field);
    if (posix === undefined || longStepIn(fields[index], field) !== undefined) return undefined;
    rewritten.push(posix);
  }
  return satisfiable(rewritten.join(' '));
}

/** How to call `cron` for a text that it understands: `cron('*\/5 * * * *')`; undefined if it does not, or the text is long. */
export function callOfCron(text: string): string | undefined {
  const words = text.trim().replace(/\s+/g, ' ');
  return words.length <= LONGEST_CALL && rewriteCron(words) !== undefined ? `cron('${words}')` : undefined;
}

const LONGEST_CALL = 60;

function satisfiable(expression: string): string | undefined {
  const schedule = compile(expression);
  return schedule !== undefined && isSatisfiable(schedule) ? expression : undefined;
}

/**
 * The five POSIX fields of an expression that may have more: seconds in front (Quartz and most libraries), years behind
 * (Quartz, AWS), or AWS's `cron(…)` around them.
 */
export function fiveFields(text: string): readonly string[] | undefined {
  const wrapped = /^cron\((.*)\)$/is.exec(text.trim())?.[1];
  const words = (wrapped ?? text).trim().split(/\s+/);
  const [, , day, , weekday, year] = words;
  if (words.length === 6 && (day === '?' || weekday === '?') && isStar(year)) return words.slice(0, 5);
  if (wrapped !== undefined) return undefined;
  const fields = words.length === 7 && isStar(words[6]) ? words.slice(0, 6) : words;
  if (fields.length === 6 && /^0+$/.test(fields[0])) return fields.slice(1);
  return fields.length === 5 ? fields : undefined;
}

/** Quartz and AWS, which have more fields and a `?`, count weekdays from 1; so a weekday in digits is not trusted there. */
export function hasForeignWeekday(text: string, fields: readonly string[]): boolean {
  return text.trim().split(/\s+/).length > FIELDS.length && text.includes('?') && /\d/.test(fields[4]);
}

const isStar = (field: string): boolean => field === '*' || field === '?';

function isAmbiguous([, , day, , weekday]: readonly string[]): boolean {
  return isAmbiguousBeside(day, weekday) || isAmbiguousBeside(weekday, day);
}

/**
 * Whether a day field is ambiguous together with a weekday, or the other way round: it has a `*` that does not stand alone
 * (`5,*`, or a step over it), and the other is restricted. Some crons take it for a `*` and want both to hold, others want
 * either; POSIX can only say either.
 */
export function isAmbiguousBeside(field: string, other: string): boolean {
  return /[*?]/.test(field) && !isStar(field) && !isStar(other);
}

/** The POSIX form of one field, or undefined. */
export function rewriteField(text: string, field: Field): string | undefined {
  const values = new Set<number>();
  for (const element of text.split(',')) {
    if (element === '') continue;
    const range = readElement(element, field);
    if (range === undefined) return undefined;
    if (range.everything) return '*';
    for (const value of range.values) values.add(value);
  }
  return values.size === 0 ? undefined : writeValues(values);
}

/**
 * The element of a field whose step is longer than the field, such as the 90 minutes of every 90. Who writes it means every 90 minutes; cron takes the first value alone,
 * which is every hour.
 */
export const longStepIn = (text: string, { min, max }: Field): string | undefined =>
  text.split(',').find((element) => Number(/\/(\d+)$/.exec(element)?.[1] ?? 0) > max - min + 1);

interface ElementValues {
  readonly everything: boolean;
  readonly values: readonly number[];
}

/** `*`, `?`, `5`, `mon`, `1-5`, `22-2`, any of them with `/step` behind. */
function readElement(element: string, field: Field): ElementValues | undefined {
  const [range, stepText, ...rest] = element.split('/');
  if (rest.length > 0) return undefined;
  const step = stepText === undefined ? 1 : readNumber(stepText);
  if (step === undefined || step === 0) return undefined;
  if (range === '*' || (range === '?' && (field === DAY || field === WEEKDAY))) {
    return { everything: step === 1, values: stepped(field, field.min, field.max, step) };
  }
  const [lowText, highText, ...more] = range.split('-');
  const low = readValue(lowText, field);
  const high = highText === undefined ? low : readValue(highText, field);
  if (more.length > 0 || low === undefined || high === undefined) return undefined;
  // "5/15" means from 5 on, as Quartz and most libraries read it.
  const openEnded = stepText !== undefined && highText === undefined;
  // From 7, the second name of Sunday, on: no cron says what that means.
  if (openEnded && low > field.max) return undefined;
  return { everything: false, values: stepped(field, low, openEnded ? field.max : high, step) };
}

/** Every `step`th value from `low` to `high`, round the end of the field if `high` is below `low`. 7 is Sunday. */
function stepped(field: Field, low: number, high: number, step: number): readonly number[] {
  const span = field.max - field.min + 1;
  const end = high < low ? high + span : high;
  const values: number[] = [];
  for (let value = low; value <= end; value += step) values.push(((value - field.min) % span) + field.min);
  return values;
}

function readValue(text: string, field: Field): number | undefined {
  const named = readName(text, field);
  if (named !== undefined) return named;
  const value = readNumber(text);
  const max = field === WEEKDAY ? 7 : field.max;
  return value === undefined || value < field.min || value > max ? undefined : value;
}

/** The value that a name stands for: `mon`, `Monday`, `JAN`, `sept`. */
export function readName(text: string, field: Field): number | undefined {
  const lower = text.toLowerCase();
  if (lower.length < 3) return undefined;
  const index = field.valueNames.findIndex(
    (name) =>
      name === lower || name.slice(0, 3) === lower || (lower.length === 4 && name.slice(0, 4) === lower),
  );
  return index === -1 ? undefined : index + field.min;
}

function readNumber(text: string): number | undefined {
  return /^0*\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** Values in order, neighbours joined to ranges: `0-2,22-23`. */
function writeValues(values: ReadonlySet<number>): string {
  const sorted = [...values].sort((a, b) => a - b);
  const parts: string[] = [];
  for (let index = 0; index < sorted.length; ) {
    const low = sorted[index];
    let high = low;
    while (sorted[++index] === high + 1) high++;
    parts.push(high === low ? `${low}` : `${low}-${high}`);
  }
  return parts.join(',');
}

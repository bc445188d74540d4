/**
 * The POSIX form of a crontab's time. Every expression that comes out is due in exactly the minutes in which Vixie cron and its
 * descendants (Debian's cron, cronie) would start the job; where POSIX cannot say it, there is none. What only some of them
 * take, and the others refuse, comes with a caution.
 *
 * The day rule is theirs (C2 with a twist): a field that *begins* with a star counts as a star. So a day field of every other day
 * and a weekday must both hold, and either is not enough.
 */
import { InvalidCronExpressionError } from '../errors.ts';
import { compile, isSatisfiable } from './compile.ts';
import { parseSchedule } from './expression.ts';
import { DAY, FIELDS, type Field, HOUR, MACROS, MINUTE, MONTH, WEEKDAY } from './fields.ts';
import { longStepIn, rewriteField } from './rewrite.ts';

/** What `rewriteCrontab` answers: an expression, perhaps with a caution; or why there is none. */
export type CrontabRewrite =
  | {
      readonly posix: string;
      /** What other crons make of what was written. */
      readonly caution?: string;
    }
  | { readonly posix: undefined; readonly reason: string };

/**
 * The time of a crontab's line (its first five fields, or a macro) as a POSIX expression that is due in exactly the minutes in which
 * cron would start the job. `rewriteCron` takes an expression as people mean it; this one takes it as cron reads it.
 */
export function rewriteCrontab(time: string): CrontabRewrite {
  const fields = time.trim().split(/\s+/);
  const written = fields.join(' ');
  if (written.startsWith('@')) return macroToPosix(written.toLowerCase());
  // What is POSIX already stays as it is written; its days mean the same in both.
  const already = compile(written);
  if (already !== undefined)
    return isSatisfiable(already) ? { posix: written } : { posix: undefined, reason: reasonOf(written) };
  if (fields.length !== FIELDS.length) return { posix: undefined, reason: reasonOf(written) };
  const [minute, hour, day, month, weekday] = fields;
  const others = [rewriteField(minute, MINUTE), rewriteField(hour, HOUR), rewriteField(month, MONTH)];
  const days = daysToPosix(day, weekday);
  if (others.includes(undefined) || days === undefined)
    return { posix: undefined, reason: reasonOf(written) };
  if (days === 'both') return { posix: undefined, reason: bothReason(day, weekday) };
  const posix = `${others[0]} ${others[1]} ${days.day} ${others[2]} ${days.weekday}`;
  const schedule = compile(posix);
  if (schedule === undefined || !isSatisfiable(schedule))
    return { posix: undefined, reason: reasonOf(posix) };
  const caution = cautionFor(fields);
  return caution === undefined ? { posix } : { posix, caution };
}

/** What some crons read otherwise, or refuse: they may never have started such a job. */
function cautionFor(fields: readonly string[]): string | undefined {
  const open = fields.find((field) => /(^|,)\w+\/\d+/.test(field) && !/-/.test(field));
  const wrapping = fields.find((text, index) =>
    text.split(',').some((each) => isWrapping(each, FIELDS[index])),
  );
  const long = fields.find((text, index) => longStepIn(text, FIELDS[index]) !== undefined);
  const gapped = fields.find((field) => field.split(',').includes(''));
  const cautions = [
    ...(open === undefined
      ? []
      : [
          `"${open}" was read as "from there on, in steps"; older crons take the first number alone, or refuse it`,
        ]),
    ...(wrapping === undefined
      ? []
      : [`"${wrapping}" was read as a range round the end; some crons refuse it, or never start the job`]),
    ...(long === undefined
      ? []
      : [`"${long}" is a step beyond its field, of which cron takes the first value alone`]),
    ...(gapped === undefined ? [] : [`"${gapped}" was read without its empty place; some crons refuse it`]),
  ];
  return cautions.length === 0 ? undefined : cautions.join('. ');
}

/** `22-2`, `sat-sun`: it ends before it begins. A 7 is the Sunday at the end of the week. */
function isWrapping(element: string, field: Field): boolean {
  const [, low, high] = /^(\w+)-(\w+)(?:\/\d+)?$/.exec(element) ?? [];
  if (low === undefined || high === undefined) return false;
  const value = (text: string): number =>
    /^\d+$/.test(text) ? Number(text) : Number(rewriteField(text, field));
  return value(low) > value(high);
}

function macroToPosix(macro: string): CrontabRewrite {
  if (macro === '@every_minute') return { posix: '* * * * *' };
  const posix = MACROS.get(macro);
  if (posix !== undefined) return { posix };
  const reason =
    macro === '@reboot'
      ? '@reboot has no time; call the work where your program starts, before the scheduler'
      : `${macro} is a macro that has no POSIX form`;
  return { posix: undefined, reason };
}

interface Days {
  readonly day: string;
  readonly weekday: string;
}

/** The two day fields in POSIX; `both` where both would have to hold, which POSIX cannot say. */
function daysToPosix(day: string, weekday: string): Days | 'both' | undefined {
  const dayPosix = rewriteField(day, DAY);
  const weekdayPosix = rewriteField(weekday, WEEKDAY);
  if (dayPosix === undefined || weekdayPosix === undefined) return undefined;
  const isEither = !isStarred(day) && !isStarred(weekday);
  // Neither begins with a star, so either is enough; a star within a list must not turn into one that stands alone.
  if (isEither) return { day: unstarred(dayPosix, DAY), weekday: unstarred(weekdayPosix, WEEKDAY) };
  if (isEverything(dayPosix, DAY))
    return { day: '*', weekday: isEverything(weekdayPosix, WEEKDAY) ? '*' : weekdayPosix };
  return isEverything(weekdayPosix, WEEKDAY) ? { day: dayPosix, weekday: '*' } : 'both';
}

const isStarred = (field: string): boolean => /^[*?]/.test(field);

const whole = ({ min, max }: Field): string => `${min}-${max}`;
const isEverything = (posix: string, field: Field): boolean => posix === '*' || posix === whole(field);
const unstarred = (posix: string, field: Field): string => (posix === '*' ? whole(field) : posix);

function bothReason(day: string, weekday: string): string {
  const starred = isStarred(day) ? day : weekday;
  return `cron takes "${starred}" for a star, so that day "${day}" and weekday "${weekday}" must both hold; in POSIX either would be enough. Schedule one of them, and look at the other in the callback`;
}

/** Why an expression has no POSIX form, for the first field that cannot be read. */
function reasonOf(time: string): string {
  const fields = time.split(' ');
  // A field that can be rewritten is not what is wrong, so it is rewritten before the parser is asked.
  const rewritten = fields.map((text, index) =>
    index < FIELDS.length ? (rewriteField(text, FIELDS[index]) ?? text) : text,
  );
  try {
    parseSchedule(rewritten.join(' '));
  } catch (error) {
    if (!(error instanceof InvalidCronExpressionError)) throw error;
    const { field, reason } = error;
    return field === 'expression' ? `it ${reason}` : `the ${field} field ${reason}`;
  }
  return 'it cannot be said in POSIX';
}

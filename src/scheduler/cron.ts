/** `cron`, and the expression of a task object. */
import { wayOutOfCron } from '../core/registration-place.ts';
import { parseSchedule } from '../cron/expression.ts';
import { rewriteCron } from '../cron/rewrite.ts';
import { describeValue, InvalidCronExpressionError, placed } from '../errors.ts';

/** The POSIX text of a popular form: steps, names, 7 for Sunday, `@daily`, a seconds field of 0 (H7). Throws as the parser does. */
export function cron(text: string): string {
  if (typeof text !== 'string')
    throw new TypeError(`cron takes a text such as "*/5 * * * mon-fri"; got ${describeValue(text)}`);
  const posix = rewriteCron(text);
  if (posix === undefined) parseSchedule(text);
  return posix ?? text;
}

/** Throws for an expression that is wrong: of which task it is, why, what to write instead, and that `cron` understands more. */
export function parseTaskCron(text: string, label: string): void {
  try {
    parseSchedule(text);
  } catch (error) {
    if (!(error instanceof InvalidCronExpressionError)) throw error;
    throw placed(error, `task${label}`, wayOutOfCron(text));
  }
}

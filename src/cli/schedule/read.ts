/** An expression as somebody typed it, parsed. */
import { type CronExpression, InvalidCronExpressionError, parseCron, rewriteCron } from '../../cron/index.ts';
import { CliError } from '../errors.ts';
import { printable } from '../terminal/text.ts';

export interface ReadExpression {
  /** As it was typed. */
  readonly written: string;
  /** In POSIX; the same text if it is. */
  readonly posix: string;
  readonly parsed: CronExpression;
  /** Why what was typed is not POSIX; undefined if it is. */
  readonly problem: InvalidCronExpressionError | undefined;
}

/** "its minute field has …"; of the expression as a whole, "it has 4 fields". */
export const faultOf = ({ field, reason }: InvalidCronExpressionError): string =>
  field === 'expression' ? `it ${reason}` : `its ${field} field ${reason}`;

/** Reads an expression, in POSIX or in what other crons write. Throws `InvalidCronExpressionError` if it has no POSIX form. */
export function readExpression(written: string, timeZone: string): ReadExpression {
  try {
    return { written, posix: written, parsed: parseCron(written, { timeZone }), problem: undefined };
  } catch (problem) {
    if (!(problem instanceof InvalidCronExpressionError)) throw problem;
    const posix = rewriteCron(written);
    if (posix === undefined) throw problem;
    return { written, posix, parsed: parseCron(posix, { timeZone }), problem };
  }
}

/** As above, for commands to which an expression without a meaning is a wrong command line. */
export function expressionOrUsage(words: readonly string[], timeZone: string): ReadExpression {
  const [written] = words;
  if (words.length === 5) {
    throw new CliError(
      'usage',
      `An expression is one argument: put it in quotes, '${printable(words.join(' '))}', or the shell expands its stars`,
    );
  }
  if (words.length !== 1) {
    throw new CliError(
      'usage',
      words.length === 0
        ? `No expression was given; write one in quotes, such as '30 2 * * 1-5'`
        : `An expression is one argument in quotes, such as '30 2 * * 1-5'; got ${words.length} arguments`,
    );
  }
  try {
    return readExpression(written, timeZone);
  } catch (error) {
    if (!(error instanceof InvalidCronExpressionError)) throw error;
    const said =
      error.field === 'expression'
        ? `Invalid cron expression "${error.expression}": ${faultOf(error)}`
        : error.message;
    throw new CliError('usage', printable(said));
  }
}

/**
 * What is due next? Run it with `npm start`, or with an expression and a zone of your own:
 *
 *     npm start -- "30 2 * * *" Europe/Stockholm
 */
import { InvalidCronExpressionError, ObbligatoError, parseCron, rewriteCron } from 'obbligato/cron';

const [written = '30 2 * * 1-5', timeZone] = process.argv.slice(2);

/** For the terminal: what came from the command line may hold characters that would move its cursor or change its colours. */
const printable = (text: string): string =>
  text.replace(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);

/** Parses what was written; if it is not POSIX cron but can be said in it, says how, and goes on with that. */
function read(expression: string): ReturnType<typeof parseCron> {
  try {
    return parseCron(expression, { timeZone });
  } catch (error) {
    const posix = error instanceof InvalidCronExpressionError ? rewriteCron(expression) : undefined;
    if (posix === undefined) throw error;
    console.log(printable(`"${expression}" is not POSIX cron; in POSIX it is "${posix}".`));
    return parseCron(posix, { timeZone });
  }
}

try {
  const cron = read(written);
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: cron.timeZone,
    dateStyle: 'full',
    timeStyle: 'long',
  });
  console.log(`${printable(cron.expression)}\n${cron.describe()}\n\nDue next:`);
  for (const due of cron.occurrences(new Date()).take(5))
    console.log(`  ${due.toISOString()}   ${local.format(due)}`);
} catch (error) {
  if (!(error instanceof ObbligatoError)) throw error;
  console.error(printable(error.message));
  process.exitCode = 1;
}

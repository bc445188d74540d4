/**
 * What is due next? Run it with `npm start`, or with an expression and a zone of your own:
 *
 *     npm start -- "30 2 * * *" Europe/Stockholm
 */
import { InvalidCronExpressionError, parseCron, rewriteCron, UnknownTimeZoneError } from 'obbligato/cron';

const [written = '30 2 * * 1-5', timeZone] = process.argv.slice(2);

/** Parses what was written; if it is not POSIX cron but can be said in it, says how, and goes on with that. */
function read(expression: string): ReturnType<typeof parseCron> {
  const options = timeZone === undefined ? {} : { timeZone };
  try {
    return parseCron(expression, options);
  } catch (error) {
    const posix = error instanceof InvalidCronExpressionError ? rewriteCron(expression) : undefined;
    if (posix === undefined) throw error;
    console.log(`"${expression}" is not POSIX cron; in POSIX it is "${posix}".`);
    return parseCron(posix, options);
  }
}

try {
  const cron = read(written);
  const local = new Intl.DateTimeFormat('en-GB', {
    timeZone: cron.timeZone,
    dateStyle: 'full',
    timeStyle: 'long',
  });
  console.log(`${cron.expression}\n${cron.describe()}\n\nDue next:`);
  for (const due of cron.occurrences(new Date()).take(5))
    console.log(`  ${due.toISOString()}   ${local.format(due)}`);
} catch (error) {
  if (!(error instanceof InvalidCronExpressionError || error instanceof UnknownTimeZoneError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

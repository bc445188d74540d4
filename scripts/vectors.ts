/**
 * `npm run vectors -- file.json`: runs test vectors of another project against the cron engine. The file holds
 * `{ "cases": [{ "expr", "tz", "from", "expected", "inclusive" }] }`, instants in ISO form; `inclusive` asks for an
 * occurrence at or after `from`, otherwise strictly after it; `expected: null` says that there never is one.
 */
import { readFileSync } from 'node:fs';
import { InvalidCronExpressionError, parseCron } from '../src/cron/index.ts';

interface Vector {
  readonly expr: string;
  readonly tz: string;
  readonly from: string;
  readonly expected: string | null;
  readonly inclusive: boolean;
}

function run({ expr, tz, from, expected, inclusive }: Vector): string | undefined {
  const after = new Date(new Date(from).getTime() - (inclusive ? 1 : 0));
  const wanted = expected === null ? 'never' : new Date(expected).toISOString();
  const found = nextOrNever(expr, tz, after);
  return found === wanted ? undefined : `${expr} in ${tz} after ${from}: ${found}, expected ${wanted}`;
}

function nextOrNever(expression: string, timeZone: string, after: Date): string {
  try {
    return parseCron(expression, { timeZone }).next(after).toISOString();
  } catch (error) {
    if (error instanceof InvalidCronExpressionError)
      return /never due/.test(error.reason) ? 'never' : error.message;
    throw error;
  }
}

const [file] = process.argv.slice(2);
if (file === undefined) {
  console.error('Usage: npm run vectors -- file.json');
  process.exitCode = 2;
} else {
  const { cases }: { cases: readonly Vector[] } = JSON.parse(readFileSync(file, 'utf8'));
  const failures = cases.map(run).filter((failure) => failure !== undefined);
  for (const failure of failures) console.log(failure);
  console.log(`${cases.length - failures.length} of ${cases.length} vectors agree`);
  process.exitCode = failures.length === 0 ? 0 : 1;
}

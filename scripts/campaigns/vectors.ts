/**
 * Test vectors of another project against the cron engine. A file holds
 * `{ "cases": [{ "expr", "tz", "from", "expected", "inclusive" }] }`, instants in ISO form; `inclusive` asks for an
 * occurrence at or after `from`, otherwise strictly after it; `expected: null` says that there never is one.
 */
import { readFileSync } from 'node:fs';
import { InvalidCronExpressionError, parseCron } from '../../src/cron/index.ts';
import type { Campaign } from './campaign.ts';

interface Vector {
  readonly expr: string;
  readonly tz: string;
  readonly from: string;
  readonly expected: string | null;
  readonly inclusive: boolean;
}

function difference({ expr, tz, from, expected, inclusive }: Vector): string | undefined {
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

export const vectors: Campaign = {
  name: 'vectors',
  what: "differences to another project's test vectors of cron expressions",
  unit: 'files',
  whole: (files) => files,
  portion: 1,
  takes: 'seconds; name the files behind it',
  async play({ units }) {
    const { cases }: { cases: readonly Vector[] } = JSON.parse(readFileSync(units[0], 'utf8'));
    const violations = cases.map(difference).filter((one) => one !== undefined);
    return { done: 1, figures: { vectors: cases.length }, violations };
  },
};

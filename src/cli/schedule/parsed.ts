/** Expressions of tasks, parsed. Many tasks share few expressions, so each is parsed once per zone. */
import { type CronExpression, InvalidCronExpressionError, parseCron } from '../../cron/index.ts';

const known = new Map<string, CronExpression | undefined>();

/** Undefined for what is no expression: a damaged record has one, and is no reason to show nothing. */
export function parsed(cron: string, timeZone: string): CronExpression | undefined {
  const key = `${timeZone} ${cron}`;
  if (!known.has(key)) known.set(key, parse(cron, timeZone));
  return known.get(key);
}

function parse(cron: string, timeZone: string): CronExpression | undefined {
  try {
    return parseCron(cron, { timeZone });
  } catch (error) {
    if (error instanceof InvalidCronExpressionError) return undefined;
    throw error;
  }
}

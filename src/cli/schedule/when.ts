/** When a task is due, in words: what its expression says, and what its policy makes of it. */
import type { StoredPolicy } from '../../config.ts';
import type { DayRule } from '../../index.ts';
import { parsed } from './parsed.ts';

/** "At 23:59 every day, only on the last day of the month"; empty for what is no expression. */
export function whenText(task: { cron: string; policy?: StoredPolicy }, timeZone: string): string {
  const words = parsed(task.cron, timeZone)?.describe({ only: 'times' });
  if (words === undefined) return '';
  const { days } = task.policy ?? {};
  return days === undefined ? words : `${words}, only ${daysText(days)}`;
}

const WEEKDAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth'];

/** "on the second Tuesday of the month". */
export function daysText(rule: DayRule): string {
  if ('last' in rule)
    return rule.last === 0
      ? 'on the last day of the month'
      : `on the day with ${rule.last} more ${rule.last === 1 ? 'day' : 'days'} in its month`;
  if ('nth' in rule) {
    const which = rule.nth > 0 ? ORDINALS[rule.nth - 1] : fromTheEnd(-rule.nth);
    return `on the ${which} ${WEEKDAYS[rule.weekday]} of the month`;
  }
  return `every ${rule.everyWeeks} weeks from ${rule.from}`;
}

const fromTheEnd = (place: number): string => (place === 1 ? 'last' : `${ORDINALS[place - 1]} last`);

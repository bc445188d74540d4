/** The five fields of a cron expression: their names, ranges, and the names other crons give their values. */

/** A field of a cron expression: its name, and the least and greatest value. */
export interface Field {
  readonly name: 'minute' | 'hour' | 'day' | 'month' | 'weekday';
  readonly min: number;
  readonly max: number;
  /** Names that other crons accept for values, the first one for `min`. */
  readonly valueNames: readonly string[];
}

const MONTHS = 'january february march april may june july august september october november december';
const WEEKDAYS = 'sunday monday tuesday wednesday thursday friday saturday';

export const MINUTE: Field = { name: 'minute', min: 0, max: 59, valueNames: [] };
export const HOUR: Field = { name: 'hour', min: 0, max: 23, valueNames: [] };
export const DAY: Field = { name: 'day', min: 1, max: 31, valueNames: [] };
export const MONTH: Field = { name: 'month', min: 1, max: 12, valueNames: MONTHS.split(' ') };
export const WEEKDAY: Field = { name: 'weekday', min: 0, max: 6, valueNames: WEEKDAYS.split(' ') };

/** The five fields of an expression, in order. */
export const FIELDS = [MINUTE, HOUR, DAY, MONTH, WEEKDAY] as const;

/** No expression may be longer (C0). */
export const MAX_LENGTH = 1000;

/** What other crons write for a whole expression. */
export const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

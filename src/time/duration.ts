/** Lengths of time: what a registration may give as its retry delay (G3), and helpers that make one. */

/** A whole number of milliseconds, or an object that can say how many it is: Luxon's `Duration`, `Temporal.Duration`. */
export type Duration = number | { toMillis(): number } | { total(unit: 'milliseconds'): number };

/** So many milliseconds, as a duration. */
export const milliseconds = (count: number): number => count;
/** So many seconds, in milliseconds. */
export const seconds = (count: number): number => count * 1000;
/** So many minutes, in milliseconds. */
export const minutes = (count: number): number => count * 60_000;
/** So many hours, in milliseconds. */
export const hours = (count: number): number => count * 3_600_000;
/** So many days of 24 hours, in milliseconds. */
export const days = (count: number): number => count * 86_400_000;

/**
 * How many milliseconds a value stands for, or undefined if it is no duration: not a finite number, nor an object that gives
 * one. What the object throws is thrown on.
 */
export function toMilliseconds(value: unknown): number | undefined {
  const count = typeof value === 'object' && value !== null ? askForMilliseconds(value) : value;
  return typeof count === 'number' && Number.isFinite(count) ? count : undefined;
}

/** How many milliseconds an option is long, which may be without end. Throws for a value that is no duration. */
export function lengthOf(option: string, value: unknown): number {
  const count = value === Number.POSITIVE_INFINITY ? value : toMilliseconds(value);
  if (count !== undefined && count >= 0) return count;
  const Kind = typeof value === 'number' ? RangeError : TypeError;
  throw new Kind(`${option} must be a duration, such as seconds(5), and must not be negative`);
}

function askForMilliseconds(value: object): unknown {
  if ('toMillis' in value && typeof value.toMillis === 'function') return value.toMillis();
  if ('total' in value && typeof value.total === 'function') return value.total('milliseconds');
  return undefined;
}

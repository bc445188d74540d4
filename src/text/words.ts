/** Small pieces of English for numbers, lists and times. */

export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** "1 task", "2 tasks". */
export const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

/** "1", "1 and 2", "1, 2 and 3". */
export function join(items: readonly (string | number)[]): string {
  if (items.length < 2) return items.join('');
  return `${items.slice(0, -1).join(', ')} and ${items[items.length - 1]}`;
}

/** Sorted numbers, with three or more neighbours as "from to": 1,2,3,5 gives "1 to 3" and "5". */
export function ranges(values: readonly number[], name: (value: number) => string = String): string[] {
  const parts: string[] = [];
  for (let index = 0; index < values.length; ) {
    let last = index;
    while (values[last + 1] === values[last] + 1) last++;
    if (last - index >= 2) parts.push(`${name(values[index])} to ${name(values[last])}`);
    else for (const value of values.slice(index, last + 1)) parts.push(name(value));
    index = last + 1;
  }
  return parts;
}

/** "1st", "2nd", "11th", "23rd". */
export function ordinal(value: number): string {
  const teen = value % 100 > 10 && value % 100 < 14;
  const ending = teen ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}

/** The time of day of a local minute, or of a minute of the day: "02:30". A fraction shows as seconds. */
export function clockTime(localMinute: number): string {
  const time = localMinute - Math.floor(localMinute / 1440) * 1440;
  const pad = (value: number): string => String(value).padStart(2, '0');
  const minutes = Math.floor(time);
  const seconds = Math.round((time - minutes) * 60);
  return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}${seconds === 0 ? '' : `:${pad(seconds)}`}`;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** "340 ms", "1.2 s", "12 s", "3 min 4 s", "2 h 5 min", "3 d 4 h": two units at the most. */
export function duration(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 10 * SECOND_MS) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  return wholeDuration(ms);
}

/** As `duration`, in whole seconds: for a figure that counts up or down on a screen. */
export function wholeDuration(ms: number): string {
  const pair = (large: number, largeName: string, small: number, smallName: string): string => {
    const count = Math.floor(ms / large);
    const rest = Math.floor((ms % large) / small);
    return rest === 0 ? `${count} ${largeName}` : `${count} ${largeName} ${rest} ${smallName}`;
  };
  if (ms < MINUTE_MS) return `${Math.max(0, Math.floor(ms / SECOND_MS))} s`;
  if (ms < HOUR_MS) return pair(MINUTE_MS, 'min', SECOND_MS, 's');
  if (ms < DAY_MS) return pair(HOUR_MS, 'h', MINUTE_MS, 'min');
  return pair(DAY_MS, 'd', HOUR_MS, 'h');
}

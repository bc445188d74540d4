/** Small pieces of English for numbers, lists and times. */

export const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

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

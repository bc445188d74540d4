/**
 * The judge of the cron engine: walks civil time minute by minute, asking `Intl` what every clock shows, and compares the
 * fields with a naive reading of the expression. It shares no code with the engine, knows no shortcut, and is slow.
 */

/** What a wall clock shows, to the second. Weekday 0 is Sunday. */
export interface WallClock {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
  readonly weekday: number;
}

/** The start of one civil minute, and what the clock shows there. */
export interface CivilMinute extends WallClock {
  readonly instant: number;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

/** A function that reads a zone's wall clock at an instant. */
export function wallClock(timeZone: string): (instant: number) => WallClock {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    weekday: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (instant) => {
    const shown = /^(\w+), (\d+)\/(\d+)\/(\d+), (\d+):(\d+):(\d+)$/.exec(format.format(instant));
    if (shown === null) throw new Error(`cannot read ${format.format(instant)}`);
    return {
      weekday: WEEKDAYS.indexOf(shown[1]),
      month: Number(shown[2]),
      day: Number(shown[3]),
      year: Number(shown[4]),
      hour: Number(shown[5]),
      minute: Number(shown[6]),
      second: Number(shown[7]),
    };
  };
}

/** Every start of a civil minute from one instant to before another. */
export function civilMinutes(timeZone: string, from: number, to: number): CivilMinute[] {
  const read = wallClock(timeZone);
  const found: CivilMinute[] = [];
  let instant = Math.ceil(from / 1000) * 1000;
  let clock = read(instant);
  while (instant < to) {
    if (clock.second === 0) found.push({ instant, ...clock });
    const next = instant + (60 - clock.second) * 1000;
    const nextClock = read(next);
    // If the clock did not simply run on to second 0, it was changed in between: look at every second then.
    for (let each = instant + 1000; nextClock.second !== 0 && each < Math.min(next, to); each += 1000) {
      const between = read(each);
      if (between.second === 0) found.push({ instant: each, ...between });
    }
    instant = next;
    clock = nextClock;
  }
  return found;
}

/** How far the wall clock is ahead of UTC, in milliseconds. */
export function offsetOf(clock: WallClock, instant: number): number {
  const { year, month, day, hour, minute, second } = clock;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000;
}

/** Every instant, to the second, from which on a zone's clocks show something else than they would have. */
export function transitions(timeZone: string, from: number, to: number): number[] {
  const read = wallClock(timeZone);
  const offsetAt = (instant: number): number => offsetOf(read(instant), instant);
  const day = 86_400_000;
  const found: number[] = [];
  for (let instant = from; instant < to; instant += day) {
    const before = offsetAt(instant);
    if (offsetAt(instant + day) === before) continue;
    let low = instant / 1000;
    let high = (instant + day) / 1000;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle * 1000) === before) low = middle;
      else high = middle;
    }
    found.push(high * 1000);
  }
  return found;
}

/** Whether a wall clock matches a strict expression, read as naively as possible (truth table of C2). */
export function naiveMatcher(expression: string): (clock: WallClock) => boolean {
  const [minute, hour, day, month, weekday] = expression.trim().split(/[ \t]+/);
  const inMinute = members(minute);
  const inHour = members(hour);
  const inDay = members(day);
  const inMonth = members(month);
  const inWeekday = members(weekday);
  const either = day !== '*' && weekday !== '*';
  return (clock) =>
    inMinute(clock.minute) &&
    inHour(clock.hour) &&
    inMonth(clock.month) &&
    (either ? inDay(clock.day) || inWeekday(clock.weekday) : inDay(clock.day) && inWeekday(clock.weekday));
}

function members(field: string): (value: number) => boolean {
  if (field === '*') return () => true;
  const values = new Set<number>();
  for (const element of field.split(',')) {
    const [low, high = low] = element.split('-').map(Number);
    for (let value = low; value <= high; value++) values.add(value);
  }
  return (value) => values.has(value);
}

/** What a clock in UTC shows, to the minute. */
export function utcClock(at: number): WallClock {
  const date = new Date(at);
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    hour: date.getUTCHours(),
    minute: date.getUTCMinutes(),
    second: 0,
    weekday: date.getUTCDay(),
  };
}

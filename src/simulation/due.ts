/**
 * Due instants by looking at every minute (B1), for the model that judges the scheduler: it shares no code with the cron engine.
 * Days are looked at once and kept, for all worlds of this process.
 */
import { type Zone, zoneOf } from '../time/zone.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** How far back or ahead one looks before giving up: an expression of 29 February may skip eight years. */
const FARTHEST_DAYS = 3000;

class DueDays {
  readonly #zone: Zone;
  readonly #fields: readonly (ReadonlySet<number> | undefined)[];
  readonly #days = new Map<number, readonly number[]>();

  constructor(cron: string, timeZone: string) {
    this.#zone = zoneOf(timeZone);
    this.#fields = cron
      .trim()
      .split(/[ \t]+/)
      .map(members);
  }

  /** The last due instant at or before an instant; `-Infinity` if there is none for years. */
  last(at: number): number {
    for (let day = Math.floor(at / DAY_MS), back = 0; back < FARTHEST_DAYS; day--, back++) {
      const found = this.#day(day).findLast((instant) => instant <= at);
      if (found !== undefined) return found;
    }
    return Number.NEGATIVE_INFINITY;
  }

  /** The first due instant after an instant; `Infinity` if there is none for years. */
  first(after: number): number {
    for (let day = Math.floor(after / DAY_MS), ahead = 0; ahead < FARTHEST_DAYS; day++, ahead++) {
      const found = this.#day(day).find((instant) => instant > after);
      if (found !== undefined) return found;
    }
    return Number.POSITIVE_INFINITY;
  }

  #day(day: number): readonly number[] {
    let instants = this.#days.get(day);
    if (instants === undefined) {
      instants = this.#look(day * DAY_MS, (day + 1) * DAY_MS);
      this.#days.set(day, instants);
    }
    return instants;
  }

  #look(from: number, to: number): readonly number[] {
    const found: number[] = [];
    for (let at = from; at < to; ) {
      const { offset, end } = this.#zone.at(at);
      const until = Math.min(end, to);
      // The first start of a civil minute at or after `at`, by the offset that holds here.
      let minute = Math.ceil((at + offset) / MINUTE_MS) * MINUTE_MS;
      for (; minute - offset < until; minute += MINUTE_MS) {
        if (this.#matches(minute)) found.push(minute - offset);
      }
      at = until;
    }
    return found;
  }

  /** The truth table of C2, on local time told as if it were UTC. */
  #matches(local: number): boolean {
    const [minutes, hours, days, months, weekdays] = this.#fields;
    if (minutes !== undefined && !minutes.has((local / MINUTE_MS) % 60)) return false;
    const date = new Date(local);
    if (hours !== undefined && !hours.has(date.getUTCHours())) return false;
    if (months !== undefined && !months.has(date.getUTCMonth() + 1)) return false;
    const byDay = days === undefined || days.has(date.getUTCDate());
    const byWeekday = weekdays === undefined || weekdays.has(date.getUTCDay());
    return days !== undefined && weekdays !== undefined ? byDay || byWeekday : byDay && byWeekday;
  }
}

function members(field: string): ReadonlySet<number> | undefined {
  if (field === '*') return undefined;
  const values = new Set<number>();
  for (const element of field.split(',')) {
    const [low, high = low] = element.split('-').map(Number);
    for (let value = low; value <= high; value++) values.add(value);
  }
  return values;
}

const known = new Map<string, DueDays>();

export function dueDaysOf(cron: string, timeZone: string): DueDays {
  const key = `${timeZone}\n${cron}`;
  let days = known.get(key);
  if (days === undefined) {
    days = new DueDays(cron, timeZone);
    known.set(key, days);
  }
  return days;
}

/**
 * When a schedule is due, as the oracle sees it: at the starts of civil minutes whose local fields match (B1). A minute
 * that a change of the clocks skips has no instant, and one that happens twice has two, because only what clocks show is
 * ever looked at, stretch by stretch.
 *
 * A task may ask for more (H3, H5): only some days; each local time once, whatever clocks do; all dues moved by a constant.
 *
 * Days that cannot match are passed over without asking what clocks show on them. Offsets are less than a day, so the
 * local day number n lies between the beginning of the UTC day n − 1 and the end of the UTC day n + 1.
 */
import type { TracedDayRule } from '../../trace/record.ts';
import { type CivilClock, civilClock, DAY_MS, END_OF_TIME, MINUTE_MS, type Stretch } from './civil-clock.ts';
import { type CronFields, cronFields } from './cron-fields.ts';

export interface MinuteMatcher {
  /** The first due instant strictly after (B4); `Infinity` if there is none within 400 years, or before `Date` ends. */
  next(after: number): number;
  /**
   * The last due instant at or before `at` (B4) and strictly after `floor`; `-Infinity` if there is none, or none within
   * 400 years.
   */
  previous(at: number, floor: number): number;
}

const MINUTES_PER_DAY = 1440;
/** After 400 years the calendar repeats: a schedule that was not due by then, such as `0 0 30 2 *`, never is. */
const HORIZON_MS = 146_097 * DAY_MS;

/** What a task asks for beyond its expression. */
export interface DueRules {
  /** Only these days count, by their local date. */
  readonly days?: TracedDayRule;
  /** H3: a local time that a change of the clocks skips is due right after the gap, one that comes twice is due once. */
  readonly clockChanges?: 'once';
  /** H5: all dues are so much later. */
  readonly offsetMs?: number;
}

/** Throws a plain error if the text is not a cron expression (C0, C1), or `Intl` does not know the zone. */
export function minuteMatcher(cron: string, timeZone: string, rules: DueRules = {}): MinuteMatcher {
  const matcher = new ZonedMatcher(cronFields(cron), civilClock(timeZone), rules);
  const { offsetMs = 0 } = rules;
  if (offsetMs === 0) return matcher;
  return {
    next: (after) => matcher.next(after - offsetMs) + offsetMs,
    previous: (at, floor) => matcher.previous(at - offsetMs, floor - offsetMs) + offsetMs,
  };
}

/** Local minutes and days are counted from 1970-01-01 00:00 local time. */
class ZonedMatcher implements MinuteMatcher {
  readonly #fields: CronFields;
  readonly #clock: CivilClock;
  readonly #days: TracedDayRule | undefined;
  readonly #isOnce: boolean;

  constructor(fields: CronFields, clock: CivilClock, { days, clockChanges }: DueRules) {
    this.#fields = fields;
    this.#clock = clock;
    this.#days = days;
    this.#isOnce = clockChanges === 'once' && !fields.isEveryHour;
  }

  /** It does not look for one from the horizon on, though it may find one there. */
  next(after: number, horizon = Math.min(after + HORIZON_MS, END_OF_TIME)): number {
    let stretch = this.#clock.stretchAt(after);
    let minute = Math.floor((after + stretch.offset) / MINUTE_MS) + 1;
    for (;;) {
      if (this.#isOnce && stretch.start > after && this.#isAfterMissed(stretch)) return stretch.start;
      let due = this.#firstFrom(minute, stretch);
      while (this.#isOnce && due < stretch.end && this.#isSecondTime(due, stretch))
        due = this.#firstFrom((due + stretch.offset) / MINUTE_MS + 1, stretch);
      if (due < stretch.end) return due;
      let day = Math.floor(stretch.end / DAY_MS) - 1;
      while (day <= horizon / DAY_MS + 1 && !this.#isDay(day)) day++;
      const start = Math.max(stretch.end, (day - 1) * DAY_MS);
      if (start >= horizon) return Number.POSITIVE_INFINITY;
      stretch = this.#clock.stretchAt(start);
      minute = Math.ceil((start + stretch.offset) / MINUTE_MS);
    }
  }

  previous(at: number, floor: number): number {
    const limit = Math.max(floor, at - HORIZON_MS, -END_OF_TIME);
    // Ever larger spans, until one has a due in it; then its last due is found by halving. Dues are at least a second apart.
    let due = Number.POSITIVE_INFINITY;
    for (let from = at, span = MINUTE_MS; from > limit && due > at; span *= 2) {
      from = Math.max(limit, at - span);
      due = this.next(from, at + 1);
    }
    if (due > at) return Number.NEGATIVE_INFINITY;
    for (let end = at; end - due >= 1000; ) {
      const middle = Math.floor((due + end) / 2);
      const later = this.next(middle, end + 1);
      if (later <= end) due = later;
      else end = middle;
    }
    return due;
  }

  /** Whether clocks have shown the local time of an instant before. No zone sets its clocks back by more than a day. */
  #isSecondTime(at: number, { start, offset }: Stretch): boolean {
    for (let before = start; before > at - DAY_MS && before > -END_OF_TIME; ) {
      const earlier = this.#clock.stretchAt(before - 1);
      const then = at + offset - earlier.offset;
      if (then >= earlier.start && then < earlier.end) return true;
      before = earlier.start;
    }
    return false;
  }

  /** Whether clocks jump ahead to the beginning of a stretch, over a local time that matches. */
  #isAfterMissed({ start, offset }: Stretch): boolean {
    if (start <= -END_OF_TIME) return false;
    const before = this.#clock.stretchAt(start - 1).offset;
    const missed = { start, end: start + offset, offset: 0 };
    return before < offset && this.#firstFrom(Math.ceil((start + before) / MINUTE_MS), missed) < missed.end;
  }

  /** The instant of the first matching minute from a local one on; not before the end of the stretch if it has none. */
  #firstFrom(minute: number, { end, offset }: Stretch): number {
    while (minute * MINUTE_MS - offset < end) {
      const day = Math.floor(minute / MINUTES_PER_DAY);
      const midnight = day * MINUTES_PER_DAY;
      const time = this.#isDay(day) ? this.#timeFrom(minute - midnight) : MINUTES_PER_DAY;
      if (time < MINUTES_PER_DAY) return (midnight + time) * MINUTE_MS - offset;
      minute = midnight + MINUTES_PER_DAY;
    }
    return Number.POSITIVE_INFINITY;
  }

  /** The first matching minute of a day from one on; 1,440 if there is none. */
  #timeFrom(time: number): number {
    const { hour, minute } = this.#fields;
    let hours = Math.floor(time / 60);
    let minutes = time - hours * 60;
    for (; hours < 24; hours++, minutes = 0) {
      if (!hour[hours]) continue;
      while (minutes < 60 && !minute[minutes]) minutes++;
      if (minutes < 60) return hours * 60 + minutes;
    }
    return MINUTES_PER_DAY;
  }

  /** Whether the date and the weekday match (C2). */
  #isDay(day: number): boolean {
    const { month, day: date, weekday, isEitherDay } = this.#fields;
    const midnight = new Date(day * DAY_MS);
    if (!month[midnight.getUTCMonth() + 1]) return false;
    const isDate = date[midnight.getUTCDate()];
    const isWeekday = weekday[midnight.getUTCDay()];
    const isMatching = isEitherDay ? isDate || isWeekday : isDate && isWeekday;
    return isMatching && (this.#days === undefined || isDayOf(this.#days, midnight));
  }
}

function isDayOf(rule: TracedDayRule, midnight: Date): boolean {
  if ('everyWeeks' in rule) {
    const days = (midnight.getTime() - Date.parse(rule.from)) / DAY_MS;
    return days >= 0 && Math.floor(days / 7) % rule.everyWeeks === 0;
  }
  const date = midnight.getUTCDate();
  const lastDate = new Date(midnight).setUTCMonth(midnight.getUTCMonth() + 1, 0);
  const daysLeft = (lastDate - midnight.getTime()) / DAY_MS;
  if ('last' in rule) return daysLeft === rule.last;
  const isNth = rule.nth === Math.ceil(date / 7) || rule.nth === -Math.ceil((daysLeft + 1) / 7);
  return midnight.getUTCDay() === rule.weekday && isNth;
}

/**
 * The due instants of one task: an expression in a zone, as its policy narrows and moves them (H3, H5).
 *
 *     expression in the zone (B1)  ─▶  days that count  ─▶  clock changes served once  ─▶  moved by a constant offset
 *
 * Each step is a pair of searches, `next` strictly after and `previous` at or before (B4), made of the pair before it. A plain task has
 * the first pair alone.
 */
import type { Zone } from '../time/zone.ts';
import { type DayRule, type DayTest, dayTestOf } from './day-rule.ts';
import { nextDue, previousDue } from './due.ts';
import { minuteFrom, type Schedule } from './schedule.ts';

/** The due instants of a task, in epoch milliseconds. */
export interface Calendar {
  /** The first due instant strictly after; `Infinity` if there is none. */
  next(after: number): number;
  /** The last due instant at or before; `-Infinity` if there is none. */
  previous(at: number): number;
}

/** What a policy makes of the due instants. */
export interface CalendarRules {
  readonly days: DayRule | undefined;
  /** Whether a time that a clock change skips or repeats is due once (H3); otherwise it is due never or twice (B1). */
  readonly once: boolean;
  /** By how much every instant is moved, in milliseconds (H5). */
  readonly offsetMs: number;
}

const MINUTE_MS = 60_000;
const MINUTES_PER_DAY = 1440;
const DAY_MS = MINUTES_PER_DAY * MINUTE_MS;
/** No two offsets are farther apart. */
const SPREAD_MS = 2 * DAY_MS;
/** What has not come in 400 years never will: the calendar repeats. */
const HORIZON_MS = 146_097 * DAY_MS;

export function calendarOf(schedule: Schedule, zone: Zone, rules: CalendarRules): Calendar {
  const { days, once, offsetMs } = rules;
  const isIn = days === undefined ? undefined : dayTestOf(days);
  let calendar: Calendar = {
    next: (after) => nextDue(schedule, zone, after),
    previous: (at) => previousDue(schedule, zone, at),
  };
  if (isIn !== undefined) calendar = onDays(calendar, zone, isIn);
  if (once) calendar = eachOnce(calendar, schedule, zone, isIn ?? (() => true));
  return offsetMs === 0 ? calendar : moved(calendar, offsetMs);
}

/** Only the instants whose local date passes. Days that do not are skipped as a whole. */
function onDays(all: Calendar, zone: Zone, isIn: DayTest): Calendar {
  return {
    next(after) {
      for (let from = after; ; ) {
        const due = all.next(from);
        if (due === Number.POSITIVE_INFINITY || due - after > HORIZON_MS) return Number.POSITIVE_INFINITY;
        const { offset, end } = zone.at(due);
        const day = Math.floor((due + offset) / DAY_MS);
        if (isIn(day)) return due;
        // To the end of the day, but not past a clock change, after which the day may end earlier.
        from = Math.min((day + 1) * DAY_MS - offset, end) - 1;
      }
    },
    previous(at) {
      for (let from = at; ; ) {
        const due = all.previous(from);
        if (due === Number.NEGATIVE_INFINITY || at - due > HORIZON_MS) return Number.NEGATIVE_INFINITY;
        const { offset, start } = zone.at(due);
        const day = Math.floor((due + offset) / DAY_MS);
        if (isIn(day)) return due;
        from = Math.max(day * DAY_MS - offset, start) - 1;
      }
    },
  };
}

/**
 * A local time that a change skips is due at the first instant after the gap. One that happens twice is due the first time only.
 * So the instants are those of the expression without repetitions, and the ends of gaps in which a matching minute was skipped.
 */
function eachOnce(all: Calendar, schedule: Schedule, zone: Zone, isIn: DayTest): Calendar {
  const skips = (from: number, to: number): boolean => hasMinute(schedule, isIn, from, to);
  return {
    next(after) {
      for (let from = after; ; ) {
        const due = all.next(from);
        const gap = firstGap(zone, from, Math.min(due, from + HORIZON_MS), skips);
        if (gap !== undefined) return gap;
        if (due === Number.POSITIVE_INFINITY || !isRepeated(zone, due)) return due;
        from = due;
      }
    },
    previous(at) {
      for (let from = at; ; ) {
        const due = all.previous(from);
        const gap = lastGap(zone, Math.max(due, from - HORIZON_MS), from, skips);
        if (gap !== undefined) return gap;
        if (due === Number.NEGATIVE_INFINITY || !isRepeated(zone, due)) return due;
        from = due - 1;
      }
    },
  };
}

type Skips = (fromLocal: number, toLocal: number) => boolean;

/** The first instant after `after` and up to `until` at which the clock skips a matching minute. */
function firstGap(zone: Zone, after: number, until: number, skips: Skips): number | undefined {
  for (let segment = zone.at(after); segment.end <= until; ) {
    const following = zone.at(segment.end);
    if (skips(segment.end + segment.offset, segment.end + following.offset)) return segment.end;
    segment = following;
  }
  return undefined;
}

/** The last such instant from `from` to `at`. */
function lastGap(zone: Zone, from: number, at: number, skips: Skips): number | undefined {
  for (let segment = zone.at(at); segment.start >= from && segment.start > Number.NEGATIVE_INFINITY; ) {
    const earlier = zone.at(segment.start - 1);
    if (skips(segment.start + earlier.offset, segment.start + segment.offset)) return segment.start;
    segment = earlier;
  }
  return undefined;
}

/** Whether a matching minute of a day that counts begins in a stretch of local time; an empty one, where the clock goes back, has none. */
function hasMinute(schedule: Schedule, isIn: DayTest, from: number, to: number): boolean {
  if (to <= from) return false;
  for (let minute = Math.ceil(from / MINUTE_MS); ; ) {
    minute = minuteFrom(schedule, minute);
    if (minute * MINUTE_MS >= to) return false;
    const day = Math.floor(minute / MINUTES_PER_DAY);
    if (isIn(day)) return true;
    minute = (day + 1) * MINUTES_PER_DAY;
  }
}

/** Whether the local time of an instant has been there before. */
function isRepeated(zone: Zone, at: number): boolean {
  const { offset, start } = zone.at(at);
  for (let begin = start; begin > at - SPREAD_MS; ) {
    const earlier = zone.at(begin - 1);
    const before = at + offset - earlier.offset;
    if (before >= earlier.start && before < earlier.end && before < at) return true;
    begin = earlier.start;
  }
  return false;
}

const moved = (all: Calendar, offsetMs: number): Calendar => ({
  next: (after) => all.next(after - offsetMs) + offsetMs,
  previous: (at) => all.previous(at - offsetMs) + offsetMs,
});

/** The offset of a task (H5): the same on every machine and after every restart, in whole seconds from 0 to less than `jitterMs`. */
export function jitterOffset(name: string, jitterMs: number): number {
  let hash = 2_166_136_261; // FNV-1a, over UTF-16 code units
  for (let index = 0; index < name.length; index++)
    hash = Math.imul(hash ^ name.charCodeAt(index), 16_777_619);
  return (mixed(hash) % Math.floor(jitterMs / 1000)) * 1000;
}

/** The end of MurmurHash3. FNV-1a alone puts `shard-1` and `shard-2` next to each other, since its prime is 59 modulo 60. */
function mixed(hash: number): number {
  let value = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}

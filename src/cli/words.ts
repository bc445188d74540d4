/** Times as people read and write them: lengths of time, what the clock on the wall shows, how far away, and back from text. */

import type { Zone } from '../cron/index.ts';
import { clockTime, wholeDuration } from '../text/words.ts';
import { CliError } from './errors.ts';
import { printable } from './terminal/text.ts';

export { duration, wholeDuration } from '../text/words.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const DAY_MS = 1440 * MINUTE_MS;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const pad = (value: number): string => String(value).padStart(2, '0');

/** How long until an instant. A second that has begun counts, so that "1 s" is never already over. */
export const countdown = (ms: number): string =>
  wholeDuration(Math.ceil(Math.max(0, ms) / SECOND_MS) * SECOND_MS);

/** "in 2 h 30 min", "3 d ago", "now". */
export function distanceText(ms: number): string {
  if (Math.abs(ms) < SECOND_MS) return 'now';
  return ms < 0 ? `${wholeDuration(-ms)} ago` : `in ${wholeDuration(ms)}`;
}

/** A local minute as if it were one of UTC, to read its date. */
const dateOf = (localMinute: number): Date => new Date(Math.floor(localMinute) * MINUTE_MS);

/** "2027-03-28" for a local minute, counted from 1970-01-01 00:00 local time. */
export function isoDate(localMinute: number): string {
  const date = dateOf(localMinute);
  const year = String(date.getUTCFullYear()).padStart(4, '0');
  return `${year}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())}`;
}

/** "Sun 2027-03-28 02:30" for a local minute. */
export const wallTime = (localMinute: number): string =>
  `${WEEKDAYS[dateOf(localMinute).getUTCDay()]} ${isoDate(localMinute)} ${clockTime(localMinute)}`;

/** What a zone's clock shows at an instant, as local minutes; seconds are a fraction. */
export const localMinuteAt = (zone: Zone, instant: number): number =>
  (instant + zone.at(instant).offset) / MINUTE_MS;

/** "2027-03-28T02:30:00.000": what a zone's clock shows at an instant. */
const shown = (at: number, zone: Zone): string =>
  new Date(at + zone.at(at).offset).toISOString().replace('Z', '');

/** "+01:00", or with seconds where a zone once had some. */
export function offsetText(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / SECOND_MS;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${offsetMs < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}${rest === 0 ? '' : `:${pad(rest)}`}`;
}

/** "06:00:00". */
export const clock = (at: number, zone: Zone): string => shown(at, zone).slice(11, 19);

/** "06:00" within a day, "Tue 06:00" within a week, else "2027-03-01 06:00". */
export function dayAndTime(at: number, now: number, zone: Zone): string {
  const time = shown(at, zone).slice(11, 16);
  if (Math.abs(at - now) < DAY_MS) return time;
  const date = wallTime(Math.floor(localMinuteAt(zone, at)));
  return at > now && at - now < 6 * DAY_MS ? `${date.slice(0, 4)}${time}` : date.slice(4);
}

/** "Sun 2027-03-28 02:30 +01:00". */
export const localText = (zone: Zone, instant: number): string =>
  `${wallTime(Math.floor(localMinuteAt(zone, instant)))} ${offsetText(zone.at(instant).offset)}`;

/** "02:30" on the day of another instant, "2027-03-28 02:30" on other days. */
export function shortTime(zone: Zone, at: number, other: number): string {
  const text = localText(zone, at);
  const isSameDay = isoDate(localMinuteAt(zone, at)) === isoDate(localMinuteAt(zone, other));
  return isSameDay ? text.slice(15, 20) : text.slice(4, 20);
}

/** "2027-03-28T02:30:00+01:00", for programs. */
export const localIso = (zone: Zone, instant: number): string =>
  shown(instant, zone).replace(/\.000$/, '') + offsetText(zone.at(instant).offset);

/** "2027-03-01T06:00:00.000+01:00": local time with the offset, so that people can read a log and programs can compare it. */
export function timestamp(at: number, zone: Zone): string {
  const { offset } = zone.at(at);
  return shown(at, zone) + (offset === 0 ? 'Z' : offsetText(offset));
}

const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * The instant that a date or a time means. With an offset at its end it is exact; without one it is what the zone's clock shows. A time
 * that comes twice means the first; a time that is skipped means the instant of the change.
 */
export function readMoment(text: string, zone: Zone): number {
  const parts = WRITTEN.exec(text.trim());
  if (parts === null) throw notAMoment(text);
  const [, year, month, day, hour = '0', minute = '0', second = '0', offset] = parts;
  const local = Date.UTC(+year, +month - 1, +day, +hour, +minute, +second);
  const fields = `${year}-${month}-${day}T${pad(+hour)}:${pad(+minute)}:${pad(+second)}`;
  // A 30 February would quietly become a day of March.
  if (Number.isNaN(local) || new Date(local).toISOString().slice(0, 19) !== fields) throw notAMoment(text);
  if (offset === undefined) return instantOfLocal(zone, local);
  const [hours, minutes] = /^z$/i.test(offset) ? [0, 0] : [+offset.slice(1, 3), +offset.slice(-2)];
  return local - (offset.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * MINUTE_MS;
}

const notAMoment = (text: string): CliError =>
  new CliError(
    'usage',
    `"${printable(text)}" is not a date or a time; write 2027-03-28, 2027-03-28T02:30 or 2027-03-28T01:30:00Z`,
  );

/**
 * The instant at which a zone's clock shows a local time, in milliseconds; the first of two, or the change that skips it.
 *
 * No zone is farther from UTC than a day, so the offsets a day before and after are those around any change.
 */
export function instantOfLocal(zone: Zone, local: number): number {
  const offsets = [zone.at(local - DAY_MS).offset, zone.at(local + DAY_MS).offset];
  const found = offsets
    .map((offset) => local - offset)
    .filter((instant) => instant + zone.at(instant).offset === local);
  return found.length > 0 ? Math.min(...found) : zone.at(local - offsets[0]).start;
}

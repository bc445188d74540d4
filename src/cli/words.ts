/** Instants as people read them: what the clock on the wall shows, how far away, and back from what people write. */
import { clockTime } from '../cron/words.ts';
import { dateOf } from '../time/civil.ts';
import type { Zone } from '../time/zone.ts';
import { UsageError } from './errors.ts';
import { printable } from './terminal/text.ts';
import { wholeDuration } from './when.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];

const pad = (value: number): string => String(value).padStart(2, '0');

/** "2027-03-28" for a local minute, counted from 1970-01-01 00:00 local time. */
export function isoDate(localMinute: number): string {
  const { year, month, day } = dateOf(Math.floor(localMinute / 1440));
  return `${String(year).padStart(4, '0')}-${pad(month)}-${pad(day)}`;
}

/** "Sun 2027-03-28 02:30" for a local minute. */
export const wallTime = (localMinute: number): string =>
  `${WEEKDAYS[dateOf(Math.floor(localMinute / 1440)).weekday]} ${isoDate(localMinute)} ${clockTime(localMinute)}`;

/** "+01:00", or with seconds where a zone once had some. */
export function offsetText(offsetMs: number): string {
  const seconds = Math.abs(offsetMs) / 1000;
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return `${offsetMs < 0 ? '-' : '+'}${pad(hours)}:${pad(minutes)}${rest === 0 ? '' : `:${pad(rest)}`}`;
}

/** What a zone's clock shows at an instant, as local minutes; seconds are a fraction. */
export const localMinuteAt = (zone: Zone, instant: number): number =>
  (instant + zone.at(instant).offset) / MINUTE_MS;

/** "Sun 2027-03-28 02:30 +01:00". */
export const localText = (zone: Zone, instant: number): string =>
  `${wallTime(Math.floor(localMinuteAt(zone, instant)))} ${offsetText(zone.at(instant).offset)}`;

/** "2027-03-28T02:30:00+01:00", for programs. */
export function localIso(zone: Zone, instant: number): string {
  const { offset } = zone.at(instant);
  return new Date(instant + offset).toISOString().replace(/(\.000)?Z$/, '') + offsetText(offset);
}

/** "in 2 h 30 min", "3 d ago", "now". */
export function distanceText(ms: number): string {
  if (Math.abs(ms) < 1000) return 'now';
  return ms < 0 ? `${wholeDuration(-ms)} ago` : `in ${wholeDuration(ms)}`;
}

const WRITTEN = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,3})?)?)?(Z|[+-]\d\d:?\d\d)?$/i;

/**
 * The instant that a date or a time means: with an offset behind, exactly that; without, what the zone's clock shows. Of a time
 * that comes twice it is the first; of one that is skipped, the instant of the change.
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

const notAMoment = (text: string): UsageError =>
  new UsageError(
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

/** The host: its Node, its clock, its zone and what it knows of zones. All of it is handed in, so that any host can be tried. */

import { type Zone, zoneOf } from '../../cron/index.ts';
import { UnknownTimeZoneError } from '../../errors.ts';
import type { TaskRecord } from '../../index.ts';
import { readZone } from '../args/values.ts';
import { isCliError } from '../errors.ts';
import { counted, printable } from '../terminal/text.ts';
import { isTooOld, OLDEST_NODE } from '../versions.ts';
import { wholeDuration } from '../words.ts';
import { type Check, fine, wrong } from './check.ts';

export const checkNode = (version: string): Check =>
  isTooOld(version)
    ? wrong('node', `Node ${version}`, `Obbligato needs ${OLDEST_NODE} or newer: install a newer Node`)
    : fine('node', `Node ${version}`);

/** When this was written: a clock before it is wrong, whatever else it is. */
const EARLIEST = Date.UTC(2026, 0, 1);
const LATEST = Date.UTC(2100, 0, 1);
/** The clock may lag behind what it once showed by as much as a step that moves nothing (B5). */
const TOLERATED_MS = 60_000;

/** A clock that is plainly wrong, or behind what the store's scheduler has already seen. */
export function checkClock(now: number, records: readonly TaskRecord[]): Check {
  const shown = new Date(now).toISOString();
  const advice = 'set the clock, and let NTP keep it (timedatectl set-ntp true)';
  if (now < EARLIEST || now > LATEST) return wrong('clock', `it shows ${shown}`, advice);
  const latest = Math.max(...records.map(({ servedThrough }) => servedThrough), Number.NEGATIVE_INFINITY);
  if (latest - now > TOLERATED_MS) {
    return wrong(
      'clock',
      `it shows ${shown}, ${wholeDuration(latest - now)} behind what the store has already served`,
      `${advice}; if it is right now, start the scheduler: it goes on from now`,
    );
  }
  return fine('clock', shown);
}

/** `setting` is the host's TZ, which counts only where the configuration names no zone. */
export function checkZone(named: string | undefined, setting: string | undefined, now: number): Check {
  try {
    const zone = readZone(named);
    if (named !== undefined) return fine('time zone', zone.name);
    const better = setting ? betterSetting(setting, zone, now) : undefined;
    if (better === undefined) return fine('time zone', `${zone.name} (the host's)`);
    return wrong(
      'time zone',
      `Node does not understand TZ=${printable(setting ?? '')}, and takes it for ${zone.name}`,
      `write TZ=${better}, or give the configuration a timeZone`,
    );
  } catch (error) {
    if (!isCliError(error, 'usage')) throw error;
    const advice =
      named === undefined
        ? 'set TZ to an IANA name such as Europe/Stockholm, or give the configuration a timeZone'
        : "give the configuration's timeZone an IANA name";
    return wrong('time zone', error.message, advice);
  }
}

/** The tz database, `2026c`: its year is what counts. Governments change their minds; an old one is wrong somewhere. */
export function checkZoneData(version: string | undefined, now: number): Check {
  const year = Number(version?.slice(0, 4));
  if (version === undefined || Number.isNaN(year)) {
    return wrong('zone data', 'this Node has no tz database', 'use a Node with full ICU, as from nodejs.org');
  }
  const age = new Date(now).getUTCFullYear() - year;
  return age <= 1
    ? fine('zone data', `tz ${version}`)
    : wrong('zone data', `tz ${version} is ${counted(age, 'year')} old`, 'update Node, which brings its own');
}

/**
 * The value of `TZ` to write instead; undefined if Node reads it as it was meant. Node keeps the offset of winter for a path to a file
 * of the tz database. It takes a POSIX setting with summer time, and anything that it does not know, for UTC, without a warning.
 * (docs/cron.md says what the library then does.)
 */
function betterSetting(setting: string, host: Zone, now: number): string | undefined {
  const written = setting.replace(/^:/, '');
  const meant = knownZone(written);
  const isUnderstood =
    meant === undefined ? fixedOffsetOf(written) === constantOf(host, now) : agree(meant, host, now);
  if (isUnderstood) return undefined;
  const inPath = knownZone(written.replace(/^.*\/zoneinfo\/(?:posix\/)?/, ''));
  return (meant ?? inPath)?.name ?? 'Europe/Paris';
}

function knownZone(name: string): Zone | undefined {
  try {
    return zoneOf(name);
  } catch (error) {
    if (error instanceof UnknownTimeZoneError) return undefined;
    throw error;
  }
}

/** `JST-9`: an abbreviation and the hours *west* of Greenwich, with no summer time behind. */
function fixedOffsetOf(setting: string): number | undefined {
  const hours = /^[A-Za-z]{3,}([+-]?\d{1,2})$/.exec(setting)?.[1];
  return hours === undefined ? undefined : 0 - Number(hours) * 3_600_000;
}

const MONTH_MS = 30 * 86_400_000;
/** A year around an instant: more than one summer time never fits between two of these. */
const instantsAround = (now: number): readonly number[] =>
  Array.from({ length: 13 }, (_, month) => now + month * MONTH_MS);

const agree = (a: Zone, b: Zone, now: number): boolean =>
  instantsAround(now).every((instant) => a.at(instant).offset === b.at(instant).offset);

/** The one offset of a zone that has no summer time; NaN, which is no offset, of another. */
function constantOf(zone: Zone, now: number): number {
  const [first, ...rest] = instantsAround(now).map((instant) => zone.at(instant).offset);
  return rest.every((offset) => offset === first) ? first : Number.NaN;
}

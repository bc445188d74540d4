/** The host: its Node, its clock, its zone and what it knows of zones. All of it is handed in, so that any host can be tried. */
import type { TaskRecord } from '../../core/record.ts';
import { UsageError } from '../errors.ts';
import { counted, printable } from '../terminal/text.ts';
import { wholeDuration } from '../when.ts';
import { readZone } from '../zone.ts';
import { type Check, fine, wrong } from './check.ts';
import { betterSetting } from './zone-setting.ts';

/** As in `engines` of package.json; a test holds the two together. */
export const OLDEST_NODE = '22.18';

export function checkNode(version: string): Check {
  const [major, minor] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE.split('.').map(Number);
  const isNew = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isNew
    ? fine('node', `Node ${version}`)
    : wrong('node', `Node ${version}`, `Obbligato needs ${OLDEST_NODE} or newer: install a newer Node`);
}

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
    if (!(error instanceof UsageError)) throw error;
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

/**
 * Does Node read `TZ` as it was meant? Of a path to a file of the tz database it keeps the offset of winter; a POSIX setting with
 * summer time, and whatever it does not know, it takes for UTC, without a word. (docs/cron.md says what the library then does.)
 */
import { UnknownTimeZoneError } from '../../errors.ts';
import { type Zone, zoneOf } from '../../time/zone.ts';

/** The setting to write instead; undefined if Node's own zone is what `TZ` says. */
export function betterSetting(setting: string, host: Zone, now: number): string | undefined {
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

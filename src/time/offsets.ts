/** What `Intl` says of a zone: how the runtime spells its name, and its offset from UTC at an instant. */
import { UnknownTimeZoneError } from '../errors.ts';
import { isLegacyName, suggestZones } from './zone-names.ts';

export interface ZoneOffsets {
  /** The runtime's name of the zone, the same for all names of it: `Asia/Calcutta` for `asia/kolkata`. */
  readonly canonical: string;
  /** What to add to an instant to get local time, in milliseconds. Takes microseconds: ask seldom. */
  readonly offsetAt: (instant: number) => number;
}

/** Throws {@link UnknownTimeZoneError} for what is not an IANA name. */
export function offsetsOf(name: string): ZoneOffsets {
  const format = formatFor(name);
  return {
    canonical: format.resolvedOptions().timeZone,
    offsetAt: (instant) => readOffset(format.format(instant)),
  };
}

function formatFor(name: string): Intl.DateTimeFormat {
  if (isLegacyName(name)) throw new UnknownTimeZoneError(name, suggestZones(name));
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      timeZoneName: 'longOffset',
      hour: 'numeric',
      hourCycle: 'h23',
    });
  } catch {
    throw new UnknownTimeZoneError(name, suggestZones(name));
  }
}

/** Reads the offset at the end of `01 GMT+01:00`, `01 GMT-00:44:30` or `01 GMT`. */
function readOffset(text: string): number {
  const sign = text.search(/[+-]/);
  if (sign === -1) return 0;
  const [hours = 0, minutes = 0, seconds = 0] = text
    .slice(sign + 1)
    .split(':')
    .map(Number);
  const offset = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return text[sign] === '-' ? -offset : offset;
}

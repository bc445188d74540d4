/** The zone in which a schedule runs: the one that was asked for, else the host's (B2). */
import { HostTimeZoneError, UnknownTimeZoneError } from '../errors.ts';
import { hostZoneName } from '../time/host.ts';
import { type Zone, zoneOf } from '../time/zone.ts';
import { UsageError } from './errors.ts';
import { printable } from './terminal/text.ts';

/** Throws a `UsageError` for what is no zone. */
export function readZone(name: string | undefined): Zone {
  try {
    return zoneOf(name ?? hostZoneName());
  } catch (error) {
    if (error instanceof UnknownTimeZoneError) throw new UsageError(printable(error.message));
    if (!(error instanceof HostTimeZoneError)) throw error;
    throw new UsageError(
      `The host's TZ="${printable(error.setting)}" names no IANA zone; set it to one, such as TZ=Europe/Stockholm`,
    );
  }
}

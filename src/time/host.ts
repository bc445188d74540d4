/**
 * What the pure folders may ask of the host: its clock and its zone. This is the only file of theirs that may (the tidy test
 * holds it), so that there is one place to look for a hidden clock.
 */
import { HostTimeZoneError } from '../errors.ts';
import { agreeingZone } from './host-zone.ts';

/** The host's wall clock, in epoch milliseconds (B0). */
export const hostNow = (): number => Date.now();

/** The zone for each value of `TZ` that was seen; undefined where there is none. */
const found = new Map<string | undefined, string | undefined>();
/** Far more values than a process ever gives `TZ`; a bound against one that makes them up. */
const MAX_SETTINGS = 256;

/**
 * The host's zone (B2): the one in which its `Date` runs. Asking takes some tenths of a millisecond, so the answer is kept
 * for every value of `TZ`, the one thing that can change it under a running process. Throws {@link HostTimeZoneError}.
 */
export function hostZoneName(): string {
  const setting = process.env.TZ;
  let name = found.get(setting);
  if (name === undefined && !found.has(setting)) {
    name = askHost();
    if (found.size >= MAX_SETTINGS) found.clear();
    found.set(setting, name);
  }
  if (name === undefined) throw new HostTimeZoneError(setting ?? '');
  return name;
}

function askHost(): string | undefined {
  const named: string | undefined = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return agreeingZone(named, hostNow(), (instant) => -new Date(instant).getTimezoneOffset());
}

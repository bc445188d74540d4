/**
 * Which zone is it in which a host's `Date` runs? `Intl` alone cannot be trusted with that. For `TZ=JST-9`, or a path
 * to a file of the tz database, it names no zone while `Date` runs at +9; for `TZ=GMT+3` it names +03:00 while `Date`, as
 * POSIX demands, runs at -3; for `TZ=BST` it names Asia/Dhaka while `Date` runs in UTC. So the two are compared, and
 * `Date` is right: it is what everything else on the host shows.
 */
import { offsetsOf } from './offsets.ts';

/**
 * The zone that `Intl` names, if `Date` agrees with it; else the fixed offset that `Date` has, as a name that `Intl` reads
 * (`+09:00`); undefined if its offset changes, or is none that can be named.
 */
export function agreeingZone(
  named: string | undefined,
  now: number,
  minutesAt: (instant: number) => number,
): string | undefined {
  const instants = instantsAround(now);
  const shown = instants.map(minutesAt);
  if (named !== undefined && named !== 'Etc/Unknown') {
    const { offsetAt } = offsetsOf(named);
    if (instants.every((instant, index) => offsetAt(instant) === shown[index] * 60_000)) return named;
  }
  return shown.every((minutes) => minutes === shown[0]) ? fixedOffset(shown[0]) : undefined;
}

/** Both halves of some years. None before 1985, since `Date` has offsets in minutes and some had seconds until 1972. */
function instantsAround(now: number): readonly number[] {
  const year = new Date(now).getUTCFullYear();
  return [1985, 2005, year - 1, year, year + 1].flatMap((each) => [
    Date.UTC(each, 0, 1),
    Date.UTC(each, 6, 1),
  ]);
}

function fixedOffset(minutes: number): string | undefined {
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  if (!Number.isInteger(minutes) || size >= 1440) return undefined;
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${minutes < 0 ? '-' : '+'}${pad(Math.floor(size / 60))}:${pad(size % 60)}`;
}

/**
 * Due instants: a schedule laid over a zone (B1, B2, B4). Everything here is epoch milliseconds; this is what the
 * scheduler calls, millions of times.
 *
 * A candidate is found in local time as if the clock of the current segment ran on for ever. If its instant still lies in the
 * segment, it is the answer. If not, the search goes on in the next segment, and there are three cases: the offset is the same (a
 * mere cut: keep the candidate); the clock went forward (keep it, unless it lies in the gap); the clock went back (search again
 * from the segment's first local minute, since minutes before the candidate repeat).
 *
 * A candidate that is far away is not walked to but jumped to. Offsets lie within a day of UTC, so no clock shows the
 * candidate earlier than two days before its instant, and two days after the question no clock shows a minute that was
 * already looked at. What lies between shows only minutes that were searched and do not match.
 */
import { MAX_INSTANT, type Zone } from '../time/zone.ts';
import { matchesMinute, minuteFrom, minuteUpTo, type Schedule } from './schedule.ts';

const MINUTE_MS = 60_000;
/**
 * The calendar repeats after 400 years, and so do the rules of every zone: what has not come by then never will. Only a
 * minute that a zone skips every single time could go that far. Rules that skip one for many years do exist: 00:30 of
 * 1 October in America/Asuncion did not happen from 1975 to 1988, so its `next` lies 15 years after its `previous`.
 */
const HORIZON_MS = 146_097 * 86_400_000;
/** No two offsets are farther apart. */
const SPREAD_MS = 2 * 86_400_000;

/** The first due instant strictly after `after`; `Infinity` if there is none that a `Date` can hold. */
export function nextDue(schedule: Schedule, zone: Zone, after: number): number {
  let segment = zone.at(after);
  let candidate = minuteFrom(schedule, Math.floor((after + segment.offset) / MINUTE_MS) + 1) * MINUTE_MS;
  const limit = Math.min(after + HORIZON_MS, MAX_INSTANT);
  for (;;) {
    const due = candidate - segment.offset;
    if (due < segment.end) return due <= MAX_INSTANT ? due : Number.POSITIVE_INFINITY;
    if (segment.end > limit) return Number.POSITIVE_INFINITY;
    const isFar = due - SPREAD_MS > segment.end && segment.end >= after + SPREAD_MS;
    const following = zone.at(isFar ? due - SPREAD_MS : segment.end);
    if (following.end <= segment.end) throw stuck(zone, segment.end);
    if (following.offset !== segment.offset && !isFar) {
      const entry = segment.end + following.offset;
      if (following.offset < segment.offset || candidate < entry) {
        candidate = minuteFrom(schedule, Math.ceil(entry / MINUTE_MS)) * MINUTE_MS;
      }
    }
    segment = following;
  }
}

/** The last due instant at or before `at`; `-Infinity` if there is none that a `Date` can hold. */
export function previousDue(schedule: Schedule, zone: Zone, at: number): number {
  let segment = zone.at(at);
  let candidate = minuteUpTo(schedule, Math.floor((at + segment.offset) / MINUTE_MS)) * MINUTE_MS;
  const limit = Math.max(at - HORIZON_MS, -MAX_INSTANT);
  for (;;) {
    const due = candidate - segment.offset;
    if (due >= segment.start) return due >= -MAX_INSTANT ? due : Number.NEGATIVE_INFINITY;
    if (segment.start < limit) return Number.NEGATIVE_INFINITY;
    const isFar = due + SPREAD_MS < segment.start && segment.start <= at - SPREAD_MS;
    const earlier = zone.at(isFar ? due + SPREAD_MS : segment.start - 1);
    if (earlier.start >= segment.start) throw stuck(zone, segment.start);
    if (earlier.offset !== segment.offset && !isFar) {
      const exit = segment.start + earlier.offset;
      if (earlier.offset > segment.offset || candidate >= exit) {
        candidate = minuteUpTo(schedule, Math.ceil(exit / MINUTE_MS) - 1) * MINUTE_MS;
      }
    }
    segment = earlier;
  }
}

/** Every turn of a search goes to a later segment, or to an earlier one, and so the search ends: no zone may be otherwise. */
const stuck = (zone: Zone, at: number): Error =>
  new Error(`Internal error: beyond ${at} the zone ${zone.name} gives a segment that was already searched`);

/** Whether the civil minute that holds an instant matches; what is below the minute does not count. */
export function matchesAt(schedule: Schedule, zone: Zone, at: number): boolean {
  return matchesMinute(schedule, Math.floor((at + zone.at(at).offset) / MINUTE_MS));
}

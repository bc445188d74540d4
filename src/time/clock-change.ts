/** When a zone's clocks change next, and by how much. */
import { MAX_INSTANT, type Zone } from './zone.ts';

/** A change of a zone's clock. Offsets are what to add to an instant to get local time, in milliseconds. */
export interface ClockChange {
  /** The first instant of the new offset, in epoch milliseconds. */
  readonly at: number;
  readonly offsetBefore: number;
  readonly offsetAfter: number;
}

/** The first change after an instant and before another, or undefined. */
export function nextClockChange(zone: Zone, after: number, before: number): ClockChange | undefined {
  const limit = Math.min(before, MAX_INSTANT);
  let segment = zone.at(after);
  while (segment.end < limit) {
    const following = zone.at(segment.end);
    if (following.offset !== segment.offset) {
      return { at: segment.end, offsetBefore: segment.offset, offsetAfter: following.offset };
    }
    segment = following;
  }
  return undefined;
}

const TEN_YEARS_MS = 3653 * 86_400_000;

/** The changes of a zone's clock after one instant and before another, by default in the next ten years; both in epoch milliseconds. */
export function* clockChanges(
  zone: Zone,
  after: number,
  before = after + TEN_YEARS_MS,
): Generator<ClockChange, undefined> {
  let change = nextClockChange(zone, after, before);
  for (; change !== undefined; change = nextClockChange(zone, change.at, before)) yield change;
  return undefined;
}

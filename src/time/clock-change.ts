/** When a zone's clocks change next, and by how much. */
import { MAX_INSTANT, type Zone } from './zone.ts';

export interface ClockChange {
  /** The first instant of the new offset. */
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

/** What the changes of a zone's clock do to a schedule: which of its minutes are skipped, and which come twice (B1). */
import { minuteFrom, type Schedule } from '../../cron/schedule.ts';
import { type ClockChange, nextClockChange } from '../../time/clock-change.ts';
import type { Zone } from '../../time/zone.ts';

const MINUTE_MS = 60_000;
const TEN_YEARS_MS = 3653 * 86_400_000;

export interface Effect {
  readonly change: ClockChange;
  /** What the clock shows right before, and right after, in local minutes. */
  readonly before: number;
  readonly after: number;
  readonly effect: 'skipped' | 'doubled' | 'none';
  /** The matching local minutes that are skipped or come twice. */
  readonly minutes: readonly number[];
}

/** What one change does to a schedule. */
export function effectOf(schedule: Schedule, change: ClockChange): Effect {
  const before = (change.at + change.offsetBefore) / MINUTE_MS;
  const after = (change.at + change.offsetAfter) / MINUTE_MS;
  const minutes = minutesBetween(schedule, Math.ceil(Math.min(before, after)), Math.max(before, after));
  const effect = minutes.length === 0 ? 'none' : after > before ? 'skipped' : 'doubled';
  return { change, before, after, effect, minutes };
}

/** The changes of a zone's clock after one instant and before another, ten years on at most. */
export function* clockChanges(
  zone: Zone,
  after: number,
  before = after + TEN_YEARS_MS,
): Generator<ClockChange, undefined> {
  let change = nextClockChange(zone, after, before);
  for (; change !== undefined; change = nextClockChange(zone, change.at, before)) yield change;
  return undefined;
}

function minutesBetween(schedule: Schedule, from: number, before: number): number[] {
  const found: number[] = [];
  for (let minute = minuteFrom(schedule, from); minute < before; minute = minuteFrom(schedule, minute + 1)) {
    found.push(minute);
  }
  return found;
}

/** The next due instants of a schedule, with the minutes among them that a clock change skips or doubles. */
import { nextDue } from '../../cron/due.ts';
import type { Schedule } from '../../cron/schedule.ts';
import { nextClockChange } from '../../time/clock-change.ts';
import type { Zone } from '../../time/zone.ts';
import { clockChanges, effectOf } from './changes.ts';

/** Longer than any clock was ever set back. */
const REACH_MS = 2 * 86_400_000;

/** Which of the two comings of its local minute an instant is; `only` for all but those at a clock that goes back. */
export type Coming = 'only' | 'first' | 'second';

export type Upcoming =
  | { readonly kind: 'due'; readonly at: number; readonly coming: Coming }
  /** A local minute that matches and does not happen, and the change that skips it, from and to. */
  | {
      readonly kind: 'skipped';
      readonly minute: number;
      readonly at: number;
      readonly before: number;
      readonly after: number;
    };

/** The next `count` due instants, and the skipped minutes before the last of them, in order. */
export function upcoming(schedule: Schedule, zone: Zone, from: number, count: number): Upcoming[] {
  const found: Upcoming[] = [];
  let last = from;
  for (let left = count; left > 0; left--) {
    const at = nextDue(schedule, zone, last);
    if (at === Number.POSITIVE_INFINITY) break;
    found.push(...skippedBetween(schedule, zone, last, at), {
      kind: 'due',
      at,
      coming: comingOf(zone, at),
    });
    last = at;
  }
  return found;
}

function* skippedBetween(schedule: Schedule, zone: Zone, after: number, upTo: number): Generator<Upcoming> {
  for (const change of clockChanges(zone, after, upTo + 1)) {
    const { effect, minutes, before, after: shown } = effectOf(schedule, change);
    if (effect !== 'skipped') continue;
    for (const minute of minutes) yield { kind: 'skipped', minute, at: change.at, before, after: shown };
  }
}

/** Looks for a clock that goes back shortly before or after, over the minute that it shows now. */
function comingOf(zone: Zone, at: number): Coming {
  const { offset } = zone.at(at);
  const shown = at + offset;
  const ahead = nextClockChange(zone, at, at + REACH_MS);
  if (ahead !== undefined && shown >= ahead.at + ahead.offsetAfter) return 'first';
  const behind = nextClockChange(zone, at - REACH_MS, at + 1);
  if (behind !== undefined && shown < behind.at + behind.offsetBefore) return 'second';
  return 'only';
}

/** The next due instants of an expression or a task, with the minutes among them that a clock change skips or doubles. */

import { calendarFor, type Scheduled } from '../../config.ts';
import { type CronExpression, clockChanges, type Zone } from '../../cron/index.ts';
import { duesAfter, isPlain } from './calendars.ts';

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

/** The next `count` due instants of a task, and the skipped minutes before the last of them, in order. */
export function upcoming(
  task: Scheduled,
  expression: CronExpression,
  zone: Zone,
  from: number,
  count: number,
): Upcoming[] {
  const calendar = calendarFor(task, zone.name);
  const isAsWritten = isPlain(task);
  const found: Upcoming[] = [];
  let last = from;
  for (const at of duesAfter(calendar, from, count)) {
    if (isAsWritten) found.push(...skippedBetween(expression, zone, last, at));
    found.push({ kind: 'due', at, coming: isAsWritten ? comingOf(zone, at) : 'only' });
    last = at;
  }
  return found;
}

function* skippedBetween(
  expression: CronExpression,
  zone: Zone,
  from: number,
  upTo: number,
): Generator<Upcoming> {
  for (const change of clockChanges(zone, from, upTo + 1)) {
    const { effect, minutes, before, after } = expression.effectOf(change);
    if (effect !== 'skipped') continue;
    for (const minute of minutes) yield { kind: 'skipped', minute, at: change.at, before, after };
  }
}

/** Looks for a clock that goes back shortly before or after, over the minute that it shows now. */
function comingOf(zone: Zone, at: number): Coming {
  const shown = at + zone.at(at).offset;
  const ahead = clockChanges(zone, at, at + REACH_MS).next().value;
  if (ahead !== undefined && shown >= ahead.at + ahead.offsetAfter) return 'first';
  const behind = clockChanges(zone, at - REACH_MS, at + 1).next().value;
  if (behind !== undefined && shown < behind.at + behind.offsetBefore) return 'second';
  return 'only';
}

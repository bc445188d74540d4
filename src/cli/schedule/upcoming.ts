/** The next due instants of an expression, with the minutes among them that a clock change skips or doubles. */
import { type CronExpression, clockChanges, type Zone } from '../../cron/index.ts';

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
export function upcoming(expression: CronExpression, zone: Zone, from: number, count: number): Upcoming[] {
  const found: Upcoming[] = [];
  let last = from;
  for (const due of expression.occurrences(new Date(from)).take(count)) {
    const at = due.getTime();
    found.push(...skippedBetween(expression, zone, last, at), {
      kind: 'due',
      at,
      coming: comingOf(zone, at),
    });
    last = at;
  }
  return found;
}

/** The first due instant after another; undefined if there is none that a `Date` can hold. */
export const dueAfter = (expression: CronExpression, instant: number): number | undefined =>
  expression.occurrences(new Date(instant)).next().value?.getTime();

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

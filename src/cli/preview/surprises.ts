/** What the changes of the clock do to the tasks: those in the days looked at, or else the next one to come. */

import { type ClockChange, clockChanges } from '../../cron/index.ts';
import { clockTime, join, ranges } from '../../text/words.ts';
import type { Forecast, Group } from './forecast.ts';

const TEN_YEARS_MS = 3653 * 86_400_000;

export interface Surprise {
  readonly change: ClockChange;
  /** What the clock shows right before, and right after, in local minutes. */
  readonly before: number;
  readonly after: number;
  /** Whether it lies in the days looked at. */
  readonly isWithin: boolean;
  readonly hits: readonly Hit[];
}

export interface Hit {
  readonly effect: 'skipped' | 'doubled';
  readonly tasks: readonly string[];
  /** "02:30", "02:00, 02:15 and 02:30", "60 minutes from 02:00 to 02:59". */
  readonly minutes: string;
}

/** An empty list: the clocks of the zone do not change in the next ten years. */
export function surprisesOf({ zone, from, to, groups }: Forecast): Surprise[] {
  const within = [...clockChanges(zone, from, to)];
  const next = within.length > 0 ? undefined : clockChanges(zone, to - 1, to + TEN_YEARS_MS).next().value;
  return [...within, ...(next === undefined ? [] : [next])].map((change) => ({
    change,
    before: (change.at + change.offsetBefore) / 60_000,
    after: (change.at + change.offsetAfter) / 60_000,
    isWithin: change.at < to,
    hits: hitsOf(groups, change),
  }));
}

/** Tasks to which the same happens share an entry. */
function hitsOf(groups: readonly Group[], change: ClockChange): Hit[] {
  const hits = new Map<string, Hit>();
  for (const { parsed, tasks, cron, followsClock } of groups) {
    if (!followsClock) continue;
    const { effect, minutes } = parsed.effectOf(change);
    // A task of every hour goes on at its pace right through the change, so there is nothing to say.
    if (effect === 'none' || isSteady(cron)) continue;
    const text = minutesText(minutes);
    const known = hits.get(text)?.tasks ?? [];
    hits.set(text, { effect, tasks: [...known, ...tasks], minutes: text });
  }
  return [...hits.values()];
}

/** Whether the hour field is `*`: such a task starts as often an hour as ever, whatever the hour is called. */
const isSteady = (cron: string): boolean => /^[ \t]*[^ \t]+[ \t]+\*[ \t]/.test(cron);

function minutesText(minutes: readonly number[]): string {
  if (minutes.length <= 6) return join(minutes.map(clockTime));
  return `${minutes.length} minutes (${ranges([...minutes], clockTime)
    .slice(0, 3)
    .join(', ')}${minutes.length > 60 ? ', …' : ''})`;
}

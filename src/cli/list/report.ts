/** A listing as a table for people, or as one JSON document for programs. */
import type { Io } from '../args/command.ts';
import { endText, requestText, stateText } from '../status/report.ts';
import { type Colours, roomOf, styleFor } from '../terminal/style.ts';
import { table, withoutSpare } from '../terminal/table.ts';
import { counted, printable, wrap } from '../terminal/text.ts';
import { countdown, localIso, localMinuteAt, wallTime } from '../words.ts';
import type { Listed, Listing } from './listing.ts';

/** What a narrow terminal can do without, the first first: the zone, the last end, the words, how far away. */
const SPARE = [6, 5, 4, 3];
const HEAD = ['TASK', 'STATE', 'NEXT', 'IN', 'WHEN', 'LAST END', 'ZONE'];

export function listingText(io: Io, listing: Listing, shown: readonly Listed[]): string {
  const colour = styleFor(io.stdout, io.env);
  const width = roomOf(io.stdout);
  const rows = shown.flatMap((task) => rowsOf(task, listing, colour));
  const lines = table(withoutSpare([HEAD.map(colour.dim), ...rows], width, SPARE), width);
  const hidden = listing.tasks.length - shown.length;
  const { unlisted, inspection } = listing;
  const requests = inspection?.requests ?? [];
  const remarks = [
    ...(hidden === 0 ? [] : [`${counted(hidden, 'more task')} not shown`]),
    ...(unlisted.length === 0
      ? []
      : [
          `Not in the configuration, and so forgotten at the next start: ${unlisted.map((name) => printable(name)).join(', ')}`,
        ]),
    ...(requests.length === 0
      ? []
      : [`Asked for, and not done yet: ${requests.map(requestText).join(', ')}`]),
  ].map((text) => colour.dim(wrap(text, width)));
  return `${[...lines, ...(remarks.length === 0 ? [] : ['', ...remarks])].join('\n')}\n`;
}

/** One row per start that is wanted; the task itself stands in the first. */
function rowsOf(task: Listed, { now, from }: Listing, colour: Colours): string[][] {
  const { name, status, starts, zone, when } = task;
  const first = [
    printable(name),
    status === undefined ? colour.dim('new') : stateText(status, colour),
    ...startCells(starts[0], task, from),
    when,
    status === undefined ? colour.dim('none') : endText(status, now, colour),
    colour.dim(zone.name),
  ];
  return [first, ...starts.slice(1).map((start) => ['', '', ...startCells(start, task, from), '', '', ''])];
}

const startCells = (start: number | undefined, { zone }: Listed, from: number): string[] =>
  start === undefined
    ? ['', '']
    : [wallTime(Math.floor(localMinuteAt(zone, start))), countdown(start - from)];

const iso = (instant: number | null | undefined): string | null =>
  instant === null || instant === undefined ? null : new Date(instant).toISOString();

export function listingDocument(
  { now, from, zone, unlisted, inspection }: Listing,
  shown: readonly Listed[],
): object {
  return {
    at: iso(now),
    from: iso(from),
    timeZone: zone.name,
    store: inspection?.location ?? null,
    owner: inspection?.owner ?? null,
    tasks: shown.map(({ name, cron, when, zone: own, starts, status }) => ({
      name,
      state: status?.state ?? 'new',
      cron,
      when,
      timeZone: own.name,
      next: starts.map((start) => ({ at: iso(start), local: localIso(own, start), inMs: start - from })),
      retryAt: iso(status?.record.pendingRetryUntil),
      pausedAt: iso(status?.record.pausedAt),
      lastOutcome: status?.lastOutcome ?? null,
      lastSuccessAt: iso(status?.record.lastSuccessAt),
      lastFailureAt: iso(status?.record.lastFailureAt),
      failures: status?.record.failures ?? 0,
      failingSince: iso(status?.record.failingSince),
      lastError: status?.record.lastError ?? null,
    })),
    unlisted,
  };
}

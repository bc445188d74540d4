/**
 * Lanes of a span of time: of each task its runs as bars, its due instants to come, and those that have no run of their own because a later run
 * served them too. What is too dense to be seen apart is put together, so that the size of a lane is bounded whatever the span.
 */
import { clockChanges, describeClockChange, zoneOf } from '../cron/index.ts';
import { type Past, type Run, tookMs } from './past.ts';
import type { Span } from './query.ts';
import { isPaused, type TaskEntry } from './task-entry.ts';

/** A lane is drawn on at most so many places. */
const PLACES = 480;
/** More due instants than this are shown as a band. */
const MOST_DUES = 240;
/** Due instants looked at, per lane, for those that no run of their own served. */
const MOST_LOOKED_AT = 500;
const MOST_CHANGES = 20;

/** Bars, each `[from, to, outcome, runs, attempt]`: several runs where they could not be shown apart, with the worst outcome of them. A run that was cut off ends where it began. */
type Bar = readonly [from: number, to: number, outcome: Run['outcome'], runs: number, attempt: number];

const WORST: readonly Run['outcome'][] = [
  'gave up',
  'failure',
  'timed out',
  'cut off',
  'cancelled',
  'interrupted',
  'success',
];

export function laneOf(entry: TaskEntry, past: Past, span: Span, at: number): object {
  const { record, state, timeZone } = entry;
  const runs = past.of(record.name);
  const ahead = aheadOf(entry, Math.max(span.from, at), span.to);
  return {
    name: record.name,
    state,
    pausedAt: record.pausedAt,
    timeZone,
    bars: barsOf(runs, span),
    runningSince: record.run?.startedAt ?? null,
    retryAt: record.pendingRetryUntil,
    next: entry.nextDueAt,
    shared: sharedOf(entry, runs, span, at),
    ...ahead,
  };
}

function barsOf(runs: readonly Run[], { from, to }: Span): Bar[] {
  const placeMs = (to - from) / PLACES;
  const bars: Bar[] = [];
  for (const run of runs) {
    const { calledAt, outcome, attempt } = run;
    const endedAt = calledAt + tookMs(run);
    if (endedAt < from || calledAt > to) continue;
    const last = bars.at(-1);
    if (last !== undefined && endedAt - last[0] < placeMs)
      bars[bars.length - 1] = [last[0], endedAt, worst(last[2], outcome), last[3] + 1, attempt];
    else bars.push([calledAt, endedAt, outcome, 1, attempt]);
  }
  return bars;
}

const worst = (a: Run['outcome'], b: Run['outcome']): Run['outcome'] =>
  WORST.indexOf(a) < WORST.indexOf(b) ? a : b;

/** Due instants to come, each `dues`; or how many, if there are too many. */
function aheadOf(
  entry: TaskEntry,
  from: number,
  to: number,
): { readonly dues: readonly number[]; readonly isDense: boolean } {
  const { calendar } = entry;
  const dues: number[] = [];
  if (calendar === undefined || isPaused(entry)) return { dues, isDense: false };
  for (let due = calendar.next(from); due < to; due = calendar.next(due)) {
    if (dues.length === MOST_DUES) return { dues: [], isDense: true };
    dues.push(due);
  }
  return { dues, isDense: false };
}

type SharedDue = readonly [due: number, servedAt: number | null];

/** Due instants without a run of their own, each with the call of the run that served it too; `null` for those that are owed still. */
function sharedOf(
  { calendar, record, state, nextDueAt }: TaskEntry,
  runs: readonly Run[],
  { from, to }: Span,
  at: number,
): readonly SharedDue[] {
  const shared: SharedDue[] = [];
  if (calendar === undefined) return shared;
  let left = MOST_LOOKED_AT;
  const add = (first: number, before: number, servedAt: number | null): void => {
    for (let due = first; due < before && left > 0; due = calendar.next(due), left--)
      if (due >= from) shared.push([due, servedAt]);
  };
  for (const [place, { calledAt, scheduledFor, reason }] of runs.entries()) {
    if (calledAt < from || calledAt > to || reason === 'retry' || reason === 'manual') continue;
    add(calendar.next(runs[place - 1]?.calledAt ?? record.firstSeenAt), scheduledFor, calledAt);
  }
  const isWaiting = state === 'owed' || state === 'cut off' || state === 'interrupted';
  if (nextDueAt !== null && isWaiting) add(nextDueAt, at + 1, null);
  return shared.slice(-MOST_DUES);
}

/** The changes of the clock in a span. */
export function changesIn(timeZone: string, { from, to }: Span): object[] {
  return [...clockChanges(zoneOf(timeZone), from, to).take(MOST_CHANGES)].map((change) => ({
    at: change.at,
    text: describeClockChange(change),
  }));
}

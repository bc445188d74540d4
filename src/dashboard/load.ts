/**
 * Starts per stretch of time, past and coming. The past is counted from the latest runs. What is coming is counted by schedule: tasks of one
 * schedule are due together, so a thousand of them cost no more than one. The work is bounded, and done in turns; if the bound is met the
 * answer says how many tasks it has counted.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Calendar } from '../index.ts';
import { jitterMinutes } from './jitter.ts';
import type { Past } from './past.ts';
import type { Span } from './query.ts';
import type { Snapshot } from './snapshot.ts';
import { isPaused, type TaskEntry } from './task-entry.ts';

const MINUTE_MS = 60_000;
/** Due instants that are worked out for one answer. */
const MOST_DUES = 400_000;
const DUES_PER_TURN = 20_000;
const TASKS_PER_TURN = 5000;
const BUSIEST = 8;
const NAMES_SHOWN = 4;
/** A start that is later than this counts as late. */
const LATE_MS = 1000;

/** Starts in stretches of `stepMs`, from `from` on. */
export interface Load {
  readonly from: number;
  readonly stepMs: number;
  readonly good: readonly number[];
  readonly bad: readonly number[];
  readonly late: readonly number[];
  /** The longest delay of a start, in milliseconds. */
  readonly delayMs: readonly number[];
  readonly coming: readonly number[];
  /** The minutes ahead in which most tasks start together. */
  readonly busiest: ReadonlyArray<{
    readonly at: number;
    readonly starts: number;
    readonly tasks: readonly string[];
  }>;
  readonly counted: number;
  readonly tasks: number;
  /** From when on the past is whole. */
  readonly since: number | null;
}

/** Tasks that are due in the same minutes. */
interface Group {
  readonly first: TaskEntry;
  readonly names: string[];
  size: number;
}

export async function loadOf(snapshot: Snapshot, past: Past, span: Span, stepMs: number): Promise<Load> {
  const steps = Math.ceil((span.to - span.from) / stepMs);
  const zeros = (): number[] => new Array(steps).fill(0);
  const [good, bad, late, delayMs, coming] = [zeros(), zeros(), zeros(), zeros(), zeros()];
  for (const { calledAt, outcome, reason, scheduledFor } of past.calledSince(span.from)) {
    const step = Math.floor((calledAt - span.from) / stepMs);
    if (step >= steps) continue;
    // An interrupted run comes once more.
    if (outcome !== 'interrupted') (outcome === 'success' ? good : bad)[step]++;
    const delay = reason === 'due' ? calledAt - scheduledFor : 0;
    if (delay > LATE_MS) late[step]++;
    delayMs[step] = Math.max(delayMs[step], delay);
  }
  const groups = await groupsOf(snapshot);
  const ahead = { from: Math.max(span.from, snapshot.at), to: span.to };
  const { minutes, counted } = await comingOf(groups, ahead);
  for (const [minute, { starts }] of minutes)
    coming[Math.max(0, Math.floor((minute * MINUTE_MS - span.from) / stepMs))] += starts;
  const since = past.since === Number.NEGATIVE_INFINITY ? null : past.since;
  const tasks = groups.reduce((sum, { size }) => sum + size, 0);
  const busiest = busiestOf(minutes);
  return { from: span.from, stepMs, good, bad, late, delayMs, coming, busiest, counted, tasks, since };
}

async function groupsOf({ list }: Snapshot): Promise<Group[]> {
  const groups = new Map<string, Group>();
  // Tasks that share a calendar are in one group; different calendars may be in one too, since a description makes another one.
  const known = new Map<Calendar, Group>();
  for (const [place, entry] of list.entries()) {
    const { record, calendar } = entry;
    if (calendar === undefined || isPaused(entry)) continue;
    const group = known.get(calendar) ?? groupOf(entry, groups);
    known.set(calendar, group);
    group.size++;
    if (group.names.length < NAMES_SHOWN) group.names.push(record.name);
    if (place % TASKS_PER_TURN === 0) await nextTurn();
  }
  // The largest first: if not all can be counted, those that matter are.
  return [...groups.values()].sort((a, b) => b.size - a.size);
}

function groupOf(entry: TaskEntry, groups: Map<string, Group>): Group {
  const { record, policy, timeZone } = entry;
  const { days, clockChanges, jitterMs } = policy;
  const moved = jitterMs === undefined ? 0 : jitterMinutes(entry);
  const key = JSON.stringify([record.cron, timeZone, days, clockChanges, moved]);
  const group = groups.get(key) ?? { first: entry, names: [], size: 0 };
  groups.set(key, group);
  return group;
}

interface Minute {
  starts: number;
  readonly names: string[];
}

async function comingOf(
  groups: readonly Group[],
  { from, to }: Span,
): Promise<{ readonly minutes: ReadonlyMap<number, Minute>; readonly counted: number }> {
  const minutes = new Map<number, Minute>();
  let [dues, counted] = [0, 0];
  for (const { first, names, size } of groups) {
    const next = (after: number): number => first.calendar?.next(after) ?? Number.POSITIVE_INFINITY;
    for (let due = next(from); due < to && dues < MOST_DUES; due = next(due)) {
      add(minutes, Math.floor(due / MINUTE_MS), size, names);
      if (++dues % DUES_PER_TURN === 0) await nextTurn();
    }
    if (dues >= MOST_DUES) break;
    counted += size;
  }
  return { minutes, counted };
}

function add(minutes: Map<number, Minute>, minute: number, starts: number, names: readonly string[]): void {
  const found = minutes.get(minute);
  if (found === undefined) minutes.set(minute, { starts, names: [...names] });
  else {
    found.starts += starts;
    if (found.names.length < NAMES_SHOWN)
      found.names.push(...names.slice(0, NAMES_SHOWN - found.names.length));
  }
}

const busiestOf = (minutes: ReadonlyMap<number, Minute>): Load['busiest'] =>
  [...minutes]
    .filter(([, { starts }]) => starts > 1)
    .sort(([a, one], [b, other]) => other.starts - one.starts || a - b)
    .slice(0, BUSIEST)
    .map(([minute, { starts, names }]) => ({ at: minute * MINUTE_MS, starts, tasks: names }));

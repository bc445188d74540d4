/**
 * What an initialization does to tasks: one that succeeds (E2, E4), and one that may have been committed (T11, E9).
 *
 * A past is read again if its schedule is another one now, or if the clock was set back since the last time a scheduler looked (B5).
 */
import { type Enlisted, isSameList } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import { probes } from '../logic/compiled.ts';
import type { Call } from './calls.ts';
import { maybeClaimed } from './crashes.ts';
import type { Alternative } from './pasts.ts';
import { isResetBy } from './policies.ts';
import { judged } from './reading.ts';
import { isSamePossibility, type Past, type Possibility } from './task.ts';
import type { Tasks } from './tasks.ts';

export interface Initialization {
  readonly list: readonly Enlisted[];
  /** No stop was called during it (T7). */
  readonly isLive: boolean;
  /** The reading of the clock by which it was planned: the instant of each first coming (T24). */
  readonly plannedAt: number;
  /** The names that ran when it was planned, and have ended since (I5). */
  readonly kept?: Iterable<string>;
}

/** An initialization succeeds: its list is what counts from here on, in every past. */
export function initialize(tasks: Tasks, by: Initialization, now: number): void {
  const { groups, pasts, reader, slices } = tasks;
  const { list, isLive, plannedAt } = by;
  const hasCrashed = maybeClaimed(tasks, now);
  const isChanged = !isSameList(list, tasks.registered);
  const isUnjudged = reader.mayBeBehind(plannedAt, now);
  const listed = new Map(list.map((enlisted) => [tasks.task(enlisted.name), enlisted]));
  const readAgain = new Set<Past>();
  decideClaimed(tasks);
  const kept = new Set(by.kept);
  for (const task of tasks.table.all) {
    const schedule = listed.get(task)?.schedule;
    const group = groups.of(schedule);
    // A run that has ended since the plan has set its deadline by a later clock.
    const retriedBy = kept.has(task.name) ? now : plannedAt;
    if (isUnjudged && schedule !== undefined)
      reader.judge(task, schedule, [plannedAt, retriedBy], now, (past) => isHad(tasks, past, kept));
    for (const past of task.pasts) {
      if (!isUnjudged && group === past.group) continue;
      const { history, state } = slices.of(past);
      slices.put(past, reader.reread(state, group, history, now), group);
      if (hasCrashed) readAgain.add(past);
    }
  }
  // What has moved the cursor of a task that runs is stored with its end.
  pasts.allStored((past) => !slices.says(past, probes.running));
  slices.begin();
  const flags = (isLive ? bits.Live : 0) | (isChanged ? bits.Changed : 0);
  const seen = { flags, kept, plannedAt, readAgain };
  for (const task of tasks.table.all) {
    const enlisted = listed.get(task);
    for (const past of task.pasts) see(tasks, past, enlisted, seen, now);
  }
  tasks.leaving.clear();
  tasks.gone.clear();
  tasks.registered = list;
  reader.isUnjudged = false;
  pasts.mergeAll();
}

/** Whether a name that no list has is found as it was, since its run has not ended (I5). */
const isHad = ({ slices }: Tasks, past: Past, kept: ReadonlySet<string>): boolean =>
  past.history.isKnown || kept.has(past.task.name) || slices.says(past, probes.running);

/** A start that is durable was decided before the list that comes now (T23). */
function decideClaimed({ table, slices }: Tasks): void {
  for (const { claimed, pasts } of table.all)
    for (const past of claimed === undefined ? [] : pasts)
      if (slices.says(past, probes.entitled)) past.history.decided = claimed;
}

/** One name is not registered any more, and its record is gone (E7): a list without it, for that task alone (I5). */
export function remove(tasks: Tasks, name: string, isActive: boolean, now: number): void {
  const { groups, pasts, reader, slices } = tasks;
  const { unregistered } = groups;
  const task = tasks.task(name);
  const flags = bits.Changed | (isActive ? bits.Live : 0);
  tasks.registered = tasks.registered.filter((enlisted) => enlisted.name !== name);
  tasks.gone.add(task);
  for (const past of task.pasts) {
    const { history, state } = slices.of(past);
    slices.put(past, reader.reread(state, unregistered, history, now), unregistered);
  }
  slices.begin();
  const seen = { flags, kept: new Set<string>(), plannedAt: now, readAgain: new Set<Past>() };
  for (const past of task.pasts) see(tasks, past, undefined, seen, now);
  pasts.mergeAll();
  groups.dropEmpty();
}

/** What all pasts see of an initialization. */
interface Seen {
  readonly flags: number;
  readonly kept: ReadonlySet<string>;
  readonly plannedAt: number;
  /** After a crash: the pasts that have another schedule now, or another clock. */
  readonly readAgain: ReadonlySet<Past>;
}

/** A past sees an initialization, and becomes what that makes of it. */
function see(
  tasks: Tasks,
  past: Past,
  enlisted: Enlisted | undefined,
  { flags, kept, plannedAt, readAgain }: Seen,
  now: number,
): void {
  const { automaton, pasts, reader, slices } = tasks;
  const { task, group, history } = past;
  const isClaimed = task.claimed !== undefined;
  // A name that was left out is still known, and one of which a start is on its way runs (I5).
  const isKept = isClaimed || history.isKnown || kept.has(task.name) ? bits.Kept : 0;
  history.isKnown = false;
  const isReset = isResetBy(enlisted, history.enlisted ?? history.startedAs) ? bits.Reset : 0;
  const isDueMinute = reader.isDueSince(group, plannedAt, now) ? bits.DueMinute : 0;
  const isListed = enlisted === undefined ? bits.Out : bits.In;
  slices.see(past, automaton.letter(flags | isListed | isKept | isReset | isDueMinute), now);
  if (enlisted === undefined) pasts.setRetry(past, undefined, now);
  // A run goes on, and with it the last registration of its task is stored (I5).
  if (enlisted !== undefined || !(isClaimed || past.probes & probes.running)) history.enlisted = enlisted;
  if (past.probes & probes.firstComing) firstComing(tasks, past, plannedAt, now);
  // Work that a crash cut off is in doubt if its past has been read again.
  history.isWorkInDoubt ||= readAgain.has(past) && enlisted?.policy?.retry !== undefined;
}

/**
 * A name comes for the first time: it is served up to right before the minute of the plan, and what came due since then is owed (T24). That
 * minute may lie ahead of a clock that was set back.
 */
function firstComing(tasks: Tasks, past: Past, plannedAt: number, now: number): void {
  const cursor = tasks.clock.minuteStart(plannedAt) - 1;
  past.history.servedTo = cursor;
  past.history.isFirstComing = cursor <= now;
  past.history.attempt = 0;
  past.history.stored = [];
  tasks.pasts.setRetry(past, undefined, now);
  if (cursor > now) tasks.reader.readAgain(past, now);
}

/**
 * An initialization that a crash cut off, or that failed because of the store, may have been committed (T11, E9): the pasts that
 * its tasks would then have, if that was at one of these instants.
 */
export function committed(tasks: Tasks, { list, readings }: Call, now: number): readonly Alternative[] {
  const instants = [...new Set(readings)];
  const listed = new Map(list.map((enlisted) => [tasks.task(enlisted.name), enlisted]));
  return tasks.table.all.flatMap((task) =>
    tasks.pasts.instead(task.pasts, (past) =>
      instants.flatMap((at) => asCommitted(tasks, past, listed.get(task), at, now)),
    ),
  );
}

/** A past, with an initialization that was committed at an instant. None if nothing would be different, several if its retry may be. */
function asCommitted(
  { automaton, clock, groups, reader }: Tasks,
  past: Possibility,
  enlisted: Enlisted | undefined,
  at: number,
  now: number,
): readonly Possibility[] {
  const { unregistered } = groups;
  const isReset = isResetBy(enlisted, past.enlisted);
  const isNew = past.group === unregistered || isReset;
  if (enlisted === undefined) {
    const unread = automaton.rebuilt(past.state, () => false);
    const state = automaton.seeing(unread, bits.Out | bits.Changed);
    const out = { ...past, state, group: unregistered, enlisted, retry: undefined, stored: [] };
    return isSamePossibility(out, past) ? [] : [out];
  }
  const { schedule } = enlisted;
  const group = groups.of(schedule);
  const isUnjudged = reader.isUnjudged || at < reader.latest;
  const kept = isUnjudged ? judged(past, schedule, [at, at]) : [past];
  const first = { servedTo: clock.minuteStart(at) - 1, isFirstComing: true, attempt: 0, retry: undefined };
  const seen = bits.In | bits.Changed | (isReset ? bits.Reset : 0);
  return (isNew ? [first] : kept)
    .map((served) => {
      // The dues from then until now count too.
      const minute = reader.isDueSince(group, at, at) ? bits.DueMinute : 0;
      const before = automaton.seeing(reader.reread(past.state, group, served, at), seen | minute);
      const state = reader.withRetry(reader.reread(before, group, served, now), served.retry, now);
      return { ...past, ...served, state, group, enlisted, stored: [] };
    })
    .filter((possible) => !isSamePossibility({ ...possible, state: past.state }, past));
}

/**
 * What an initialization does to tasks: one that succeeds (E2, E4), and one that may have been committed (T11, E9).
 *
 * It moves a past one by one only if it changes the schedule of the past, or if the past has to be read again: because its task is in
 * doubt, or because the clock was set back since the last time a scheduler looked (B5). All others see it as classes.
 */
import { type Enlisted, isSameList } from '../calendar/valid-list.ts';
import { bits } from '../logic/atoms.ts';
import { AT } from '../logic/automaton.ts';
import { probes } from '../logic/compiled.ts';
import type { Call } from './calls.ts';
import { maybeClaimed } from './crashes.ts';
import type { Alternative } from './pasts.ts';
import { isResetBy } from './policies.ts';
import { judged } from './reading.ts';
import type { ScheduleGroup } from './schedule-groups.ts';
import { isSamePossibility, nothingStored, type Past, type Possibility, type Task } from './task.ts';
import type { Tasks } from './tasks.ts';

export interface Initialization {
  readonly list: readonly Enlisted[];
  /** No stop was called during it (T7). */
  readonly isLive: boolean;
  /** The reading of the clock by which it was planned. */
  readonly plannedAt: number;
  /** The names that ran when it was planned, and have ended since (I5). */
  readonly kept?: Iterable<string>;
}

/** An initialization that may have been committed, and when that may have been. */
export interface UncertainInitialization {
  readonly list: readonly Enlisted[];
  readonly at: readonly number[];
}

/** An initialization may have been committed at the first or the last instant of its life, or where the clock was set back to. */
export const uncertainOf = ({ list, readings }: Call, now: number): UncertainInitialization => ({
  list,
  at: [...new Set([...readings, now])],
});

/** A past that an initialization moves to a group, and whether it is read again there. */
interface Move {
  readonly past: Past;
  readonly group: ScheduleGroup;
  readonly isRead: boolean;
  /** The past begins again with another registration (H10). */
  readonly isReset: boolean;
}

/** An initialization succeeds: its list is what counts from here on, in every past. */
export function initialize(
  tasks: Tasks,
  { list, isLive, plannedAt, kept = [] }: Initialization,
  now: number,
): void {
  const { automaton, classes, groups, pasts, reader } = tasks;
  const hasCrashed = maybeClaimed(tasks, now);
  const keptNames = new Set(kept);
  const isChanged = !isSameList(list, tasks.registered);
  const isUnjudged = reader.isUnjudged || now < reader.latest || plannedAt !== now;
  const isAnyMoved = isChanged || isUnjudged || pasts.inDoubt.length > 0;
  const moves = isAnyMoved ? movesOf(tasks, list, isUnjudged, plannedAt, now) : [];
  const flags = (isLive ? bits.Live : 0) | (isChanged ? bits.Changed : 0);
  const letterOf = (group: ScheduleGroup, extra = 0): number =>
    automaton.letter((group === groups.unregistered ? bits.Out : bits.In) | flags | extra);
  const taken = moves.map((move) => ({ ...move, from: classes.take(move.past) }));
  classes.all(new Map(Array.from(groups, (group) => [group, letterOf(group)])), now);
  const firstCursor = tasks.clock.minuteStart(Math.max(plannedAt, now)) - 1;
  for (const { past, group, isRead, isReset, from } of taken) {
    const state = isRead ? reader.reread(from.state, group, past.history, now) : from.state;
    const extra = (isReset ? bits.Reset : 0) | (isKept(past, keptNames) ? bits.Kept : 0);
    const edge = automaton.edge(state, letterOf(group, extra));
    classes.move(past, from, edge, now, group);
    if (group === groups.unregistered) {
      pasts.setRetry(past, undefined, now);
      // A run goes on, and with it the last registration of its task is stored (I5).
      if (!automaton.says(classes.of(past).state, probes.running)) past.history.enlisted = undefined;
    }
    if (automaton.at(edge, AT.probes) & probes.firstComing) firstComing(tasks, past, firstCursor, now);
  }
  tasks.leaving.clear();
  enlist(tasks, list, hasCrashed ? moves : []);
  tasks.registered = list;
  // What has moved the cursor of a task that runs is stored with its end.
  pasts.allStored((past) => !automaton.says(classes.of(past).state, probes.running));
  reader.isUnjudged = false;
  pasts.mergeAll();
  groups.dropEmpty();
}

/** Whether a name that was left out is still known (I5). */
function isKept({ task, history }: Past, kept: ReadonlySet<string>): boolean {
  const { isKnown } = history;
  history.isKnown = false;
  return isKnown || kept.has(task.name);
}

/** The registrations that count from here on. Work that a crash cut off is in doubt if its past has been read again. */
function enlist(tasks: Tasks, list: readonly Enlisted[], movesAfterCrash: readonly Move[]): void {
  const read = new Set(movesAfterCrash.flatMap(({ past, isRead }) => (isRead ? [past] : [])));
  for (const enlisted of list)
    for (const past of tasks.task(enlisted.name).pasts) {
      past.history.enlisted = enlisted;
      past.history.isWorkInDoubt ||= read.has(past) && enlisted.policy?.retry !== undefined;
    }
}

/** The tasks that a list concerns, with their registrations in it: its own, those of the list before, and those in doubt. */
function concernedBy(tasks: Tasks, list: readonly Enlisted[]): ReadonlyMap<Task, Enlisted | undefined> {
  const listed = new Map(list.map((enlisted) => [tasks.task(enlisted.name), enlisted]));
  const before = tasks.registered.map(({ name }) => tasks.task(name));
  const all = [...listed.keys(), ...before, ...tasks.pasts.inDoubt];
  return new Map(all.map((task) => [task, listed.get(task)]));
}

/** Which pasts move one by one, to which group, and whether they are read again there. */
function movesOf(
  tasks: Tasks,
  list: readonly Enlisted[],
  isUnjudged: boolean,
  plannedAt: number,
  now: number,
): readonly Move[] {
  const { groups, reader } = tasks;
  const moves: Move[] = [];
  for (const [task, enlisted] of concernedBy(tasks, list)) {
    const schedule = enlisted?.schedule;
    if (isUnjudged && schedule !== undefined) reader.judge(task, schedule, [plannedAt, plannedAt], now);
    for (const past of task.pasts) {
      const before = tasks.groupOf(past);
      const group = groups.for(schedule, { group: before, servedTo: past.history.servedTo }, now);
      const isRead = isUnjudged || group !== before;
      const isReset = isResetBy(enlisted, past.history.enlisted ?? past.history.startedAs);
      if (isRead || isReset || task.isInDoubt) moves.push({ past, group, isRead, isReset });
    }
  }
  return moves;
}

/** A name comes for the first time: it is served up to right before its minute, which may lie ahead of a clock that was set back. */
function firstComing(tasks: Tasks, past: Past, cursor: number, now: number): void {
  past.history.servedTo = cursor;
  past.history.isFirstComing = cursor <= now;
  past.history.attempt = 0;
  tasks.pasts.setRetry(past, undefined, now);
  // What it was served before, ahead of a clock that was set back, is forgotten too.
  if (cursor > now || tasks.groupOf(past).isAhead) tasks.reader.readAgain(past, now);
}

/** An initialization failed because of the store, which may have taken it all the same (E9). */
export function maybeInitialized(tasks: Tasks, initialization: UncertainInitialization, now: number): void {
  tasks.pasts.addAll(committed(tasks, initialization, now), now);
  tasks.pasts.mergeAll();
}

/**
 * An initialization that a crash cut off, or that failed because of the store, may have been committed (T11, E9): the pasts that
 * its tasks would then have, if that was at one of these instants.
 */
export function committed(
  tasks: Tasks,
  { list, at: instants }: UncertainInitialization,
  now: number,
): readonly Alternative[] {
  return [...concernedBy(tasks, list)].flatMap(([task, enlisted]) =>
    tasks.pasts.instead(task.pasts, (past) =>
      instants.flatMap((at) => asCommitted(tasks, past, enlisted, at, now)),
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
  const stored = nothingStored;
  if (enlisted === undefined) {
    const state = automaton.seeing(
      automaton.rebuilt(past.state, () => false),
      bits.Out | bits.Changed,
    );
    return isNew ? [] : [{ ...past, state, group: unregistered, enlisted, retry: undefined, stored }];
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
      const before = automaton.seeing(reader.reread(past.state, group, served, at), seen);
      const state = reader.withRetry(reader.reread(before, group, served, now), served.retry, now);
      return { ...past, ...served, state, group, enlisted, stored };
    })
    .filter((possible) => !isSamePossibility({ ...possible, state: past.state }, past));
}

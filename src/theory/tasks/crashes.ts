/**
 * What a crash leaves possible (T10, T11). The next process goes on from what is stored, and the trace does not show that: each thing
 * that may be stored is another past of its task (`pasts.ts`).
 */
import { bits } from '../logic/atoms.ts';
import { disownedHeld, probes } from '../logic/compiled.ts';
import type { Alternative } from './pasts.ts';
import { type Past, type Possibility, skipsWhileRunning, type Task } from './task.ts';
import type { Tasks } from './tasks.ts';

export interface Crash {
  /** A start may have become durable without a record: the trace has durability records, and a scheduler was alive. */
  readonly mayHaveClaimed: boolean;
  /** A stop was under way, which takes back starts that were not called. */
  readonly isStopping: boolean;
  /** Tasks whose last run has ended, not durably. */
  readonly ended: readonly Task[];
  /** Tasks whose start is durable and was not called. */
  readonly claimed: readonly Task[];
  /** The pasts of initializations that may have been committed. */
  readonly committed: readonly Alternative[];
}

/** A crash. Answers how many tasks it leaves in doubt. */
export function crash(tasks: Tasks, dying: Crash, now: number): number {
  forgetGone(tasks, now);
  const { pasts, reader } = tasks;
  const { mayHaveClaimed, isStopping, ended, claimed, committed } = dying;
  const called = asCalled(tasks, pastsOf(claimed), now);
  const cutOffs = new Set(isStopping ? [] : claimed);
  const moved = pasts.unstored;
  doubtWork(
    tasks,
    tasks.slices.where((past) => tasks.slices.says(past, probes.running)),
  );
  const others = [
    ...committed.filter(({ origin }) => !cutOffs.has(origin.task)),
    ...cancelUnheard(tasks, tasks.table.all),
    ...unended(tasks, ended),
    ...stillStored(tasks),
    ...unstored(tasks, now),
    ...(isStopping ? called : []),
    ...pasts.instead(moved, unmoved),
  ];
  if (mayHaveClaimed) {
    tasks.mayHaveClaimedAt ??= now;
    // Such a start may have been decided since it was owed.
    for (const past of tasks.slices.where(() => true)) past.history.decidedFrom = tasks.owedSince(past, now);
  }
  // What a step moved, and the store may not know, is judged again by the next initialization.
  reader.isUnjudged ||= moved.length > 0;
  pasts.allStored();
  tasks.everyone(bits.Crash, now);
  if (!isStopping) for (const { origin, past } of called) cutOff(tasks, origin, past, now);
  addCrashed(tasks, others, now);
  pasts.mergeAll();
  return pasts.inDoubt.length;
}

/** A run of a task whose record is gone is not cut off by a crash: nothing knows of it any more (E7). */
function forgetGone({ automaton, gone, pasts, slices }: Tasks, now: number): void {
  for (const past of pastsOf(gone))
    if (slices.says(past, probes.running)) {
      const forgotten = pasts.read(past);
      pasts.become(
        past,
        { ...forgotten, state: automaton.seeing(forgotten.state, bits.REs), stored: [] },
        now,
      );
    }
  gone.clear();
}

/**
 * One of several instances has died, with the runs of these tasks (K9). For them it is a crash and, right after it, an initialization with the
 * list that counts: the other instances go on, so what was cut off is owed at once. Answers how many pasts that leaves possible besides.
 */
export function instanceDied(
  tasks: Tasks,
  died: readonly Task[],
  { ended, claimed }: Pick<Crash, 'ended' | 'claimed'>,
  isActive: boolean,
  now: number,
): number {
  const { pasts, reader } = tasks;
  const after = (past: Pick<Possibility, 'group'>): number => (isActive ? goesOn(tasks, past) : 0);
  // Since such an end more may have come due.
  const lost = unended(tasks, ended).map(({ origin, past }) => ({
    origin,
    past: reader.byClock({ ...past, stored: [] }, now),
  }));
  const others = [
    ...lost,
    // A start that was not called may have been taken back.
    ...asCalled(tasks, pastsOf(claimed), now),
    ...pausedSince(tasks, lost),
    ...cancelUnheard(tasks, died),
    ...perhapsClaimed(tasks, now),
    // What has moved during a run was to be written with its end.
    ...pasts.instead(pastsOf(died), (past) => unmoved(past).map((each) => reader.byClock(each, now))),
  ];
  doubtWork(tasks, pastsOf(died));
  for (const { history } of pastsOf(died)) history.stored = [];
  for (const task of died) {
    tasks.own(task, bits.Crash, now);
    tasks.own(task, after(tasks.slices.of(task.pasts[0])), now);
  }
  addCrashed(tasks, others, now, after);
  pasts.mergeAll();
  return others.length;
}

/** The letter that a task sees right after a crash of its run alone: the other runs, and the list, go on. */
export const goesOn = ({ groups }: Tasks, { group }: Pick<Possibility, 'group'>): number =>
  bits.Live | (group === groups.unregistered ? bits.Out : bits.In);

/** A past, as the store may have it that does not know what has moved. */
const unmoved = (past: Possibility): readonly Possibility[] =>
  past.stored.map((stored) => ({ ...past, ...stored, stored: [] }));

/** What came due during these runs before their process died is not newer than their work, if they skip it, and the trace does not show when it died (H9). */
function doubtWork({ slices }: Tasks, cutOff: readonly Past[]): void {
  for (const past of cutOff)
    if (slices.says(past, probes.running)) past.history.isWorkInDoubt ||= skipsWhileRunning(past.history);
}

/** Work that counts its attempts may have been claimed, with no record of it. */
function perhapsClaimed(tasks: Tasks, now: number): readonly Alternative[] {
  const { slices } = tasks;
  const isCounted = ({ history }: Past): boolean => history.enlisted?.policy?.retry !== undefined;
  const counted = slices.where((past) => isCounted(past) && slices.says(past, probes.waits));
  return asCalled(tasks, counted, now);
}

/** The pasts in which the last runs of these tasks have not ended. */
const unended = (tasks: Tasks, ended: readonly Task[]): readonly Alternative[] =>
  tasks.pasts.instead(pastsOf(ended), (past, { task }) => {
    const { stateBeforeEnd, attemptBeforeEnd: attempt } = past;
    const states = task.isCancelled ? [stateBeforeEnd, uncancelled(tasks, stateBeforeEnd)] : [stateBeforeEnd];
    const servedTo = skipsWhileRunning(past) ? past.servedBeforeEnd : past.servedTo;
    const isWorkInDoubt = past.isWorkInDoubt || skipsWhileRunning(past);
    return [{ ...past, servedTo }, ...unmoved(past)].flatMap((each) =>
      states.map((state) => ({ ...each, state, attempt, retry: undefined, isWorkInDoubt })),
    );
  });

/** The same pasts, where a task was paused or went on after the end that was lost: another instance may have done that, and stored it. */
const pausedSince = ({ automaton, slices }: Tasks, lost: readonly Alternative[]): Alternative[] =>
  lost.flatMap(({ origin, past }) => {
    const isPaused = slices.says(origin, probes.paused);
    if (isPaused === automaton.says(past.state, probes.paused)) return [];
    const state = automaton.seeing(past.state, isPaused ? bits.Pause : bits.Resume);
    return [{ origin, past: { ...past, state } }];
  });

/** The pasts of runs that were cancelled, as the store may have them that has not heard of it (I4). */
const cancelUnheard = (tasks: Tasks, died: Iterable<Task>): readonly Alternative[] =>
  tasks.pasts.instead(
    pastsOf(died).filter((past) => past.task.isCancelled && tasks.slices.says(past, probes.running)),
    (past) => [{ ...past, state: uncancelled(tasks, past.state) }],
  );

/** A state, had nobody cancelled the run. */
const uncancelled = ({ automaton }: Tasks, state: number): number =>
  automaton.seeing(automaton.without(state, disownedHeld), 0);

const pastsOf = (tasks: Iterable<Task>): readonly Past[] => Array.from(tasks).flatMap(({ pasts }) => pasts);

/** A process ends: the store may still have what ended after a list had left it out (I5). */
function stillStored({ leaving, pasts }: Tasks): readonly Alternative[] {
  const known = pasts.instead(pastsOf(leaving), (past) => [{ ...past, isKnown: true }]);
  leaving.clear();
  return known;
}

/** The pasts that tasks may have had before a crash. */
function addCrashed(
  tasks: Tasks,
  others: readonly Alternative[],
  now: number,
  goesOn?: (past: Possibility) => number,
): void {
  const { automaton, pasts } = tasks;
  for (const { origin, past } of others)
    for (const each of perhapsDecidedEarlier(tasks, past, now)) {
      const crashed = automaton.seeing(each.state, bits.Crash);
      const state = goesOn === undefined ? crashed : automaton.seeing(crashed, goesOn(each));
      pasts.add(origin, { ...each, state }, now);
    }
}

/** A past with a run, as the store may have it: what came due since the run was decided is still to be served (A4). */
function perhapsDecidedEarlier(tasks: Tasks, past: Possibility, now: number): readonly Possibility[] {
  const { decidedFrom, state } = past;
  if (Number.isNaN(decidedFrom) || !tasks.automaton.says(state, probes.running)) return [past];
  return [past, servedUpTo(tasks, past, decidedFrom, now)];
}

function servedUpTo({ reader }: Tasks, past: Possibility, servedTo: number, now: number): Possibility {
  const served = { ...past, servedTo, isFirstComing: false };
  return { ...served, state: reader.reread(past.state, past.group, served, now) };
}

/** A start was durable and not called: the crash has cut the run off. */
function cutOff(tasks: Tasks, origin: Past, past: Possibility, now: number): void {
  const state = tasks.automaton.seeing(past.state, bits.Crash);
  tasks.pasts.become(origin, { ...past, state, stored: [] }, now);
  addCrashed(tasks, [{ origin, past: { ...past, stored: [] } }], now);
}

/** The pasts in which a start was durable and not called: it has served what was due, as a call would have. */
function asCalled(tasks: Tasks, origins: readonly Past[], now: number): readonly Alternative[] {
  return tasks.pasts.instead(origins, (past, origin) => {
    // That it is durable is evidence that it was decided, and that the store has the name.
    const state = tasks.automaton.seeing(past.state, bits.RS | bits.Decided);
    const isUnserved = tasks.automaton.says(past.state, probes.unserved);
    const isLate = isUnserved && tasks.automaton.says(past.state, probes.tooOld);
    const attempts = isLate ? [1, past.attempt + 1] : [isUnserved ? 1 : past.attempt + 1];
    const isWorkInDoubt = past.isWorkInDoubt || past.enlisted?.schedule.rules.whileRunning === 'skip';
    const decidedFrom = origin.openAt === undefined ? past.decidedFrom : tasks.owedSince(origin, now);
    const served = { servedTo: now, isFirstComing: false, retry: undefined };
    return attempts.map((attempt) => ({ ...past, ...served, state, attempt, decidedFrom, isWorkInDoubt }));
  });
}

/**
 * Whatever was to be started when a process died may have been cut off: its start durable, and in no record (T10). What came due since
 * the last record may have come before that start, or after. Answers whether a process has died like that.
 */
export function maybeClaimed(tasks: Tasks, now: number): boolean {
  const { slices, groups, mayHaveClaimedAt: diedAt } = tasks;
  if (diedAt === undefined) return false;
  tasks.mayHaveClaimedAt = undefined;
  const isListed = ({ group }: Past): boolean => group !== groups.unregistered;
  const pending = slices.where((past) => isListed(past) && slices.says(past, probes.waits));
  const called = asCalled(tasks, pending, now);
  const later = called
    .filter(({ past }) => past.group.dueAfter(diedAt) <= now)
    .map(({ origin, past }) => ({ origin, past: servedUpTo(tasks, past, diedAt, now) }));
  addCrashed(tasks, [...called, ...later], now);
  return true;
}

/** A stop has taken starts back. If another scheduler had taken a run over, the store has refused that, and the run is cut off (E9). */
export function maybeTakenOver(tasks: Tasks, takenBack: readonly Task[], now: number): void {
  addCrashed(tasks, asCalled(tasks, pastsOf(takenBack), now), now);
}

/**
 * What a dying process may have recorded and not stored: that a task is paused, or that it goes on (I3), unless a run that ended later is stored. And that a due was served which
 * came after its run was decided (A4).
 */
function unstored(tasks: Tasks, now: number): readonly Alternative[] {
  const { automaton, slices, pasts, resumedTasks } = tasks;
  const isUnproven = ({ turnedAfter }: Task): boolean => tasks.durableEnd <= turnedAfter;
  const paused = slices.where((past) => isUnproven(past.task) && slices.says(past, probes.paused));
  const passed = { servedTo: now, isFirstComing: false };
  const goingOn = pasts.instead(paused, (past) => [
    { ...past, state: automaton.seeing(past.state, bits.Resume) },
    { ...past, ...passed, state: automaton.seeing(past.state, bits.Resume | bits.Passed) },
  ]);
  const stillPaused = pasts.instead(pastsOf([...resumedTasks].filter(isUnproven)), (past) => {
    const state = automaton.seeing(past.state, bits.Pause);
    return [past, ...unmoved(past)].map((each) => ({ ...each, state, stored: [] }));
  });
  resumedTasks.clear();
  const running = slices.where((past) => slices.says(past, probes.running));
  return [...goingOn, ...stillPaused, ...pasts.instead(running, (past) => [past])];
}

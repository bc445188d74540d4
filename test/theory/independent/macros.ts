/**
 * The macros of the theory by their definitions, over whole arrays. `Situation` has what all tasks share, `historyOf` has those of one
 * task name (T5).
 */
import type { TracedRegistration, TraceRecord } from '../../../src/trace/record.ts';
import { type Calls, isCrash, isSameList, type List } from './calls.ts';
import { and, before, hold, holdPlus, not, or, since, type Truths } from './operators.ts';
import { listTakenAt, type Position, positionsOf } from './positions.ts';
import type { Reading } from './readings.ts';
import { type Standing, standingOf } from './reasons.ts';
import { runsOf } from './runs.ts';
import { isDue } from './schedule.ts';

/** What happens to the whole scheduler at each position. */
export interface Situation {
  readonly positions: readonly Position[];
  /** The list that becomes the registered one at a position. */
  readonly taken: readonly (List | undefined)[];
  /** `Registered_R`: the list of the most recent good end or commit. */
  readonly registered: readonly (List | undefined)[];
  /** `Active_R`: the list under which tasks may start (T7). */
  readonly active: readonly (List | undefined)[];
  readonly crash: Truths;
  readonly stopStart: Truths;
  readonly stopEnd: Truths;
}

export function situationOf(records: readonly TraceRecord[], calls: Calls, reading: Reading): Situation {
  const positions = positionsOf(records, calls, reading.commits);
  const is = (event: TraceRecord['event']): Truths => positions.map(({ record }) => record?.event === event);
  const taken = positions.map((position) => listTakenAt(records, calls, position));
  const crash = positions.map(({ record, index = -1 }) => isCrash(record, calls.startOf.has(index)));
  const stopStart = is('StopStart');
  const registered: (List | undefined)[] = [];
  const active: (List | undefined)[] = [];
  positions.forEach(({ index, commit }, i) => {
    const list = taken[i];
    registered.push(list ?? registered[i - 1]);
    const isLive =
      commit === undefined && list !== undefined && !isStoppedBefore(records, calls, index ?? -1);
    const previous = active[i - 1];
    const goesOn = previous !== undefined && !(list && !commit && !isSameList(list, previous));
    active.push(crash[i] || stopStart[i] ? undefined : isLive ? list : goesOn ? previous : undefined);
  });
  return { positions, taken, registered, active, crash, stopStart, stopEnd: is('StopEnd') };
}

/** T7: a stop was called between the start of this initialization and its end. */
function isStoppedBefore(records: readonly TraceRecord[], calls: Calls, end: number): boolean {
  const start = calls.startOf.get(end) ?? end;
  return records.some(({ event }, index) => event === 'StopStart' && index > start && index < end);
}

/** The macros of one name. */
export interface History {
  readonly start: Truths;
  readonly failure: Truths;
  readonly firstComing: Truths;
  readonly running: Truths;
  /** An end of a run that is not open (S4). */
  readonly unbegun: Truths;
  readonly hasOverlap: boolean;
  /** The starts of runs that succeed, and those of them whose success no crash took back (A10). */
  readonly succeeding: Truths;
  readonly succeedingForGood: Truths;
  readonly obligation: Truths;
  /** The reasons that stand, whether or not a scheduler is active. */
  readonly standing: readonly Standing[];
  /** A start that comes next may have been decided (S1, T23). */
  readonly entitled: Truths;
  /** Only what is owed becomes durable as a start: a reading with a start that nobody saw and nothing asked for is none. */
  readonly isPossible: boolean;
  readonly renewal: Truths;
}

export function historyOf(situation: Situation, task: string, reading: Reading): History {
  const { positions, taken, registered, active, crash } = situation;
  // Until the call that replaces it returns, the list that is active stays in force.
  const inForce = active.map((list, i) => list ?? registered[i]);
  const all = (test: (position: Position, i: number) => boolean): Truths => positions.map(test);
  const isRun = ({ record }: Position, event: TraceRecord['event']): boolean =>
    record?.event === event && 'task' in record && record.task === task;

  const { running, unbegun, endOf, repeated, hasOverlap } = runsOf(positions, crash, task);
  // A start that is recorded twice is one start (EA3).
  const start = all((position, i) => isRun(position, 'RunStart') && !repeated[i]);
  const success = all((position) => isRun(position, 'RunSuccess'));
  // An end without a run is the recorder's (T9), and no failure that asks for a retry (A6).
  const failure = all((position, i) => isRun(position, 'RunFailure') && !unbegun[i]);
  // A13, T19: a stop that ends a run has cut off that run alone.
  const interrupted = all((position, i) => isRun(position, 'RunInterrupted') && !unbegun[i]);
  const end = or(or(success, failure), interrupted);

  const at = (choice: string): Truths => all(({ index }) => reading.atCrash.get(index ?? -1) === choice);
  const endLost = at('end lost');
  const unseenStart = at('start kept, unseen');
  const isIn = (list: List | undefined): boolean => registrationIn(list, task) !== undefined;
  const here = registered.map(isIn);
  // The store knows nothing of a run that began under no list.
  const knownRun = and(running, hold(and(start, before(here)), or(end, crash)));
  const cut = and(or(crash, interrupted), before(knownRun));
  const seenOrphaned = or(or(cut, at('start kept')), endLost);
  const orphaned = or(seenOrphaned, unseenStart);

  // A name that was left out is known while it runs, and after a crash that cut its run off, until the next list (I5).
  const cutOff = hold(
    orphaned,
    taken.map((list) => list !== undefined),
  );
  const firstComing = and(and(here, not(before(knownRun))), not(before(or(here, cutOff))));
  const dues = new Map<List, Truths>();
  const dueBy = (list: List): Truths => {
    const known = dues.get(list) ?? all((position) => isDueAt(list, task, position));
    dues.set(list, known);
    return known;
  };
  const events = { task, positions, start, failure, running, firstComing, endLost, taken, inForce };
  const standing = standingOf({ ...events, cutOff: orphaned });
  const isPending = (each: readonly Standing[]): Truths => each.map(({ now }) => now.size > 0);
  const obligation = and(isPending(standing), active.map(isIn));
  const isOver = or(all(isNewLife), crash);
  const claimable = holdPlus(obligation, or(start, isOver));
  // A crash is recorded at the last record of the dead process, which may have lived on until the next one began. Nothing starts in a
  // process in which no list has become active (T11).
  const alive = holdPlus(
    active.map((list) => list !== undefined),
    isOver,
  );
  const waits = standingOf({ ...events, cutOff: seenOrphaned }).map((each) => each.waits);
  const pendingAnyway = and(waits, here);
  const isClaimableUnseen = (i: number): boolean => {
    const next = positions.findIndex(({ record }, j) => j > i && record?.event === 'InitSuccess');
    return next > 0 && pendingAnyway[next - 1] && here[i - 1] && alive[i - 1];
  };
  const lost = lostEnds(and(end, not(unbegun)), endLost);
  const begun = (ends: Truths): Truths => start.map((isStart, i) => isStart && ends[endOf.get(i) ?? -1]);
  return {
    start,
    failure,
    firstComing,
    running,
    unbegun,
    hasOverlap,
    succeeding: begun(success),
    succeedingForGood: begun(and(success, not(lost))),
    obligation,
    isPossible: !unseenStart.some((isUnseen, i) => isUnseen && !claimable[i - 1] && !isClaimableUnseen(i)),
    standing,
    entitled: entitledIn(positions, task, standing, obligation, active.map(isIn)),
    renewal: or(
      or(
        or(byCurrent(inForce, task, dueBy, false), firstComing),
        all(({ record }) => record?.event === 'RunRequested' && record.task === task),
      ),
      and(
        taken.map((list) => isIn(list)),
        standing.map(({ isUnserved }) => isUnserved),
      ),
    ),
  };
}

/** A start that was durable, and not called, is none after these: it was taken back, or is of an earlier life. */
const isNewLife = ({ record }: Position): boolean =>
  record?.event === 'InitSuccess' || (record?.event === 'StopEnd' && record.error === undefined);

function registrationIn(list: List | undefined, task: string): TracedRegistration | undefined {
  return list?.registrations.find(({ name }) => name === task);
}

function isDueAt(list: List, task: string, { minute, at }: Position): boolean {
  const registration = registrationIn(list, task);
  return minute === true && registration !== undefined && isDue(registration.cron, list.timeZone, at);
}

/** T5: what is of the registration is asked of the one that is current, over the whole past. */
function byCurrent<Value>(
  registered: readonly (List | undefined)[],
  task: string,
  of: (list: List) => readonly Value[],
  otherwise: Value,
): readonly Value[] {
  const values = new Map<List, readonly Value[]>();
  for (const list of registered)
    if (list && registrationIn(list, task) && !values.has(list)) values.set(list, of(list));
  return registered.map((list, i) => (list && values.get(list)?.[i]) ?? otherwise);
}

/**
 * T23: whether a start that comes right after a position is of something that was owed since it was decided. A durable start was decided
 * before its record; where no record tells, it may have been decided as long as the reason for it has stood.
 */
function entitledIn(
  positions: readonly Position[],
  task: string,
  standing: readonly Standing[],
  obligation: Truths,
  isActive: Truths,
): Truths {
  const held = standing.map(({ held: reasons }, i) => reasons.size > 0 && isActive[i]);
  const sinceReason = since(held, obligation);
  let claimed = false;
  return positions.map(({ record }, i) => {
    if (record !== undefined && 'task' in record && record.task === task) {
      if (record.event === 'StartDurable') claimed = i > 0 && sinceReason[i - 1];
      if (record.event === 'RunStart') claimed = false;
    }
    const isLost = record?.event === 'UnexpectedShutdown' || record?.event === 'StopStart';
    // Only a list that replaces another one while the scheduler is active leaves such a start on its way (I5).
    if (isLost || (record?.event === 'InitSuccess' && record.reload !== true)) claimed = false;
    return sinceReason[i] || claimed;
  });
}

/** The ends that were lost: the last one before each crash that lost one. */
function lostEnds(end: Truths, endLost: Truths): Truths {
  const lost = end.map(() => false);
  endLost.forEach((isLost, i) => {
    if (isLost) lost[end.lastIndexOf(true, i)] = true;
  });
  return lost;
}

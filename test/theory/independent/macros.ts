/**
 * The macros of the theory by their definitions, over whole arrays. `Situation` has what all tasks share, `historyOf` has those of one
 * task name (T5).
 */
import type { TracedRegistration, TraceRecord } from '../../../src/trace/record.ts';
import { type Calls, isCrash, isSameList, type List } from './calls.ts';
import { and, before, hold, holdPlus, not, or, type Truths } from './operators.ts';
import { listTakenAt, type Position, positionsOf } from './positions.ts';
import type { Reading } from './readings.ts';
import { runsOf } from './runs.ts';
import { isDue, MINUTE_MS } from './schedule.ts';

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
  /** The retry pulses that count (T2). */
  readonly retryDue: Truths;
  readonly running: Truths;
  /** An end of a run that is not open (S4). */
  readonly unbegun: Truths;
  readonly hasOverlap: boolean;
  /** The starts of runs that succeed, and those of them whose success no crash took back (A10). */
  readonly succeeding: Truths;
  readonly succeedingForGood: Truths;
  readonly obligation: Truths;
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
  const end = or(success, failure);

  const at = (choice: string): Truths => all(({ index }) => reading.atCrash.get(index ?? -1) === choice);
  const endLost = at('end lost');
  const unseenStart = at('start kept, unseen');
  const seenOrphaned = or(or(and(crash, before(running)), at('start kept')), endLost);
  const orphaned = or(seenOrphaned, unseenStart);

  const isIn = (list: List | undefined): boolean => registrationIn(list, task) !== undefined;
  const here = registered.map(isIn);
  // A name that was left out is known while it runs, and after a crash that cut its run off, until the next list (I5).
  const cutOff = hold(
    orphaned,
    taken.map((list) => list !== undefined),
  );
  const firstComing = and(and(here, not(before(running))), not(before(or(here, cutOff))));
  const forgotten = or(start, firstComing);

  const dues = new Map<List, Truths>();
  const dueBy = (list: List): Truths => {
    const known = dues.get(list) ?? all((position) => isDueAt(list, task, position));
    dues.set(list, known);
    return known;
  };
  const mine = <Value>(of: (list: List) => readonly Value[], otherwise: Value): readonly Value[] =>
    byCurrent(inForce, task, of, otherwise);

  const dueSince = mine((list) => holdPlus(dueBy(list), forgotten), false);
  const bootDue = mine(
    (list) => holdPlus(and(firstComing, dueSincePlan(positions, dueBy(list))), forgotten),
    false,
  );
  const retryDue = all((position, i) => isRetryDue(positions, i, position, failure, or(forgotten, endLost)));
  const retry = holdPlus(retryDue, or(forgotten, endLost));
  const pendingIf = (cutOff: Truths): Truths =>
    or(and(or(or(dueSince, bootDue), retry), not(running)), hold(cutOff, forgotten));
  const pending = pendingIf(orphaned);
  const obligation = and(pending, active.map(isIn));
  const isOver = or(all(isNewLife), crash);
  const claimable = holdPlus(obligation, or(start, isOver));
  // A crash is recorded at the last record of the dead process, which may have lived on until the next one began. Nothing starts in a
  // process in which no list has become active (T11).
  const alive = holdPlus(
    active.map((list) => list !== undefined),
    isOver,
  );
  const pendingAnyway = and(pendingIf(seenOrphaned), here);
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
    retryDue,
    running,
    unbegun,
    hasOverlap,
    succeeding: begun(success),
    succeedingForGood: begun(and(success, not(lost))),
    obligation,
    isPossible: !unseenStart.some((isUnseen, i) => isUnseen && !claimable[i - 1] && !isClaimableUnseen(i)),
    renewal: or(
      or(mine(dueBy, false), firstComing),
      and(
        taken.map((list) => isIn(list)),
        dueSince,
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

/** T24: whether anything was due from the start of the minute on by which a successful initialization was planned. */
function dueSincePlan(positions: readonly Position[], due: Truths): Truths {
  return positions.map(({ record, at }, i) => {
    const plannedAt = record?.event === 'InitSuccess' ? (record.plannedAt ?? at) : at;
    const minuteStart = Math.floor(plannedAt / MINUTE_MS) * MINUTE_MS;
    return positions.some((position, j) => j <= i && due[j] && position.at >= minuteStart);
  });
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

/** T2: a pulse counts if it is of the latest failure, and the task was neither started nor forgotten since. */
function isRetryDue(
  positions: readonly Position[],
  i: number,
  { retryOf }: Position,
  failure: Truths,
  forgotten: Truths,
): boolean {
  if (retryOf === undefined) return false;
  const failed = positions.findIndex(({ index }) => index === retryOf);
  return failure[failed] && !positions.some((_, j) => j > failed && j <= i && (failure[j] || forgotten[j]));
}

/** The ends that were lost: the last one before each crash that lost one. */
function lostEnds(end: Truths, endLost: Truths): Truths {
  const lost = end.map(() => false);
  endLost.forEach((isLost, i) => {
    if (isLost) lost[end.lastIndexOf(true, i)] = true;
  });
  return lost;
}

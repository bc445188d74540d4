/**
 * A second checker of S1–S5 and L1–L3, written from the definitions alone: no code is shared with `src/theory`, and nothing here is
 * fast. A trace becomes positions, each macro becomes an array of truth values over them, and each axiom is looked up in the arrays.
 * What a crash leaves open is enumerated (`readings.ts`).
 */
import type { TraceRecord } from '../../../src/trace/record.ts';
import { type Grant, isWithin, stretchesOf } from './bound.ts';
import { type Call, type Calls, isSameList, type List, listOf, pairingsOf } from './calls.ts';
import { type History, historyOf, type Situation, situationOf } from './macros.ts';
import { before, type Truths } from './operators.ts';
import { isOfStore, type Reading, readingsOf } from './readings.ts';
import type { Reason } from './reasons.ts';
import { faultyNames, isValid } from './schedule.ts';

/** The axioms that a reading can change. They are of one task each. */
export type TaskAxiom = 'S1' | 'S2' | 'L1';
/** The axioms that are the same in every reading. */
export type CommonAxiom = 'S3' | 'S4' | 'S5' | 'L2' | 'L3';

export interface Findings {
  readonly common: ReadonlySet<CommonAxiom>;
  /**
   * What is violated for each task, in each reading. A task is left out if an accepted list has a faulty registration of it: what is
   * due is then unknown. It is also left out if it has too many readings.
   */
  readonly tasks: ReadonlyMap<string, readonly ReadonlySet<TaskAxiom>[]>;
  readonly leftOut: ReadonlyMap<string, LeftOut>;
  /** The tasks whose runs overlap. S2 is not asked of them. */
  readonly overlapping: ReadonlySet<string>;
}

/** The readings of a crash do not say whether what an operator asked for before it is stored. */
type LeftOut = 'faulty registration' | 'too many readings' | 'asked for before a crash';

/** Everything that is violated; of a task, what the best of its readings leaves. */
export function violatedIn({ common, tasks }: Findings): readonly string[] {
  const ofTasks = [...tasks.values()].flatMap((readings) => [
    ...readings.reduce((best, violated) => (violated.size < best.size ? violated : best)),
  ]);
  return [...new Set<string>([...common, ...ofTasks])].sort(bySeverity);
}

/** Safety first, as the axioms are listed. */
const bySeverity = (one: string, other: string): number =>
  one[0] === other[0] ? one.localeCompare(other) : other.localeCompare(one);

const asShown: Reading = { commits: [], atCrash: new Map() };

/** If a trace leaves open which call an end belongs to, the pairing with the fewest violations is taken. */
export function check(records: readonly TraceRecord[], grant: Grant = { b: 0, lagMs: 60_000 }): Findings {
  const all = [...pairingsOf(records)].map((calls) => checkWith(records, calls, grant));
  return all.reduce((best, other) => (violatedIn(other).length < violatedIn(best).length ? other : best));
}

function checkWith(records: readonly TraceRecord[], calls: Calls, grant: Grant): Findings {
  const faulty = new Set(
    calls.inits
      .filter(({ end }) => end !== undefined && records[end].event === 'InitSuccess')
      .flatMap(({ start }) => [...faultyNames(listOf(records, start).registrations)]),
  );
  const names = new Set(records.flatMap((record) => ('task' in record && record.task ? [record.task] : [])));
  for (const { start } of calls.inits)
    for (const { name } of listOf(records, start).registrations) names.add(name);

  const situations = new Map<string, Situation>();
  const situation = (reading: Reading): Situation => {
    const key = JSON.stringify(reading.commits);
    const known = situations.get(key) ?? situationOf(records, calls, reading);
    situations.set(key, known);
    return known;
  };
  const tasks = new Map<string, readonly ReadonlySet<TaskAxiom>[]>();
  const leftOut = new Map<string, LeftOut>();
  for (const task of names) {
    const isDoubtful = isAskedBeforeCrash(records, task);
    const readings = faulty.has(task) || isDoubtful ? undefined : readingsOf(records, calls, task);
    if (readings)
      tasks.set(
        task,
        readings.flatMap((reading) => violatedBy(records, situation(reading), task, reading, grant) ?? []),
      );
    else if (isDoubtful) leftOut.set(task, 'asked for before a crash');
    else leftOut.set(task, faulty.has(task) ? 'faulty registration' : 'too many readings');
  }
  const overlapping = new Set(
    [...names].filter((task) => historyOf(situation(asShown), task, asShown).hasOverlap),
  );
  return { common: commonViolations(records, calls, [...names], grant), tasks, leftOut, overlapping };
}

function isAskedBeforeCrash(records: readonly TraceRecord[], task: string): boolean {
  const crash = records.findLastIndex(({ event }) => event === 'UnexpectedShutdown');
  return records
    .slice(0, Math.max(crash, 0))
    .some(
      (one) => /^(Paused|Resumed|CancelRequested)$/.test(one.event) && 'task' in one && one.task === task,
    );
}

/** What is violated in a reading; `undefined` if it cannot be. */
function violatedBy(
  records: readonly TraceRecord[],
  situation: Situation,
  task: string,
  reading: Reading,
  grant: Grant,
): ReadonlySet<TaskAxiom> | undefined {
  const history = historyOf(situation, task, reading);
  const { start, isPossible, hasOverlap } = history;
  if (!isPossible) return;
  const violated = new Set<TaskAxiom>();
  const owed = before(history.entitled);
  if (start.some((isStart, i) => isStart && !owed[i])) violated.add('S1');
  if (!hasOverlap && succeedsTwice(history)) violated.add('S2');
  const stretches = [...stretchesOf(records), ...busyStretches(records, situation)];
  if (reasons.some((reason) => isLate(reason, history, situation, grant, stretches))) violated.add('L1');
  return violated;
}

const reasons: readonly Reason[] = ['due', 'retry', 'orphaned', 'manual'];

/**
 * L1, rule by rule: no reason stands for longer than is granted while one list is active. How it ends is of no matter, and one that stands
 * again is asked for anew. A due is granted no longer than it may be old (H4).
 */
function isLate(
  reason: Reason,
  { standing, obligation }: History,
  { positions, active }: Situation,
  grant: Grant,
  stretches: ReturnType<typeof stretchesOf>,
): boolean {
  const stands = standing.map(({ now }, i) => obligation[i] && now.has(reason));
  const goesOn = (i: number): boolean => stands[i] && isActiveWith(active[i], active[i - 1]);
  return stands.some((isOne, i) => {
    if (!isOne || (i > 0 && stands[i - 1] && goesOn(i))) return false;
    let end = i + 1;
    while (end < positions.length && goesOn(end)) end++;
    // A store may take five seconds before that is trouble.
    const mostMs = reason === 'due' ? Math.max(5000, standing[i].startWithinMs) : grant.lagMs;
    const lagMs = Math.min(grant.lagMs, mostMs);
    const to = (positions[end] ?? positions[end - 1]).at;
    return !isWithin(positions[i].at, to, { ...grant, lagMs }, stretches);
  });
}

const isActiveWith = (now: List | undefined, then: List | undefined): boolean =>
  now !== undefined && then !== undefined && isSameList(now, then);

/**
 * S2: `G (RSucc → X (¬RSucc W Renewal))`. A success that a crash took back may be repeated (A10), and that is all: it must not come too
 * soon after another one. S2 is not asked of a task whose runs overlap: there S1 has accused the second start.
 */
function succeedsTwice({ succeeding, succeedingForGood, renewal }: History): boolean {
  return succeedingForGood.some((isOne, i) => {
    if (!isOne) return false;
    const renewed = renewal.findIndex((isRenewed, j) => j > i && isRenewed);
    const again = succeeding.findIndex((isOther, j) => j > i && isOther);
    return again >= 0 && (renewed < 0 || again < renewed);
  });
}

/** The time in which as many tasks ran as the current list has workers: nothing could be started. */
function busyStretches(
  records: readonly TraceRecord[],
  situation: Situation,
): ReturnType<typeof stretchesOf> {
  const { positions, registered } = situation;
  if (registered.every((list) => list?.workers === undefined)) return [];
  const names = new Set(records.flatMap((record) => ('task' in record && record.task ? [record.task] : [])));
  const running = [...names].map((name) => historyOf(situation, name, asShown).running);
  return positions.flatMap(({ at }, i) => {
    const workers = registered[i]?.workers ?? Number.POSITIVE_INFINITY;
    const isBusy = running.filter((runs) => runs[i]).length >= workers;
    return isBusy && i + 1 < positions.length ? [{ from: at, to: positions[i + 1].at, density: 0 }] : [];
  });
}

function commonViolations(
  records: readonly TraceRecord[],
  calls: Calls,
  names: readonly string[],
  grant: Grant,
): ReadonlySet<CommonAxiom> {
  const situation = situationOf(records, calls, asShown);
  const { positions, stopEnd } = situation;
  const histories = names.map((name) => historyOf(situation, name, asShown));
  const isQuiet: Truths = positions.map((_, i) => histories.every(({ running }) => !running[i]));
  const stretches = stretchesOf(records);
  const end = records.at(-1)?.at ?? 0;
  const violated = new Set<CommonAxiom>();

  if (stopEnd.some((isEnd, i) => isEnd && !isQuiet[i])) violated.add('S3');
  if (histories.some(({ unbegun }) => unbegun.includes(true))) violated.add('S4');
  if (calls.inits.some((call) => breaksS5(records, calls, situation, call))) violated.add('S5');
  for (const { start, end: returned, crash: cut } of calls.inits) {
    const last = returned ?? cut;
    const to = last === undefined ? end : records[last].at;
    if (!isWithin(records[start].at, to, grant, stretches)) violated.add('L2');
  }
  for (const { start, end: returned, crash: cut } of calls.stops) {
    const quiet = isQuiet.indexOf(
      true,
      positions.findIndex(({ index }) => index === start),
    );
    const last = returned ?? cut;
    const to = last === undefined ? end : records[last].at;
    if (quiet >= 0 && !isWithin(positions[quiet].at, to, grant, stretches)) violated.add('L3');
  }
  return violated;
}

function breaksS5(
  records: readonly TraceRecord[],
  calls: Calls,
  { positions, active }: Situation,
  call: Call,
): boolean {
  const { start, end } = call;
  if (end === undefined) return false;
  const list = listOf(records, start).registrations;
  const record = records[end];
  if (record.event === 'InitSuccess') return !isValid(list);
  const cannotBeWritten = record.event === 'InitFailure' && !record.valid && list.length === 0;
  if (!isValid(list) || cannotBeWritten || isOfStore(record)) return false;
  const isOpenMeanwhile = (other: Call): boolean =>
    other !== call && other.start < end && (other.end ?? other.crash ?? records.length) > start;
  return !(
    calls.inits.some(isOpenMeanwhile) ||
    calls.stops.some(isOpenMeanwhile) ||
    positions.some(({ index }, i) => index !== undefined && index >= start && index <= end && active[i])
  );
}

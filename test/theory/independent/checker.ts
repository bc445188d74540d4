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
  readonly leftOut: ReadonlyMap<string, 'faulty registration' | 'too many readings'>;
  /** The tasks whose runs overlap. S2 is not asked of them. */
  readonly overlapping: ReadonlySet<string>;
}

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
  const leftOut = new Map<string, 'faulty registration' | 'too many readings'>();
  for (const task of names) {
    const readings = faulty.has(task) ? undefined : readingsOf(records, calls, task);
    if (readings)
      tasks.set(
        task,
        readings.flatMap((reading) => violatedBy(records, situation(reading), task, reading, grant) ?? []),
      );
    else leftOut.set(task, faulty.has(task) ? 'faulty registration' : 'too many readings');
  }
  const overlapping = new Set(
    [...names].filter((task) => historyOf(situation(asShown), task, asShown).hasOverlap),
  );
  return { common: commonViolations(records, calls, [...names], grant), tasks, leftOut, overlapping };
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
  const { start, obligation, isPossible, hasOverlap } = history;
  if (!isPossible) return;
  const violated = new Set<TaskAxiom>();
  const owed = before(obligation);
  if (start.some((isStart, i) => isStart && !owed[i])) violated.add('S1');
  if (!hasOverlap && succeedsTwice(history)) violated.add('S2');
  const stretches = [...stretchesOf(records), ...busyStretches(records, situation)];
  const isLate = obligation.some((isOwed, i) => {
    if (!isOwed) return false;
    const j = start.findIndex(
      (isStart, k) => k >= i && (isStart || !isActiveWith(situation.active[k], situation.active[i])),
    );
    const to = j < 0 ? (records.at(-1)?.at ?? 0) : situation.positions[j].at;
    return !isWithin(situation.positions[i].at, to, grant, stretches);
  });
  if (isLate) violated.add('L1');
  return violated;
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

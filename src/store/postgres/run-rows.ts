/**
 * Starts and ends as the numbers that statements are made of. What a scheduler hands over is rows of numbers already (`core/rows.ts`): a
 * label is looked up per row, and no text is made of a run, its key or its record. Of starts and ends that are objects, the texts are taken apart.
 */
import type { RunError } from '../../core/history.ts';
import { END_WIDTH, Ends, OUTCOMES, REASONS, ROW, START_WIDTH, Starts } from '../../core/rows.ts';
import { splitRunName } from '../../core/run-names.ts';
import type { EndChange, Many, StartChange } from '../port.ts';
import { NONE } from './migrations.ts';
import { type Dictionaries, labelsOf, numbersOf, orNone } from './records.ts';

/** What starts and ends have in common. Labels stand for texts, and an instant that is not there is {@link NONE}. */
interface RunRow {
  /** The number of the task; 0 if the store does not know its name. */
  readonly id: number;
  readonly runLabel: number;
  readonly runCount: number;
  readonly instance: number;
  readonly keyLabel: number;
  readonly keyCount: number;
  readonly scheduledFor: number;
  readonly attempt: number;
  readonly reason: number;
}

export interface StartRow extends RunRow {
  readonly startedAt: number;
  /** The version that the claim was decided by; -1 if it is not known. */
  readonly version: number;
}

export interface EndRow extends RunRow {
  readonly calledAt: number;
  readonly servedThrough: number;
  readonly endedAt: number;
  readonly outcome: number;
  readonly retryUntil: number;
  /** Failures in a row, and since when. */
  readonly streak: readonly [failures: number, since: number];
  readonly error: RunError | null;
}

/** What numbers are found by. */
export interface Numbers extends Dictionaries {
  /** The numbers that the store has for the tasks of the scheduler, in the order of its list; absent before it has one. */
  readonly enrolled?: Int32Array | undefined;
}

export function startRows(starts: Many<StartChange>, dictionaries: Numbers): StartRow[] {
  if (!(starts instanceof Starts)) return Array.from(starts, (start) => startRow(start, dictionaries));
  const { cells } = starts;
  return Array.from({ length: starts.length }, (_, place) => ({
    ...runRowAt(starts, place * START_WIDTH, dictionaries),
    startedAt: cells[place * START_WIDTH + ROW.startedAt],
    version: versionOr(starts.versionAt(place)),
  }));
}

function startRow({ name, work, run, version }: StartChange, dictionaries: Dictionaries): StartRow {
  return {
    ...runRow(name, run, work, dictionaries),
    startedAt: run.startedAt,
    version: versionOr(version),
  };
}

/** No record has the version of one that is not known. */
export const versionOr = (version: number): number => (Number.isNaN(version) ? -1 : version);

export function endRows(ends: Many<EndChange>, dictionaries: Numbers): EndRow[] {
  if (!(ends instanceof Ends)) return Array.from(ends, (end) => endRow(end, dictionaries));
  const { cells, errors } = ends;
  return Array.from({ length: ends.length }, (_, place) => {
    const at = place * END_WIDTH;
    const [calledAt, servedThrough] = [cells[at + ROW.calledAt], cells[at + ROW.servedThrough]];
    return {
      ...runRowAt(ends, at, dictionaries),
      calledAt,
      servedThrough: Number.isNaN(servedThrough) ? calledAt : servedThrough,
      endedAt: cells[at + ROW.endedAt],
      outcome: cells[at + ROW.outcome],
      retryUntil: instantOr(cells[at + ROW.retryAt]),
      streak: [cells[at + ROW.failures], instantOr(cells[at + ROW.failingSince])],
      error: errors[cells[at + ROW.error] - 1] ?? null,
    };
  });
}

export function endRow(end: EndChange, dictionaries: Dictionaries): EndRow {
  return {
    ...runRow(end.name, end, end.work, dictionaries),
    calledAt: end.calledAt,
    servedThrough: end.servedThrough ?? end.calledAt,
    endedAt: end.endedAt,
    outcome: OUTCOMES.indexOf(end.outcome),
    retryUntil: orNone(end.pendingRetryUntil),
    streak: [end.failures, orNone(end.failingSince)],
    error: end.error,
  };
}

/** An instant that is not there is NaN among the numbers of a scheduler. */
const instantOr = (instant: number): number => (Number.isNaN(instant) ? NONE : instant);

function runRow(
  name: string,
  { runId, instanceId, reason }: Pick<EndChange, 'runId' | 'instanceId' | 'reason'>,
  { key, scheduledFor, attempt }: EndChange['work'],
  { names, labels }: Dictionaries,
): RunRow {
  const [runLabel, runCount] = numbersOf(runId, labels);
  const [keyLabel, keyCount] = numbersOf(key, labels);
  return {
    id: names.id(name),
    runLabel,
    runCount,
    instance: labels.id(instanceId),
    keyLabel,
    keyCount,
    scheduledFor,
    attempt,
    reason: REASONS.indexOf(reason),
  };
}

function runRowAt(rows: Starts | Ends, at: number, numbers: Numbers): RunRow {
  const { cells, naming } = rows;
  const { labels } = numbers;
  const runLabel = labels.id(naming.runNames.text(cells[at + ROW.runPlace], 0));
  const keyPlace = cells[at + ROW.keyPlace];
  return {
    id: idAt(rows, at, numbers),
    runLabel,
    runCount: cells[at + ROW.runCount],
    // A scheduler names its runs after its instance.
    instance: runLabel,
    keyLabel: keyPlace === cells[at + ROW.runPlace] ? runLabel : labels.id(naming.runNames.text(keyPlace, 0)),
    keyCount: cells[at + ROW.keyCount],
    scheduledFor: cells[at + ROW.scheduledFor],
    attempt: cells[at + ROW.attempt],
    reason: cells[at + ROW.reason],
  };
}

const idAt = ({ cells, naming }: Starts | Ends, at: number, { names, enrolled }: Numbers): number =>
  enrolled?.[cells[at + ROW.task]] ?? names.id(naming.nameOf(cells[at + ROW.task]));

/** The numbers of the tasks of some changes. */
export function idsOf(changes: Iterable<{ readonly name: string }>, numbers: Numbers): readonly number[] {
  if (!(changes instanceof Starts || changes instanceof Ends))
    return Array.from(changes, ({ name }) => numbers.names.id(name));
  return Array.from({ length: changes.length }, (_, place) => idAt(changes, place * changes.width, numbers));
}

/** The texts of ends that need a label. */
export function labelsInEnds(ends: Many<EndChange>): Set<string> {
  if (ends instanceof Ends) return labelsInRows(ends);
  const texts = new Set<string>();
  for (const { runId, instanceId, work } of ends)
    for (const text of [splitRunName(runId).instance, instanceId, ...labelsOf(work, null)]) texts.add(text);
  return texts;
}

/** The texts of starts that need a label. */
export function labelsInStarts(starts: Many<StartChange>): Set<string> {
  const texts = starts instanceof Starts ? labelsInRows(starts) : new Set<string>();
  if (!(starts instanceof Starts))
    for (const { work, run } of starts) for (const text of labelsOf(work, run)) texts.add(text);
  return texts;
}

function labelsInRows(rows: Starts | Ends): Set<string> {
  const { cells, width, naming } = rows;
  const places = new Set<number>();
  for (let at = 0; at < rows.length * width; at += width)
    places.add(cells[at + ROW.runPlace]).add(cells[at + ROW.keyPlace]);
  return new Set(Array.from(places, (place) => naming.runNames.text(place, 0)));
}

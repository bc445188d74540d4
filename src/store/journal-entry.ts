/**
 * Entries of the journal: what happened to runs, as rows of numbers (`core/rows.ts`) and the texts that they refer to.
 *
 *     starts    work and run of each task from then on
 *     ends      everything that an end writes; it stays in the journal as history (J1)
 *     cutOffs   rows like those of ends, for the history alone: the rows of the tasks were written with it
 *     resets    tasks whose rows were written directly or removed: what earlier entries say of them is over
 *
 * Rows have more numbers than those of the core: the place of the instance, NaN if it is the run's own; and, of starts and ends, the version that the
 * record had before (K2), NaN in entries of older files. Within an entry, places count the texts of that entry. Outside of it they count the
 * names of the one who reads or writes.
 */
import type { PastRun, RunError } from '../core/history.ts';
import { END_WIDTH, OUTCOMES, REASONS, ROW, START_WIDTH } from '../core/rows.ts';
import { type RunNames, splitRunName } from '../core/run-names.ts';
import { DamagedEntry, decodeRows, encodeRows } from './journal-codec.ts';

export type EntryPart = 'starts' | 'ends' | 'cutOffs' | 'resets';

/** Numbers per row. */
export const ENTRY_WIDTHS: Readonly<Record<EntryPart, number>> = {
  starts: START_WIDTH + 1,
  ends: END_WIDTH + 2,
  cutOffs: END_WIDTH + 1,
  resets: 1,
};

/** Where the place of the instance is. */
export const INSTANCE = { starts: ROW.startedAt + 1, ends: END_WIDTH, cutOffs: END_WIDTH } as const;
/** Where the version is. It comes last, since older rows have none. */
export const VERSION = { starts: START_WIDTH, ends: END_WIDTH + 1 } as const;

const without = (width: number, ...missing: readonly number[]): readonly number[] =>
  Array.from({ length: width }, (_, column) => column).filter((column) => !missing.includes(column));

/** The columns of older entries: those from before records had versions, and those from before ends had cursors. */
const OLDER: Readonly<Record<EntryPart, ReadonlyArray<readonly number[]>>> = {
  starts: [without(ENTRY_WIDTHS.starts, VERSION.starts)],
  ends: [
    without(ENTRY_WIDTHS.ends, VERSION.ends),
    without(ENTRY_WIDTHS.ends, VERSION.ends, ROW.servedThrough),
  ],
  cutOffs: [without(ENTRY_WIDTHS.cutOffs, ROW.servedThrough)],
  resets: [],
};

/** Rows of one part. */
export interface EntryRows {
  readonly part: EntryPart;
  readonly count: number;
  readonly cells: Float64Array<ArrayBuffer>;
  readonly errors: readonly RunError[];
}

/** An entry as it is in the table. */
export interface StoredEntry {
  readonly part: string;
  readonly runs: number;
  readonly at: number | null;
  readonly data: Uint8Array;
  readonly texts: string;
}

/** The columns of a part that hold places. */
const placesOf = (part: EntryPart): readonly number[] =>
  part === 'resets' ? [] : [ROW.runPlace, ROW.keyPlace, INSTANCE[part]];

/** Replaces every place in the rows. */
function replacePlaces({ part, count, cells }: EntryRows, placeOf: (place: number) => number): void {
  const width = ENTRY_WIDTHS[part];
  for (const column of placesOf(part)) replaceColumn(cells, column, count * width, width, placeOf);
}

/** Most rows of a column have the same place. */
function replaceColumn(
  cells: Float64Array,
  from: number,
  to: number,
  width: number,
  placeOf: (place: number) => number,
): void {
  let [last, replaced] = [Number.NaN, Number.NaN];
  for (let at = from; at < to; at += width) {
    const place = cells[at];
    if (Number.isNaN(place)) continue;
    if (place !== last) [last, replaced] = [place, placeOf(place)];
    cells[at] = replaced;
  }
}

/** Packs rows whose places are of `names`. The cells are used up. */
export function packEntry(rows: EntryRows, names: RunNames): StoredEntry {
  const { part, count, cells } = rows;
  const texts: string[] = [];
  const local = new Map<number, number>();
  replacePlaces(rows, (place) => {
    let to = local.get(place);
    if (to === undefined) {
      to = texts.push(names.text(place, 0)) - 1;
      local.set(place, to);
    }
    return to;
  });
  const errors = shareErrors(rows);
  return {
    part,
    runs: count,
    at: part === 'ends' || part === 'cutOffs' ? latestEnd(rows) : null,
    data: encodeRows(cells.subarray(0, count * ENTRY_WIDTHS[part]), ENTRY_WIDTHS[part]),
    texts: texts.length + errors.length === 0 ? '{}' : JSON.stringify({ names: texts, errors }),
  };
}

function latestEnd({ part, count, cells }: EntryRows): number {
  let latest = Number.NEGATIVE_INFINITY;
  const width = ENTRY_WIDTHS[part];
  for (let at = ROW.endedAt; at < count * width; at += width) latest = Math.max(latest, cells[at]);
  return latest;
}

/** Equal errors are stored once. Renumbers those of the rows. */
function shareErrors({ part, count, cells, errors }: EntryRows): readonly RunError[] {
  if (errors.length === 0) return errors;
  const shared: RunError[] = [];
  const places = new Map<string, number>();
  const width = ENTRY_WIDTHS[part];
  for (let at = ROW.error; at < count * width; at += width) {
    if (cells[at] === 0) continue;
    const error = errors[cells[at] - 1];
    const text = JSON.stringify(error);
    const place = places.get(text) ?? shared.push(error);
    places.set(text, place);
    cells[at] = place;
  }
  return shared;
}

/** The rows of a stored entry, with places of `names`. */
export function unpackEntry({ part, runs, data, texts }: StoredEntry, names: RunNames): EntryRows {
  if (!isPart(part)) throw new DamagedEntry(`there is no part "${part}"`);
  const cells = decodeRows(data, runs, ENTRY_WIDTHS[part], OLDER[part]);
  const { names: own, errors } = readTexts(texts);
  const rows = { part, count: runs, cells, errors };
  replacePlaces(rows, (place) => {
    if (own[place] === undefined) throw new DamagedEntry('a run has no name');
    return names.place(own[place]);
  });
  checkRows(rows);
  return rows;
}

const isPart = (part: string): part is EntryPart => Object.hasOwn(ENTRY_WIDTHS, part);

function readTexts(texts: string): {
  readonly names: readonly string[];
  readonly errors: readonly RunError[];
} {
  let value: unknown;
  try {
    value = JSON.parse(texts);
  } catch {
    throw new DamagedEntry('its texts are no JSON');
  }
  const names = Reflect.get(Object(value), 'names') ?? [];
  const errors = Reflect.get(Object(value), 'errors') ?? [];
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw new DamagedEntry('its names are no texts');
  if (!Array.isArray(errors) || !errors.every(isError)) throw new DamagedEntry('its errors are none');
  return { names, errors };
}

const isError = (value: unknown): value is RunError =>
  ['name', 'message', 'text'].every((field) => typeof Reflect.get(Object(value), field) === 'string');

/** Numbers that a text or a row is found by must be of one that is there. */
function checkRows({ part, count, cells, errors }: EntryRows): void {
  const width = ENTRY_WIDTHS[part];
  for (let at = 0; at < count * width; at += width) {
    if (!Number.isSafeInteger(cells[at])) throw new DamagedEntry('a task has no number');
    if (part === 'resets') continue;
    const isNamed = cells[at + ROW.runCount] >= 0 && cells[at + ROW.keyCount] >= 0;
    if (!isNamed || Number.isNaN(cells[at + ROW.runPlace]) || Number.isNaN(cells[at + ROW.keyPlace]))
      throw new DamagedEntry('a run has no name');
    if (REASONS[cells[at + ROW.reason]] === undefined) throw new DamagedEntry('a run has no reason');
    if (part === 'starts') continue;
    if (OUTCOMES[cells[at + ROW.outcome]] === undefined) throw new DamagedEntry('an end has no outcome');
    const error = cells[at + ROW.error];
    if (error !== 0 && errors[error - 1] === undefined) throw new DamagedEntry('an end has no error');
  }
}

/** The run of the past that a row of ends or of cut offs is. */
export function pastRunAt(
  { part, cells, errors }: EntryRows,
  row: number,
  names: RunNames,
  task: string,
): PastRun {
  const at = row * ENTRY_WIDTHS[part];
  const own = cells[at + END_WIDTH];
  const error = cells[at + ROW.error];
  return {
    task,
    runId: names.text(cells[at + ROW.runPlace], cells[at + ROW.runCount]),
    instanceId: names.text(Number.isNaN(own) ? cells[at + ROW.runPlace] : own, 0),
    reason: REASONS[cells[at + ROW.reason]],
    key: names.text(cells[at + ROW.keyPlace], cells[at + ROW.keyCount]),
    scheduledFor: cells[at + ROW.scheduledFor],
    attempt: cells[at + ROW.attempt],
    calledAt: cells[at + ROW.calledAt],
    endedAt: cells[at + ROW.endedAt],
    outcome: OUTCOMES[cells[at + ROW.outcome]],
    error: error === 0 ? null : errors[error - 1],
  };
}

/** The rows of runs that were cut off. */
export function cutOffRows(
  runs: ReadonlyArray<{ readonly id: number; readonly past: PastRun }>,
  names: RunNames,
): EntryRows {
  const width = ENTRY_WIDTHS.cutOffs;
  const cells = new Float64Array(runs.length * width).fill(Number.NaN);
  for (const [row, { id, past }] of runs.entries()) {
    const at = row * width;
    cells[at] = id;
    putName(cells, at + ROW.runPlace, past.runId, names);
    putName(cells, at + ROW.keyPlace, past.key, names);
    cells[at + ROW.scheduledFor] = past.scheduledFor;
    cells[at + ROW.attempt] = past.attempt;
    cells[at + ROW.reason] = REASONS.indexOf(past.reason);
    cells[at + ROW.calledAt] = past.calledAt;
    cells[at + ROW.endedAt] = past.endedAt;
    cells[at + ROW.outcome] = OUTCOMES.indexOf('cut off');
    cells[at + ROW.failures] = 0;
    cells[at + ROW.error] = 0;
    cells[at + END_WIDTH] = names.place(past.instanceId);
  }
  return { part: 'cutOffs', count: runs.length, cells, errors: [] };
}

/** Puts a name into two cells: place and count. */
export function putName(cells: Float64Array, at: number, name: string, names: RunNames): void {
  const { instance, count } = splitRunName(name);
  cells[at] = names.place(instance);
  cells[at + 1] = count;
}

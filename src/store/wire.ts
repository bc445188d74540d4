/**
 * How batches cross to the store's thread, as sheets of some rows of one part each.
 *
 * Starts and ends of a scheduler are rows of numbers already (`core/rows.ts`): they are copied once, into memory that both threads
 * see, and get the numbers that the store has for their tasks. Starts and ends that are objects are packed into such rows, with the names of
 * their tasks aside. New records are columns. All other changes are few, and cross as they are.
 */
import type { EndChange, Many, StartChange } from '../core/changes.ts';
import { FirstComings } from '../core/first-comings.ts';
import type { RunError } from '../core/history.ts';
import type { TaskRecord } from '../core/record.ts';
import { END_WIDTH, Ends, ROW, Starts } from '../core/rows.ts';
import type { RunNames } from '../core/run-names.ts';
import { ConfigPlaces } from './page.ts';
import type { Batch } from './port.ts';
import { packRows, type RowsSheet } from './wire-rows.ts';

/** The parts of a batch that cross as objects. */
export type ObjectPart = 'cutOffs' | 'puts' | 'configures' | 'pauses' | 'answers' | 'unstarts' | 'moves';

/** Records of tasks that have not run yet. */
export interface FreshSheet {
  readonly kind: 'fresh';
  readonly count: number;
  readonly names: readonly string[];
  /** Pairs of expression and policy, and which of them each record has. */
  readonly crons: readonly string[];
  readonly policies: ReadonlyArray<string | null>;
  readonly cronPlaces: Uint32Array<ArrayBuffer>;
  /** Delay, first seen, served through. */
  readonly numbers: Float64Array<ArrayBuffer>;
}

export type Sheet =
  | RowsSheet
  | FreshSheet
  | { readonly kind: 'timeZone'; readonly count: 1; readonly timeZone: string }
  | { readonly kind: 'removes'; readonly count: number; readonly names: readonly string[] }
  | {
      readonly [Part in ObjectPart]: {
        readonly kind: 'changes';
        readonly part: Part;
        readonly count: number;
        readonly changes: ReadonlyArray<
          NonNullable<Batch[Part]> extends Iterable<infer Change> ? Change : never
        >;
      };
    }[ObjectPart];

/** What the session knows of the tasks of its scheduler: their numbers in the store, and which names of runs the thread has. */
export interface Enrolled {
  /** By the number of the task in the scheduler; `undefined` before `enroll`. */
  readonly ids: Float64Array | undefined;
  /** Room for `limit` rows of any width, which the other thread sees too. */
  sharedCells(): Float64Array;
  /** The number of a list of names, and what the thread does not have of it yet; it counts as sent. */
  newNames(runNames: RunNames): { readonly list: number; readonly names: readonly string[] };
}

/** A structured clone of objects takes longer than that of a typed array. */
const OBJECTS_PER_SHEET = 500;

/** The batch as sheets of at most `limit` rows each, made one at a time as they are asked for. */
export function* sheetsOf(batch: Batch, limit: number, enrolled: Enrolled): Generator<Sheet> {
  if (batch.timeZone !== undefined) yield { kind: 'timeZone', count: 1, timeZone: batch.timeZone };
  yield* objects('cutOffs', batch.cutOffs);
  yield* rowSheets('ends', batch.ends, limit, enrolled);
  yield* objects('unstarts', batch.unstarts);
  for (const names of pieces(batch.removes, limit)) yield { kind: 'removes', count: names.length, names };
  yield* putSheets(batch.puts, limit);
  yield* objects('configures', batch.configures);
  yield* objects('pauses', batch.pauses);
  yield* objects('answers', batch.answers);
  yield* objects('moves', batch.moves);
  yield* rowSheets('starts', batch.starts, limit, enrolled);
}

function* objects<Part extends ObjectPart>(
  part: Part,
  changes: Iterable<unknown> | undefined,
): Generator<Sheet> {
  for (const some of pieces(changes, OBJECTS_PER_SHEET)) {
    for (const change of some) nameOf(change);
    // The part says what its changes are; the type of a batch does not follow from it.
    yield { kind: 'changes', part, count: some.length, changes: some } as Sheet;
  }
}

/** A hole in a list is found before anything of it is posted. */
function nameOf(change: unknown): unknown {
  if (typeof change !== 'object' || change === null) throw new TypeError('a batch has a change that is none');
  return Reflect.get(change, 'name');
}

function* pieces<Item>(items: Iterable<Item> | undefined, limit: number): Generator<Item[]> {
  let some: Item[] = [];
  for (const item of items ?? []) {
    if (some.push(item) < limit) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

function* putSheets(puts: Many<TaskRecord> | undefined, limit: number): Generator<Sheet> {
  if (puts instanceof FirstComings && !puts.isAnyPaused) {
    for (let from = 0; from < puts.length; from += limit) {
      const count = Math.min(limit, puts.length - from);
      yield freshSheet(count, (place) => columnsOf(puts, from + place));
    }
    return;
  }
  for (const some of pieces(puts, limit)) {
    const fresh = some.filter(isFresh);
    if (fresh.length > 0) yield freshSheet(fresh.length, (place) => fresh[place]);
    if (fresh.length < some.length)
      yield* objects(
        'puts',
        some.filter((record) => !isFresh(record)),
      );
  }
}

/** Whether a record says nothing but when its task came. */
const isFresh = (record: TaskRecord): boolean =>
  record.work === null &&
  record.run === null &&
  record.lastAttemptAt === null &&
  record.lastSuccessAt === null &&
  record.lastFailureAt === null &&
  record.pendingRetryUntil === null &&
  record.failures === 0 &&
  record.failingSince === null &&
  record.lastError === null &&
  record.lastDurationMs === null &&
  record.pausedAt === null;

/** What a fresh record says of its own. */
type FreshRecord = Pick<
  TaskRecord,
  'name' | 'cron' | 'policy' | 'retryDelayMs' | 'firstSeenAt' | 'servedThrough'
>;

function columnsOf(puts: FirstComings, place: number): FreshRecord {
  const { name, cron, retryDelayMs, policy } = puts.registrationAt(place);
  const { firstSeenAt } = puts;
  return {
    name,
    cron,
    policy: policy.text,
    retryDelayMs,
    firstSeenAt,
    servedThrough: puts.cursorAt(place),
  };
}

function freshSheet(count: number, recordAt: (place: number) => FreshRecord): FreshSheet {
  const configs = new ConfigPlaces<string>();
  const cronPlaces = new Uint32Array(count);
  const numbers = new Float64Array(count * 3);
  const names: string[] = [];
  for (let row = 0; row < count; row++) {
    const { name, cron, policy, retryDelayMs, firstSeenAt, servedThrough } = recordAt(row);
    names.push(name);
    cronPlaces[row] = configs.place(cron, policy);
    numbers[row * 3] = retryDelayMs;
    numbers[row * 3 + 1] = firstSeenAt;
    numbers[row * 3 + 2] = servedThrough;
  }
  const { crons, policies } = configs;
  return { kind: 'fresh', count, names, crons, policies, cronPlaces, numbers };
}

function* rowSheets(
  part: 'starts' | 'ends',
  changes: Many<StartChange> | Many<EndChange> | undefined,
  limit: number,
  enrolled: Enrolled,
): Generator<Sheet> {
  if (changes === undefined) return;
  const { ids } = enrolled;
  if ((changes instanceof Starts || changes instanceof Ends) && ids !== undefined) {
    for (let from = 0; from < changes.length; from += limit)
      yield numbered(part, changes, from, limit, ids, enrolled);
  } else {
    for (const some of pieces<StartChange | EndChange>(changes, limit)) yield packRows(part, some);
  }
}

/** Some rows of a scheduler, with the numbers of the store for its tasks. */
function numbered(
  part: 'starts' | 'ends',
  rows: Starts | Ends,
  from: number,
  limit: number,
  ids: Float64Array,
  enrolled: Enrolled,
): RowsSheet {
  const { width } = rows;
  const count = Math.min(limit, rows.length - from);
  const cells = enrolled.sharedCells();
  cells.set(rows.cells.subarray(from * width, (from + count) * width));
  let errors: readonly RunError[] = [];
  for (let at = 0; at < count * width; at += width) cells[at] = ids[cells[at]];
  if (rows instanceof Ends && rows.errors.length > 0) errors = ownErrors(cells, count, rows.errors);
  return {
    kind: 'rows',
    part,
    count,
    cells,
    width,
    tasks: undefined,
    errors,
    ...enrolled.newNames(rows.naming.runNames),
  };
}

/** The errors of these rows alone; their numbers change with it. */
function ownErrors(cells: Float64Array, count: number, all: readonly RunError[]): readonly RunError[] {
  const errors: RunError[] = [];
  for (let at = ROW.error; at < count * END_WIDTH; at += END_WIDTH) {
    if (cells[at] !== 0) cells[at] = errors.push(all[cells[at] - 1]);
  }
  return errors;
}

/** What of a sheet is handed over instead of copied. */
export function transferOf(sheet: Sheet): ArrayBuffer[] {
  if (sheet.kind === 'rows') return sheet.cells.buffer instanceof ArrayBuffer ? [sheet.cells.buffer] : [];
  return sheet.kind === 'fresh' ? [sheet.numbers.buffer, sheet.cronPlaces.buffer] : [];
}

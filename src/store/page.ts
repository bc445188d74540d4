/**
 * Records on their way to the main thread, a page at a time: numbers in one typed array, expressions as places in a short list. The
 * texts of works and runs cross only if one of the page has any. A value whose type is not its column's belongs to a damaged row. It
 * is sent with the page, as it is, for the scheduler to name (E7). So does the text of a name that is not the JSON text of that name:
 * changes look for the latter, and would never find the row.
 */
import type { TaskRecord } from '../core/record.ts';

const OTHER_TEXTS = ['work_key', 'run_id', 'run_instance_id', 'run_reason', 'last_error'] as const;
const NUMBERS = [
  'retry_delay_ms',
  'first_seen_at',
  'served_through',
  'last_attempt_at',
  'last_success_at',
  'last_failure_at',
  'pending_retry_until',
  'failures',
  'failing_since',
  'last_duration_ms',
  'work_scheduled_for',
  'work_attempt',
  'run_started_at',
  'run_cut_off_at',
] as const;

/** Every column of a record, the name first: texts, then numbers. */
export const RECORD_COLUMNS: readonly string[] = ['name', 'cron', ...OTHER_TEXTS, ...NUMBERS];
const TEXT_COUNT = 2 + OTHER_TEXTS.length;

type Texts = ReadonlyArray<string | null>;

export interface Page {
  readonly count: number;
  readonly names: Texts;
  /** The expressions that are in the page, and which of them each record has. */
  readonly crons: Texts;
  readonly cronPlaces: Uint32Array<ArrayBuffer>;
  /** The other texts, row by row; empty if all are null. */
  readonly texts: Texts;
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly odd: ReadonlyArray<readonly [cell: number, value: unknown]>;
}

/**
 * Rows of values, in the order of `RECORD_COLUMNS` from `offset` on, as a page. `names` says whether a name that is not its own
 * JSON text is damage; a repair reads names as they are, and checks them itself.
 */
export function pageOf(
  rows: ReadonlyArray<readonly unknown[]>,
  offset: number,
  names: 'checked' | 'as they are' = 'as they are',
): Page {
  const pageNames: Array<string | null> = [];
  const crons = new Map<string | null, number>();
  const cronPlaces = new Uint32Array(rows.length);
  const texts: Array<string | null> = [];
  let someText = false;
  const numbers = new Float64Array(rows.length * NUMBERS.length);
  const odd = new OddCells();
  for (let row = 0, number = 0; row < rows.length; row++) {
    const values = rows[row];
    const stored = odd.text(values[offset], row, 0);
    pageNames.push(stored && nameOf(stored));
    if (names === 'checked' && !isNameOrNull(stored)) odd.add(row, 0, stored);
    cronPlaces[row] = placeIn(crons, odd.text(values[offset + 1], row, 1));
    for (let column = 2; column < TEXT_COUNT; column++) {
      const text = odd.text(values[offset + column], row, column);
      someText ||= text !== null;
      texts.push(text);
    }
    for (let column = TEXT_COUNT; column < RECORD_COLUMNS.length; column++) {
      const value = values[offset + column];
      numbers[number++] = typeof value === 'number' ? value : (odd.add(row, column, value) ?? Number.NaN);
    }
  }
  return {
    count: rows.length,
    names: pageNames,
    crons: [...crons.keys()],
    cronPlaces,
    texts: someText ? texts : [],
    numbers,
    odd: odd.cells,
  };
}

/** The values that do not fit their column. */
class OddCells {
  readonly cells: Array<readonly [cell: number, value: unknown]> = [];

  add(row: number, column: number, value: unknown): null {
    if (value !== null) this.cells.push([row * RECORD_COLUMNS.length + column, value]);
    return null;
  }

  /** The value, if it is a text. */
  text(value: unknown, row: number, column: number): string | null {
    return typeof value === 'string' ? value : this.add(row, column, value);
  }
}

function placeIn(crons: Map<string | null, number>, cron: string | null): number {
  let place = crons.get(cron);
  if (place === undefined) {
    place = crons.size;
    crons.set(cron, place);
  }
  return place;
}

/** A text in quotes that means itself: no character is escaped, and none would have to be. */
const PLAIN_NAME = /^"[ !#-[\]-\ud7ff\ue000-\uffff]*"$/;

/** Names are stored as JSON, which keeps NUL and lone surrogates apart; what is no JSON string is handed over raw. */
const nameOf = (stored: string): string =>
  PLAIN_NAME.test(stored) ? stored.slice(1, -1) : parsedName(stored);

/** Whether a stored name is the JSON text of a name. */
const isNameOrNull = (stored: string | null): boolean =>
  stored === null || PLAIN_NAME.test(stored) || JSON.stringify(parsedName(stored)) === stored;

function parsedName(stored: string): string {
  try {
    const name: unknown = JSON.parse(stored);
    return typeof name === 'string' ? name : stored;
  } catch {
    return stored;
  }
}

/** Appends the records of a page, in the shape of `TaskRecord` but not looked at. */
export function unpackPage(page: Page, into: unknown[]): void {
  const { count, names, crons, cronPlaces, texts, numbers, odd } = page;
  const strange = new Map(odd);
  const none = strange.size === 0;
  const rowWidth = RECORD_COLUMNS.length;
  const odds = (row: number, column: number): unknown =>
    none ? null : (strange.get(row * rowWidth + column) ?? null);
  const cells = (row: number): Cells => ({
    text(column) {
      const value = texts.length === 0 ? null : texts[row * OTHER_TEXTS.length + column];
      return value ?? odds(row, 2 + column);
    },
    number(column) {
      const value = numbers[row * NUMBERS.length + column];
      return Number.isNaN(value) ? odds(row, TEXT_COUNT + column) : value;
    },
  });
  for (let row = 0; row < count; row++) {
    const name = names[row] ?? odds(row, 0);
    const cron = crons[cronPlaces[row]] ?? odds(row, 1);
    const record = recordOf(name, cron, cells(row));
    const storedName = odds(row, 0);
    into.push(typeof storedName === 'string' ? { ...record, storedName } : record);
  }
}

interface Cells {
  text(column: number): unknown;
  number(column: number): unknown;
}

function recordOf(name: unknown, cron: unknown, { text, number }: Cells): object {
  const [key, runId, instanceId, reason] = [text(0), text(1), text(2), text(3)];
  const [scheduledFor, attempt, startedAt, cutOffAt] = [number(10), number(11), number(12), number(13)];
  const worked = key !== null || scheduledFor !== null || attempt !== null;
  const running = runId !== null || instanceId !== null || startedAt !== null;
  return {
    name,
    cron,
    retryDelayMs: number(0),
    firstSeenAt: number(1),
    servedThrough: number(2),
    lastAttemptAt: number(3),
    lastSuccessAt: number(4),
    lastFailureAt: number(5),
    pendingRetryUntil: number(6),
    failures: number(7),
    failingSince: number(8),
    lastError: errorOf(text(4)),
    lastDurationMs: number(9),
    work: worked ? { key, scheduledFor, attempt } : null,
    run: running ? { runId, instanceId, startedAt, reason, cutOffAt } : null,
  };
}

function errorOf(stored: unknown): unknown {
  if (typeof stored !== 'string') return stored;
  try {
    return JSON.parse(stored);
  } catch {
    return stored;
  }
}

/** The values of a record in the order of its columns. */
export const valuesOf = ({ work, run, ...record }: TaskRecord): Array<string | number | null> => [
  JSON.stringify(record.name),
  record.cron,
  work?.key ?? null,
  run?.runId ?? null,
  run?.instanceId ?? null,
  run?.reason ?? null,
  record.lastError && JSON.stringify({ name: record.lastError.name, message: record.lastError.message }),
  record.retryDelayMs,
  record.firstSeenAt,
  record.servedThrough,
  record.lastAttemptAt,
  record.lastSuccessAt,
  record.lastFailureAt,
  record.pendingRetryUntil,
  record.failures,
  record.failingSince,
  record.lastDurationMs,
  work?.scheduledFor ?? null,
  work?.attempt ?? null,
  run?.startedAt ?? null,
  run?.cutOffAt ?? null,
];

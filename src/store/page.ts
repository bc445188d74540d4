/**
 * Records on their way back, a page at a time: the columns of a whole record (those of `puts`), packed like a sheet. A value
 * whose type is not its column's belongs to a damaged row. It is sent with the page, as it is, for the scheduler to name (E7). So
 * does the text of a name that is not the JSON text of that name: changes look for the latter, and would never find the row.
 */
import { COLUMNS } from './wire.ts';

/** Every column of a record, the name first: texts, then numbers. */
export const RECORD_COLUMNS: readonly string[] = ['name', ...COLUMNS.puts.texts, ...COLUMNS.puts.numbers];
const TEXT_COUNT = 1 + COLUMNS.puts.texts.length;
const NUMBER_COUNT = COLUMNS.puts.numbers.length;

export interface Page {
  readonly count: number;
  readonly texts: ReadonlyArray<string | null>;
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
  const texts: Array<string | null> = [];
  const numbers = new Float64Array(rows.length * NUMBER_COUNT);
  const odd: Array<readonly [number, unknown]> = [];
  for (const [row, values] of rows.entries()) {
    for (let column = 0; column < RECORD_COLUMNS.length; column++) {
      const value = values[offset + column];
      const fits = column < TEXT_COUNT ? typeof value === 'string' : typeof value === 'number';
      if (!fits && value !== null) odd.push([row * RECORD_COLUMNS.length + column, value]);
    }
    const name = values[offset];
    if (names === 'checked' && typeof name === 'string' && JSON.stringify(nameOf(name)) !== name)
      odd.push([row * RECORD_COLUMNS.length, name]);
    for (let column = 0; column < TEXT_COUNT; column++) texts.push(textOf(values[offset + column], column));
    for (let column = 0; column < NUMBER_COUNT; column++) {
      numbers[row * NUMBER_COUNT + column] = numberOf(values[offset + TEXT_COUNT + column]);
    }
  }
  return { count: rows.length, texts, numbers, odd };
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

const textOf = (value: unknown, column: number): string | null =>
  typeof value !== 'string' ? null : column === 0 ? nameOf(value) : value;

/** Names are stored as JSON, which keeps NUL and lone surrogates apart; what is no JSON string is handed over raw. */
function nameOf(stored: string): string {
  try {
    const name: unknown = JSON.parse(stored);
    return typeof name === 'string' ? name : stored;
  } catch {
    return stored;
  }
}

/** Appends the records of a page, in the shape of `TaskRecord` but not looked at. */
export function unpackPage({ count, texts, numbers, odd }: Page, into: unknown[]): void {
  const strange = new Map(odd);
  const none = strange.size === 0;
  const text = (row: number, column: number): unknown => {
    const value = texts[row * TEXT_COUNT + column];
    return none || typeof value === 'string'
      ? value
      : (strange.get(row * RECORD_COLUMNS.length + column) ?? value);
  };
  const number = (row: number, column: number): unknown => {
    const value = numbers[row * NUMBER_COUNT + column];
    if (!Number.isNaN(value)) return value;
    return none ? null : (strange.get(row * RECORD_COLUMNS.length + TEXT_COUNT + column) ?? null);
  };
  for (let row = 0; row < count; row++) {
    const record = recordAt(row, text, number);
    const storedName = none ? undefined : strange.get(row * RECORD_COLUMNS.length);
    into.push(typeof storedName === 'string' ? { ...record, storedName } : record);
  }
}

type Cell = (row: number, column: number) => unknown;

function recordAt(row: number, text: Cell, number: Cell): object {
  const key = text(row, 2);
  const scheduledFor = number(row, 7);
  const attempt = number(row, 8);
  const runId = text(row, 3);
  const instanceId = text(row, 4);
  const startedAt = number(row, 9);
  const worked = key !== null || scheduledFor !== null || attempt !== null;
  const running = runId !== null || instanceId !== null || startedAt !== null;
  return {
    name: text(row, 0),
    cron: text(row, 1),
    retryDelayMs: number(row, 0),
    firstSeenAt: number(row, 1),
    servedThrough: number(row, 2),
    lastAttemptAt: number(row, 3),
    lastSuccessAt: number(row, 4),
    lastFailureAt: number(row, 5),
    pendingRetryUntil: number(row, 6),
    work: worked ? { key, scheduledFor, attempt } : null,
    run: running ? { runId, instanceId, startedAt } : null,
  };
}

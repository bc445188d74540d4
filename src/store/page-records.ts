/** The records of a page, on the main thread. */
import type { TaskRecord } from '../core/record.ts';
import {
  FIRST_TEXTS,
  NUMBERS,
  OTHER_TEXTS,
  type Page,
  RECORD_COLUMNS,
  TEXT_COUNT,
  type Texts,
} from './page.ts';

/** Appends the records of a page, in the shape of `TaskRecord` but not looked at. */
export function unpackPage(page: Page, into: unknown[]): void {
  const cells = new Cells(page);
  for (let row = 0; row < page.count; row++) {
    const record = recordAt(page, cells, row);
    const storedName = cells.odd(row, 0);
    into.push(typeof storedName === 'string' ? { ...record, storedName } : record);
  }
}

/** A page has every field of a record. What a damaged one holds is for the scheduler to name, and is handed over as it is. */
export const isShaped = (value: unknown): value is TaskRecord =>
  typeof Reflect.get(Object(value), 'name') === 'string';

/** The values of a page. Nothing is made per row: a million of them are read. */
class Cells {
  readonly #texts: Texts;
  readonly #numbers: Float64Array;
  readonly #odd: ReadonlyMap<number, unknown>;

  constructor({ texts, numbers, odd }: Page) {
    this.#texts = texts;
    this.#numbers = numbers;
    this.#odd = new Map(odd);
  }

  /** What is not there at all is `undefined`, which is not the same as empty. */
  odd(row: number, column: number): unknown {
    if (this.#odd.size === 0) return null;
    const cell = row * RECORD_COLUMNS.length + column;
    return this.#odd.has(cell) ? this.#odd.get(cell) : null;
  }

  text(row: number, column: number): unknown {
    const value = this.#texts.length === 0 ? null : this.#texts[row * OTHER_TEXTS.length + column];
    return value ?? this.odd(row, FIRST_TEXTS.length + column);
  }

  number(row: number, column: number): unknown {
    const value = this.#numbers[row * NUMBERS.length + column];
    return Number.isNaN(value) ? this.odd(row, TEXT_COUNT + column) : value;
  }
}

function recordAt({ names, crons, policies, cronPlaces }: Page, cells: Cells, row: number): object {
  return {
    name: names[row] ?? cells.odd(row, 0),
    cron: crons[cronPlaces[row]] ?? cells.odd(row, 1),
    retryDelayMs: cells.number(row, 0),
    policy: policies[cronPlaces[row]] ?? cells.odd(row, 2),
    version: cells.number(row, 15),
    pausedAt: cells.number(row, 14),
    firstSeenAt: cells.number(row, 1),
    servedThrough: cells.number(row, 2),
    lastAttemptAt: cells.number(row, 3),
    lastSuccessAt: cells.number(row, 4),
    lastFailureAt: cells.number(row, 5),
    pendingRetryUntil: cells.number(row, 6),
    failures: cells.number(row, 7),
    failingSince: cells.number(row, 8),
    lastError: errorOf(cells.text(row, 4)),
    lastDurationMs: cells.number(row, 9),
    work: workAt(cells, row),
    run: runAt(cells, row),
  };
}

function workAt(cells: Cells, row: number): object | null {
  const key = cells.text(row, 0);
  const scheduledFor = cells.number(row, 10);
  const attempt = cells.number(row, 11);
  return key !== null || scheduledFor !== null || attempt !== null ? { key, scheduledFor, attempt } : null;
}

function runAt(cells: Cells, row: number): object | null {
  const runId = cells.text(row, 1);
  const instanceId = cells.text(row, 2);
  const startedAt = cells.number(row, 12);
  if (runId === null && instanceId === null && startedAt === null) return null;
  return { runId, instanceId, startedAt, reason: cells.text(row, 3), cutOffAt: cells.number(row, 13) };
}

function errorOf(stored: unknown): unknown {
  if (typeof stored !== 'string') return stored;
  try {
    return JSON.parse(stored);
  } catch {
    return stored;
  }
}

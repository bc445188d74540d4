/**
 * Records on their way to the main thread, a page at a time: numbers in one typed array, expressions as places in a short list. The
 * texts of works and runs cross only if one of the page has any. A value whose type is not its column's belongs to a damaged row. It
 * is sent with the page, as it is, for the scheduler to name (E7). So does the text of a name that is not the JSON text of that name:
 * changes look for the latter, and would never find the row.
 */
import type { TaskRecord } from '../core/record.ts';

export const OTHER_TEXTS = ['work_key', 'run_id', 'run_instance_id', 'run_reason', 'last_error'] as const;
export const NUMBERS = [
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
  'paused_at',
  'version',
] as const;

/** The texts that many records share, and the other ones behind them. */
export const FIRST_TEXTS = ['name', 'cron', 'policy'] as const;
/** Every column of a record, the name first: texts, then numbers. */
export const RECORD_COLUMNS: readonly string[] = [...FIRST_TEXTS, ...OTHER_TEXTS, ...NUMBERS];
export const TEXT_COUNT = FIRST_TEXTS.length + OTHER_TEXTS.length;

export type Texts = ReadonlyArray<string | null>;

export interface Page {
  readonly count: number;
  readonly names: Texts;
  /** The expressions that are in the page, each with a policy, and which of these pairs each record has. */
  readonly crons: Texts;
  readonly policies: Texts;
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
  const configs = new ConfigPlaces();
  const cronPlaces = new Uint32Array(rows.length);
  const texts: Array<string | null> = [];
  let someText = false;
  const numbers = new Float64Array(rows.length * NUMBERS.length);
  const odd = new OddCells();
  for (let row = 0, number = 0; row < rows.length; row++) {
    const values = rows[row];
    pageNames.push(odd.name(values[offset], row, names === 'checked'));
    const cron = odd.text(values[offset + 1], row, 1);
    cronPlaces[row] = configs.place(cron, odd.text(values[offset + 2], row, 2));
    for (let column = FIRST_TEXTS.length; column < TEXT_COUNT; column++) {
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
    ...configs.lists,
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

  /** The name that a stored text means. One that is not its own JSON text does not fit, if it is checked. */
  name(value: unknown, row: number, isChecked: boolean): string | null {
    const stored = this.text(value, row, 0);
    if (stored === null) return null;
    if (PLAIN_NAME.test(stored)) return stored.slice(1, -1);
    const name = parsedName(stored);
    if (isChecked && JSON.stringify(name) !== stored) this.add(row, 0, stored);
    return name;
  }
}

/** Pairs of expression and policy, each once. Most have no policy. */
export class ConfigPlaces<Cron extends string | null = string | null> {
  readonly crons: Cron[] = [];
  readonly policies: Array<string | null> = [];
  readonly #places = new Map<string | null, Map<Cron, number>>();

  get lists(): { readonly crons: readonly Cron[]; readonly policies: ReadonlyArray<string | null> } {
    return { crons: this.crons, policies: this.policies };
  }

  place(cron: Cron, policy: string | null): number {
    let places = this.#places.get(policy);
    if (places === undefined) {
      places = new Map();
      this.#places.set(policy, places);
    }
    let place = places.get(cron);
    if (place === undefined) {
      place = this.crons.push(cron) - 1;
      this.policies.push(policy);
      places.set(cron, place);
    }
    return place;
  }
}

/** A text in quotes that means itself: no character is escaped, and none would have to be. */
const PLAIN_NAME = /^"[ !#-[\]-\ud7ff\ue000-\uffff]*"$/;

/** Names are stored as JSON, which keeps NUL and lone surrogates apart; what is no JSON string is handed over raw. */
function parsedName(stored: string): string {
  try {
    const name: unknown = JSON.parse(stored);
    return typeof name === 'string' ? name : stored;
  } catch {
    return stored;
  }
}

/** The values of a record in the order of its columns. */
export const valuesOf = ({ work, run, ...record }: TaskRecord): Array<string | number | null> => [
  JSON.stringify(record.name),
  record.cron,
  record.policy,
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
  record.pausedAt,
  record.version,
];

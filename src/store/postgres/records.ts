/** Records as rows: `name`, `task` and `state` together. */
import type { LastError, RunRecord, TaskRecord } from '../../core/record.ts';
import { RUN_REASONS } from '../../core/rows.ts';
import { splitRunName } from '../../core/run-names.ts';
import type { Dictionary } from './dictionary.ts';
import type { Ask, Cell, Row } from './driver.ts';
import { NONE } from './migrations.ts';
import { bytesOfHex, textOf } from './texts.ts';

/** The columns of `state` but its key and its version, in the order in which records are written and read. */
export const STATE_COLUMNS = [
  'served_through',
  'last_attempt_at',
  'last_success_at',
  'last_failure_at',
  'retry_until',
  'failures',
  'failing_since',
  'last_duration_ms',
  'paused_at',
  'key_label',
  'key_count',
  'scheduled_for',
  'attempt',
  'run_label',
  'run_count',
  'run_instance',
  'run_started_at',
  'run_reason',
  'run_cut_off_at',
  'last_error',
] as const;

const TASK_COLUMNS = ['cron', 'retry_delay_ms', 'policy', 'first_seen_at'] as const;

/** Where label columns are in a row of `selectRecords`. */
const FIRST = 2 + TASK_COLUMNS.length;
const at = (column: (typeof STATE_COLUMNS)[number]): number => FIRST + STATE_COLUMNS.indexOf(column);
const LABELS = [at('key_label'), at('run_label'), at('run_instance')];

/** All records, or those that `where` picks. */
export const selectRecords = (schema: string, where = 'true'): string =>
  `SELECT s.id, n.name, ${TASK_COLUMNS.map((name) => `t.${name}`)}, ${STATE_COLUMNS.map((name) => `s.${name}`)}, s.version
   FROM ${schema}.state s JOIN ${schema}.task t ON t.id = s.id JOIN ${schema}.name n ON n.id = s.id WHERE ${where}`;

export interface Dictionaries {
  readonly names: Dictionary;
  readonly labels: Dictionary;
}

/** Records from rows of `selectRecords`. Whether their values make sense is not looked at (E7). */
export async function recordsOf(
  ask: Ask,
  rows: readonly Row[],
  { names, labels }: Dictionaries,
): Promise<TaskRecord[]> {
  await labels.findTexts(
    ask,
    rows.flatMap((row) => LABELS.map((column) => Number(row[column]))),
  );
  return rows.map((row) => {
    const name = textOf(bytesOfHex(row[1] ?? ''));
    names.learn(Number(row[0]), name);
    return recordOf(name, row, labels);
  });
}

const instantOf = (cell: Cell): number | null => (Number(cell) === NONE ? null : Number(cell));

/** A name of a run from its label and its count. */
export const runText = (labels: Dictionary, label: Cell, count: Cell): string =>
  Number(count) === 0
    ? labels.text(Number(label))
    : `${labels.text(Number(label))}-${Number(count).toString(36)}`;

function recordOf(name: string, row: Row, labels: Dictionary): TaskRecord {
  const cell = (column: (typeof STATE_COLUMNS)[number]): Cell => row[at(column)];
  const instant = (column: (typeof STATE_COLUMNS)[number]): number | null => instantOf(cell(column));
  const isWorked = Number(cell('key_label')) !== 0;
  const isRun = Number(cell('run_label')) !== 0;
  return {
    name,
    cron: row[2] ?? '',
    retryDelayMs: Number(row[3]),
    policy: row[4],
    version: Number(row[FIRST + STATE_COLUMNS.length]),
    pausedAt: instant('paused_at'),
    firstSeenAt: Number(row[5]),
    servedThrough: Number(cell('served_through')),
    lastAttemptAt: instant('last_attempt_at'),
    lastSuccessAt: instant('last_success_at'),
    lastFailureAt: instant('last_failure_at'),
    pendingRetryUntil: instant('retry_until'),
    failures: Number(cell('failures')),
    failingSince: instant('failing_since'),
    lastError: errorOf(cell('last_error')),
    lastDurationMs: instant('last_duration_ms'),
    work: isWorked
      ? {
          key: runText(labels, cell('key_label'), cell('key_count')),
          scheduledFor: Number(cell('scheduled_for')),
          attempt: Number(cell('attempt')),
        }
      : null,
    run: isRun
      ? {
          runId: runText(labels, cell('run_label'), cell('run_count')),
          instanceId: labels.text(Number(cell('run_instance'))),
          startedAt: Number(cell('run_started_at')),
          reason: RUN_REASONS[Number(cell('run_reason'))],
          cutOffAt: instant('run_cut_off_at'),
        }
      : null,
  };
}

/** What is only shown is not worth a refusal: a text that is no error is none. */
function errorOf(text: Cell): LastError | null {
  try {
    const { name, message } = Object(JSON.parse(text ?? 'null'));
    return typeof name === 'string' && typeof message === 'string' ? { name, message } : null;
  } catch {
    return null;
  }
}

/** The texts of a record that are labels. */
export function labelsOf(work: TaskRecord['work'], run: RunRecord | null): string[] {
  return [
    ...(work === null ? [] : [splitRunName(work.key).instance]),
    ...(run === null ? [] : [splitRunName(run.runId).instance, run.instanceId]),
  ];
}

export const orNone = (instant: number | null): number => instant ?? NONE;

/** A name of a run as the numbers that are stored. */
export function numbersOf(
  runName: string | null,
  labels: Dictionary,
): readonly [label: number, count: number] {
  if (runName === null) return [0, 0];
  const { instance, count } = splitRunName(runName);
  return [labels.id(instance), count];
}

/** The values of a record, in the order of `STATE_COLUMNS`. */
export function stateValues(record: TaskRecord, labels: Dictionary): Array<number | string | null> {
  const { work, run, lastError } = record;
  return [
    record.servedThrough,
    orNone(record.lastAttemptAt),
    orNone(record.lastSuccessAt),
    orNone(record.lastFailureAt),
    orNone(record.pendingRetryUntil),
    record.failures,
    orNone(record.failingSince),
    orNone(record.lastDurationMs),
    orNone(record.pausedAt),
    ...numbersOf(work?.key ?? null, labels),
    work?.scheduledFor ?? NONE,
    work?.attempt ?? 0,
    ...runValues(run, labels),
    lastError && JSON.stringify({ name: lastError.name, message: lastError.message }),
  ];
}

/** The values of a run: label, count, instance, start, reason, cut off. */
export function runValues(run: RunRecord | null, labels: Dictionary): number[] {
  if (run === null) return [0, 0, 0, NONE, 0, NONE];
  const { runId, instanceId, startedAt, reason, cutOffAt } = run;
  const numbers = numbersOf(runId, labels);
  return [...numbers, labels.id(instanceId), startedAt, RUN_REASONS.indexOf(reason), orNone(cutOffAt)];
}

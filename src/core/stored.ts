/**
 * Stored records, looked at before they are believed (E7). Configuration fields are not checked: they come from the
 * registration. A record that is wrong anywhere else is refused by name and field, and nothing is changed.
 */
import {
  TaskInvalidStructureError,
  TaskInvalidTypeError,
  TaskInvalidValueError,
  TaskMissingFieldError,
} from '../errors.ts';
import type { LastError, RunRecord, TaskRecord, WorkRecord } from './record.ts';
import { RUN_REASONS } from './rows.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The record that a stored value is; throws one of the `Task…Error` classes if it is none. */
export function readRecord(value: unknown): TaskRecord {
  if (!isFields(value)) throw new TaskInvalidStructureError(value, 'it is not an object');
  return plainRecord(value) ?? checkedRecord(value);
}

/** The same; undefined for a value that makes no sense, which is left to the next initialize: that one names it (E7). */
export function readable(value: unknown): TaskRecord | undefined {
  try {
    return readRecord(value);
  } catch {
    return undefined;
  }
}

/** The record of a task that is at rest and has no failure behind it, if it is sound: most are. Of any other, undefined. */
function plainRecord(value: Fields): TaskRecord | undefined {
  const { name, storedName, cron, retryDelayMs, policy, pausedAt, firstSeenAt, servedThrough } = value;
  const { lastAttemptAt, lastSuccessAt, lastFailureAt, failures, lastDurationMs } = value;
  const { pendingRetryUntil, failingSince, lastError, work, run, version } = value;
  const isAtRest =
    work === null && run === null && pendingRetryUntil === null && failingSince === null && failures === 0;
  if (!isAtRest || lastError !== null || pausedAt !== null || storedName !== undefined) return undefined;
  if (typeof name !== 'string' || name === '' || typeof cron !== 'string') return undefined;
  if (typeof retryDelayMs !== 'number' || (policy !== null && typeof policy !== 'string')) return undefined;
  if (
    !isCount(version) ||
    !isInstant(firstSeenAt) ||
    !isInstant(servedThrough) ||
    !isInstantOrNull(lastAttemptAt)
  )
    return undefined;
  if (!isInstantOrNull(lastSuccessAt) || !isInstantOrNull(lastFailureAt) || !isInstantOrNull(lastDurationMs))
    return undefined;
  return {
    name,
    cron,
    retryDelayMs,
    policy,
    version,
    pausedAt,
    firstSeenAt,
    servedThrough,
    lastAttemptAt,
    lastSuccessAt,
    lastFailureAt,
    pendingRetryUntil,
    failures,
    failingSince,
    lastError,
    lastDurationMs,
    work,
    run,
  };
}

const isInstant = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) <= 8.64e15;

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;

const isInstantOrNull = (value: unknown): value is number | null => value === null || isInstant(value);

function checkedRecord(value: Fields): TaskRecord {
  const { name } = value;
  if (typeof name !== 'string' || name === '') throw new TaskInvalidStructureError(value, 'it has no name');
  if (value.storedName !== undefined) {
    const why = 'it is not stored as a JSON text, so that no change could find it';
    throw new TaskInvalidValueError(name, 'name', value.storedName, why);
  }
  const work = readWork(name, value);
  const optional = (field: string): number | null =>
    value[field] === null ? null : readInstant(name, value, field);
  return {
    name,
    cron: typeof value.cron === 'string' ? value.cron : '',
    retryDelayMs: typeof value.retryDelayMs === 'number' ? value.retryDelayMs : -1,
    policy: typeof value.policy === 'string' ? value.policy : null,
    // Records of older versions have none, of these two.
    version: value.version === undefined ? 0 : readCount(name, value, 'version', 'version', 0),
    pausedAt: value.pausedAt === undefined ? null : optional('pausedAt'),
    firstSeenAt: readInstant(name, value, 'firstSeenAt'),
    servedThrough: readInstant(name, value, 'servedThrough'),
    lastAttemptAt: optional('lastAttemptAt'),
    lastSuccessAt: optional('lastSuccessAt'),
    lastFailureAt: optional('lastFailureAt'),
    pendingRetryUntil: readDeadline(name, optional('pendingRetryUntil'), work),
    failures: readCount(name, value, 'failures', 'failures', 0),
    failingSince: optional('failingSince'),
    lastError: readError(value.lastError),
    lastDurationMs: optional('lastDurationMs'),
    work,
    run: readRun(name, value),
  };
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readField(name: string, fields: Fields, field: string, path = field): unknown {
  const value = fields[field];
  if (value === undefined) throw new TaskMissingFieldError(name, path);
  return value;
}

function readInstant(name: string, fields: Fields, field: string, path = field): number {
  const value = readField(name, fields, field, path);
  if (typeof value !== 'number') throw new TaskInvalidTypeError(name, path, value, 'number');
  if (!isInstant(value)) {
    throw new TaskInvalidValueError(name, path, value, 'it is not an instant in milliseconds');
  }
  return value;
}

function readText(name: string, fields: Fields, field: string, path: string): string {
  const value = readField(name, fields, field, path);
  if (typeof value !== 'string') throw new TaskInvalidTypeError(name, path, value, 'string');
  if (value === '') throw new TaskInvalidValueError(name, path, value, 'it is empty');
  return value;
}

function readCount(name: string, fields: Fields, field: string, path: string, least: number): number {
  const value = readField(name, fields, field, path);
  if (typeof value !== 'number') throw new TaskInvalidTypeError(name, path, value, 'number');
  if (!isCount(value) || value < least)
    throw new TaskInvalidValueError(name, path, value, `it is not a count of at least ${least}`);
  return value;
}

/** What is only shown is not worth a refusal: an error that cannot be read is none. */
function readError(value: unknown): LastError | null {
  if (!isFields(value)) return null;
  const { name, message } = value;
  return typeof name === 'string' && typeof message === 'string' ? { name, message } : null;
}

function readPart(name: string, fields: Fields, field: string): Fields | null {
  const value = readField(name, fields, field);
  if (value === null) return null;
  if (!isFields(value)) throw new TaskInvalidTypeError(name, field, value, 'object');
  return value;
}

function readWork(name: string, fields: Fields): WorkRecord | null {
  const work = readPart(name, fields, 'work');
  if (work === null) return null;
  return {
    attempt: readCount(name, work, 'attempt', 'work.attempt', 0),
    key: readText(name, work, 'key', 'work.key'),
    scheduledFor: readInstant(name, work, 'scheduledFor', 'work.scheduledFor'),
  };
}

/** A retry needs its work: without it, it is unknown what is retried. */
function readDeadline(name: string, deadline: number | null, work: WorkRecord | null): number | null {
  if (deadline === null || work !== null) return deadline;
  throw new TaskInvalidValueError(
    name,
    'pendingRetryUntil',
    deadline,
    'a retry waits, but there is no work to retry',
  );
}

function readRun(name: string, fields: Fields): RunRecord | null {
  const run = readPart(name, fields, 'run');
  if (run === null) return null;
  if (fields.work === null)
    throw new TaskInvalidValueError(name, 'run', run, 'there is a run, but not what it works on');
  return {
    runId: readText(name, run, 'runId', 'run.runId'),
    instanceId: readText(name, run, 'instanceId', 'run.instanceId'),
    startedAt: readInstant(name, run, 'startedAt', 'run.startedAt'),
    reason: readReason(name, run),
    cutOffAt: run.cutOffAt === null ? null : readInstant(name, run, 'cutOffAt', 'run.cutOffAt'),
  };
}

function readReason(name: string, run: Fields): RunRecord['reason'] {
  const value = readText(name, run, 'reason', 'run.reason');
  const reason = RUN_REASONS.find((known) => known === value);
  if (reason === undefined)
    throw new TaskInvalidValueError(name, 'run.reason', value, `it is none of ${RUN_REASONS.join(', ')}`);
  return reason;
}

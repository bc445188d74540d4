/**
 * Repairs damaged records where a safe value is known (E7).
 *
 * Safe means: no obligation is lost. A cursor goes back and never forward. A retry whose deadline cannot be read is due at once. A
 * run whose particulars cannot be read stays cut off and starts again. Work without a key gets a new one. So a repaired task may do
 * something twice, as after a crash (A10), but nothing is left out. History, such as when it last succeeded, becomes unknown. A
 * record that has neither a name nor any instant to count from cannot be repaired; without it the task comes for the first time.
 */
import type { TaskRecord } from '../../core/record.ts';
import { readRecord } from '../../core/stored.ts';
import { ObbligatoError } from '../../errors.ts';
import { problemOf, type RecordProblem } from '../record-problem.ts';
import type { RecordRepair } from './port.ts';

export type Verdict =
  | { readonly kind: 'healthy'; readonly record: TaskRecord }
  | { readonly kind: 'repaired'; readonly record: TaskRecord; readonly repairs: readonly RecordRepair[] }
  | { readonly kind: 'hopeless'; readonly problem: RecordProblem };

/** What a repair needs from outside. */
export interface Means {
  readonly now: number;
  /** A text that no other record has. */
  freshId(): string;
}

type Fields = Readonly<Record<string, unknown>>;

interface Safe {
  readonly field: string;
  readonly value: unknown;
  readonly instead: string;
}

/** More than a record has fields: every turn repairs one for good. */
const MAX_TURNS = 20;

export function repairRecord(stored: unknown, means: Means): Verdict {
  const repairs: RecordRepair[] = [];
  let value = stored;
  for (let turn = 0; turn < MAX_TURNS; turn++) {
    let trouble: unknown;
    try {
      const record = readRecord(value);
      return repairs.length === 0 ? { kind: 'healthy', record } : { kind: 'repaired', record, repairs };
    } catch (error) {
      if (!(error instanceof ObbligatoError)) throw error;
      trouble = error;
    }
    const problem = problemOf(stored, trouble);
    const safe = isFields(value) ? safeValue(problem.field, value, means) : undefined;
    if (safe === undefined || !isFields(value)) return { kind: 'hopeless', problem };
    repairs.push({ ...problem, instead: safe.instead });
    value = withField(value, safe);
  }
  throw new Error(`Internal error: a record is still damaged after ${MAX_TURNS} repairs`);
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `run.startedAt` is a field of a field. */
function withField(fields: Fields, { field, value }: Safe): Fields {
  const [part, inner] = field.split('.');
  if (inner === undefined) return { ...fields, [part]: value };
  return { ...fields, [part]: { ...(isFields(fields[part]) ? fields[part] : {}), [inner]: value } };
}

function safeValue(field: string, fields: Fields, { now, freshId }: Means): Safe | undefined {
  const anchor = anchorOf(fields);
  const unknown = { field, value: null, instead: 'becomes unknown' };
  switch (field) {
    case 'firstSeenAt':
    case 'servedThrough':
      return anchor === undefined ? undefined : { field, value: anchor, instead: `becomes ${iso(anchor)}` };
    case 'lastAttemptAt':
    case 'lastSuccessAt':
    case 'lastFailureAt':
    case 'failingSince':
    case 'lastDurationMs':
    case 'run.cutOffAt':
      return unknown;
    case 'failures':
      return { field, value: 0, instead: 'becomes 0' };
    case 'run.reason':
      return { field, value: 'due', instead: 'becomes due' };
    case 'pendingRetryUntil':
      if (instantOf(fields.pendingRetryUntil) !== undefined) return freshWork(anchor ?? now, freshId);
      return { field, value: now, instead: 'becomes now: it is retried at once' };
    case 'work':
      return freshWork(anchor ?? now, freshId);
    case 'work.key':
      return { field, value: freshId(), instead: 'becomes a new key' };
    case 'work.attempt':
      return { field, value: 1, instead: 'becomes 1' };
    case 'work.scheduledFor':
    case 'run.startedAt':
      return { field, value: anchor ?? now, instead: `becomes ${iso(anchor ?? now)}` };
    case 'run.runId':
    case 'run.instanceId':
      return { field, value: freshId(), instead: 'becomes a new one: the run is still cut off' };
    case 'run':
      return isFields(fields.run) ? freshWork(anchor ?? now, freshId) : { ...unknown, instead: 'is dropped' };
    default:
      return undefined;
  }
}

/** A retry or a run of nothing: it gets something to work on, under a new key. */
const freshWork = (scheduledFor: number, freshId: () => string): Safe => ({
  field: 'work',
  value: { key: freshId(), scheduledFor, attempt: 1 },
  instead: 'stays, with new work under a new key',
});

/**
 * The latest instant up to which everything is surely served: the cursor; else the last start, where a start puts the cursor; else
 * right before the minute in which the task was first seen, as for a first coming (E2).
 */
function anchorOf({ servedThrough, lastAttemptAt, firstSeenAt }: Fields): number | undefined {
  const first = instantOf(firstSeenAt);
  return (
    instantOf(servedThrough) ??
    instantOf(lastAttemptAt) ??
    (first === undefined ? undefined : Math.floor(first / 60_000) * 60_000 - 1)
  );
}

const instantOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && Math.abs(value) <= 8.64e15 ? value : undefined;

const iso = (instant: number): string => new Date(instant).toISOString();

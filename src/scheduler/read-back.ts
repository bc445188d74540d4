/**
 * Did a batch take effect? A batch is all or nothing, so one of its changes speaks for the rest (E9). Only the kinds that a
 * running scheduler writes are looked at; a batch of nothing but moves is simply sent again, which is harmless.
 */
import type { Batch } from '../store/port.ts';

interface StoredFields {
  readonly name?: unknown;
  readonly run?: unknown;
  readonly lastAttemptAt?: unknown;
}

/** The names by which a batch can be recognised: one is enough. */
export function namesOf({ starts = [], ends = [], unstarts = [], moves = [] }: Batch): readonly string[] {
  const witness = starts[0] ?? unstarts[0] ?? ends[0] ?? moves[0];
  return witness === undefined ? [] : [witness.name];
}

export function isApplied(
  { starts = [], ends = [], unstarts = [] }: Batch,
  records: readonly unknown[],
): boolean {
  const [record] = records;
  if (!isFields(record)) return false;
  const runId = isRun(record.run) ? record.run.runId : undefined;
  if (starts.length > 0) return runId === starts[0].run.runId;
  if (unstarts.length > 0) return runId === unstarts[0].run?.runId;
  return ends.length > 0 && runId === undefined && record.lastAttemptAt === ends[0].calledAt;
}

const isFields = (value: unknown): value is StoredFields => typeof value === 'object' && value !== null;
const isRun = (value: unknown): value is { readonly runId: unknown } =>
  typeof value === 'object' && value !== null && 'runId' in value;

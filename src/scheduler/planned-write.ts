/** The writes of an `initialize`, and whom to blame if one fails (E5). */
import { ObbligatoError, ScheduleTaskError } from '../errors.ts';
import { StoreRecordMissingError } from '../store/errors.ts';
import type { Batch, CommitResult, Many, StoreSession } from '../store/port.ts';

async function commit(session: StoreSession, batch: Batch): Promise<CommitResult> {
  const isEmpty = Object.values(batch).every((part: { readonly length: number }) => part.length === 0);
  return isEmpty ? { refused: [] } : session.commit(batch);
}

/** Writes a plan for these names. `stale`: another instance has changed records since they were read, and nothing was written (K5). */
export async function commitPlan(
  session: StoreSession,
  batch: Batch,
  names: Many<string>,
): Promise<Pick<CommitResult, 'held' | 'epoch' | 'firstVersion'> | 'stale'> {
  const { sharing } = session;
  const writing = sharing === undefined ? commit(session, batch) : sharing.initialize(batch, [...names]);
  return writing.catch((error: unknown) => {
    throw blame(batch, error);
  });
}

/** The error that the write of a plan rejects with. */
export function blame(batch: Batch, error: unknown): ScheduleTaskError {
  const { name, cron } = culpritOf(batch, error);
  return new ScheduleTaskError(name, cron, error instanceof Error ? error : new Error(String(error)));
}

/** The one task that a batch failed for, if it was one; `*` for all of them. */
function culpritOf(batch: Batch, error: unknown): { readonly name: string; readonly cron: string } {
  const crons = new Map<string, string>();
  const { cutOffs = [], removes = [], puts = [], configures = [], moves = [] } = batch;
  for (const name of removes) crons.set(name, '');
  for (const part of [cutOffs, moves]) for (const { name } of part) crons.set(name, '');
  for (const part of [puts, configures]) for (const { name, cron } of part) crons.set(name, cron);
  const only = crons.size === 1 ? [...crons.keys()][0] : '*';
  const name = error instanceof StoreRecordMissingError ? error.taskName : only;
  return { name, cron: crons.get(name) ?? '' };
}

/** An error of ours says enough by itself; anything else becomes the cause of a `ScheduleTaskError` (E5). */
export function asScheduleTaskError(error: unknown): never {
  if (error instanceof ObbligatoError) throw error;
  throw new ScheduleTaskError('*', '', error instanceof Error ? error : new Error(String(error)));
}

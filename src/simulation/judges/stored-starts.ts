/**
 * The starts of a life that has taken over another list (I5), predicted from what is stored and from the list that counts. A life of several
 * lists has several engines, and the model does not follow what each of them knows. But whatever is claimed must be pending by what the
 * store has when the claim is sent, together with what is written with it: each list begins with what is stored, and a task that runs
 * under an earlier list is released when its end is durable. What this cannot see is a start that is missing; the oracle does.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch, StartChange } from '../../store/port.ts';
import { applyBatch, type Records } from './batches.ts';
import { nextRun } from './rules.ts';
import { recordText } from './texts.ts';
import type { Blame } from './violations.ts';

export interface ListInForce {
  readonly names: ReadonlySet<string>;
  readonly timeZone: string;
}

/** A batch is sent: holds its starts against what is stored. */
export function checkStarts(
  batch: Batch,
  stored: Records,
  list: ListInForce,
  now: number,
  blame: Blame,
): void {
  const { starts = [], ...rest } = batch;
  if (starts.length === 0) return;
  const left = stored.copy();
  applyBatch(left, rest);
  for (const start of starts) {
    const record = left.get(start.name);
    if (record === undefined || !list.names.has(start.name))
      blame('A2', `${start.name} was claimed, but is not registered`);
    else checkStart(start, record, list.timeZone, now, blame);
  }
}

function checkStart(
  { name, work, run }: StartChange,
  record: TaskRecord,
  timeZone: string,
  now: number,
  blame: Blame,
): void {
  if (record.run?.cutOffAt === null)
    return void blame('F2', `${name} was claimed, and ${record.run.runId} has not ended`);
  if (run.startedAt !== now) blame('A4', `${name} was claimed at ${now}, but ${run.startedAt} was written`);
  const isAskedFor = run.reason === 'manual';
  const task = { record, orphaned: record.run !== null, requestedSince: isAskedFor ? 0 : undefined };
  const { reason, work: expected } = nextRun(task, run.runId, timeZone, now);
  if (reason !== run.reason) {
    const rule = reason !== undefined ? 'F4' : record.pausedAt === null ? 'A1' : 'I3';
    blame(rule, `${name} was claimed because it was ${run.reason}, not ${reason}: ${recordText(record)}`);
  }
  const isSame =
    work.key === expected.key &&
    work.scheduledFor === expected.scheduledFor &&
    work.attempt === expected.attempt;
  if (!isSame) blame('F4', `${name} works on ${JSON.stringify(work)}, not ${JSON.stringify(expected)}`);
}

/** What a durable batch leaves in the store and in the history, written from the Store port a second time. */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch, CutOffChange, EndChange, PastRun, Refusal } from '../../store/port.ts';
import { moveOf, moveText, recordText } from './texts.ts';

/** A run of a dead instance is in the history from then on, once. */
function applyCutOff(stored: Map<string, TaskRecord>, { name, runId, at }: CutOffChange): readonly string[] {
  const record = stored.get(name);
  if (record === undefined) return [];
  const { run, work } = record;
  if (run?.runId !== runId || work === null || run.cutOffAt !== null) return [];
  stored.set(name, { ...record, run: { ...run, cutOffAt: at } });
  const ended = { calledAt: run.startedAt, endedAt: at, outcome: 'cut off', error: null } as const;
  return [pastText({ task: name, ...run, ...work, ...ended })];
}

/**
 * Changes what is stored as a durable batch does. Returns what the store must refuse of it: starts that are not granted, changes
 * of a run that the record does not show (unless the record shows the change already, E9), and changes that follow a refused one
 * of the same task. `past` gets a line for each run that the history must have from now on.
 */
export function applyBatch(
  stored: Map<string, TaskRecord>,
  batch: Batch,
  ungranted: ReadonlySet<string> = new Set(),
  past: string[] = [],
): readonly Refusal[] {
  const refused: Refusal[] = [];
  const change = (name: string, over: Partial<TaskRecord>): void => {
    const record = stored.get(name);
    if (record !== undefined) stored.set(name, { ...record, ...over });
  };
  const changeRun = (
    what: Refusal['change'],
    name: string,
    isCurrent: (record: TaskRecord) => boolean,
    isMade: (record: TaskRecord) => boolean,
    over: Partial<TaskRecord>,
    line?: string,
  ): void => {
    const record = stored.get(name);
    if (record === undefined) return;
    const isLost = refused.some((refusal) => refusal.name === name);
    if (!isLost && isCurrent(record)) {
      change(name, over);
      if (line !== undefined) past.push(line);
    } else if (isLost || !isMade(record)) refused.push({ change: what, name });
  };
  for (const cutOff of batch.cutOffs ?? []) past.push(...applyCutOff(stored, cutOff));
  for (const end of batch.ends ?? []) {
    const { name, runId, calledAt, endedAt, outcome } = end;
    changeRun(
      'end',
      name,
      ({ run }) => run?.runId === runId,
      (record) =>
        record.lastAttemptAt === calledAt &&
        endedAt === (outcome === 'success' ? record.lastSuccessAt : record.lastFailureAt),
      { ...leftBy(end), run: null },
      pastText({ task: name, ...end, ...end.work }),
    );
  }
  for (const { name, runId, work, run } of batch.unstarts ?? [])
    changeRun(
      'unstart',
      name,
      (record) => record.run?.runId === runId,
      (record) => recordText({ ...record, work, run }) === recordText(record),
      { work, run },
    );
  for (const name of batch.removes ?? []) stored.delete(name);
  for (const put of batch.puts ?? []) stored.set(put.name, put);
  for (const { name, ...config } of batch.configures ?? []) change(name, config);
  for (const { name, pausedAt } of batch.pauses ?? []) change(name, { pausedAt });
  for (const move of batch.moves ?? []) {
    const { name, servedThrough, pendingRetryUntil, lastAttemptAt } = move;
    changeRun(
      'move',
      name,
      (record) => moveText({ ...moveOf(record), servedThrough, pendingRetryUntil }) === moveText(move),
      (record) =>
        record.servedThrough === servedThrough &&
        record.pendingRetryUntil === pendingRetryUntil &&
        record.lastAttemptAt === lastAttemptAt,
      { servedThrough, pendingRetryUntil },
    );
  }
  for (const { name, work, run } of batch.starts ?? [])
    changeRun(
      'start',
      name,
      () => !ungranted.has(name),
      () => false,
      { work, run },
    );
  return refused;
}

/** What an end leaves in the record of its task (A3, A6, J3). */
function leftBy(end: EndChange): Partial<TaskRecord> {
  const { calledAt, servedThrough = calledAt, endedAt, outcome, pendingRetryUntil, failures } = end;
  const { failingSince, work } = end;
  return {
    servedThrough,
    lastAttemptAt: calledAt,
    ...(outcome === 'success' ? { lastSuccessAt: endedAt } : { lastFailureAt: endedAt }),
    pendingRetryUntil,
    failures,
    failingSince,
    lastDurationMs: Math.max(0, endedAt - calledAt),
    work: pendingRetryUntil === null ? null : work,
  };
}

/** A run that is over, as text. */
export const pastText = (run: PastRun): string =>
  `${run.outcome} of ${run.task}, run ${run.runId} of ${run.instanceId} (${run.reason}), called ${run.calledAt}, ended ${run.endedAt}, ` +
  `work ${run.key} ${run.scheduledFor} ${run.attempt}, error ${run.error?.name} ${run.error?.message}`;

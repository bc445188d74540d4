/** What a durable batch leaves in the store and in the history, written from the Store port a second time. */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch, ConfigureChange, CutOffChange, EndChange, PastRun, Refusal } from '../../store/port.ts';
import { recordText } from './texts.ts';

/** What is stored, by name; and the highest version that a record had when it was forgotten (K2). */
export class Records extends Map<string, TaskRecord> {
  forgotten = 0;

  copy(): Records {
    const copy = new Records(this);
    copy.forgotten = this.forgotten;
    return copy;
  }

  /** Every write counts. */
  write(record: TaskRecord, over: Partial<TaskRecord>): void {
    this.set(record.name, { ...record, ...over, version: record.version + 1 });
  }
}

/** A run of a dead instance is in the history from then on, once. */
function applyCutOff(stored: Records, { name, runId, at }: CutOffChange): readonly string[] {
  const record = stored.get(name);
  if (record === undefined) return [];
  const { run, work } = record;
  if (run?.runId !== runId || work === null || run.cutOffAt !== null) return [];
  const { reason, startedAt: calledAt } = run;
  if (reason === 'interrupted') return [];
  stored.write(record, { run: { ...run, cutOffAt: at } });
  const ended = { calledAt, endedAt: at, outcome: 'cut off', error: null } as const;
  return [pastText({ task: name, ...run, reason, ...work, ...ended })];
}

/**
 * Changes what is stored as a durable batch does. Returns what the store must refuse of it: starts that are not granted, changes
 * of a run that the record does not show, or by a version that it has not (unless the record shows the change already, E9), and changes that
 * follow a refused one of the same task. `past` gets a line for each run that the history must have from now on.
 */
export function applyBatch(
  stored: Records,
  batch: Batch,
  ungranted: ReadonlySet<string> = new Set(),
  past: string[] = [],
): readonly Refusal[] {
  const refused: Refusal[] = [];
  const change = (name: string, over: Partial<TaskRecord>): void => {
    const record = stored.get(name);
    if (record !== undefined) stored.write(record, over);
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
      ({ run }) => run?.runId === runId && run.reason !== 'interrupted',
      (record) =>
        isMadeByStop(record.run, end) ||
        (record.lastAttemptAt === calledAt &&
          endedAt === (outcome === 'success' ? record.lastSuccessAt : record.lastFailureAt)),
      leftBy(end),
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
  refused.push(...applyPlan(stored, batch));
  // A pause that comes again changes nothing.
  for (const { name, pausedAt } of batch.pauses ?? [])
    if (stored.get(name)?.pausedAt !== pausedAt) change(name, { pausedAt });
  for (const { name, version, servedThrough, pendingRetryUntil } of batch.moves ?? [])
    changeRun(
      'move',
      name,
      (record) => record.version === version,
      (record) =>
        record.version > version &&
        record.servedThrough === servedThrough &&
        record.pendingRetryUntil === pendingRetryUntil,
      { servedThrough, pendingRetryUntil },
    );
  for (const { name, version, work, run } of batch.starts ?? [])
    changeRun(
      'start',
      name,
      (record) => record.version === version && !ungranted.has(name),
      (record) => record.run?.runId === run.runId && !ungranted.has(name),
      { work, run },
    );
  return refused;
}

/** Whole records, and configurations. Returns the configurations that the store must refuse. */
function applyPlan(stored: Records, { removes = [], puts = [], configures = [] }: Batch): readonly Refusal[] {
  for (const name of removes) {
    stored.forgotten = Math.max(stored.forgotten, stored.get(name)?.version ?? 0);
    stored.delete(name);
  }
  for (const put of puts) {
    const version = (stored.get(put.name)?.version ?? stored.forgotten) + 1;
    stored.set(put.name, { ...put, version });
  }
  return configures.flatMap(({ version, ...config }): Refusal[] => {
    const record = stored.get(config.name);
    if (record === undefined || isConfigured(record, config)) return [];
    if (record.version !== version) return [{ change: 'configure', name: config.name }];
    stored.write(record, config);
    return [];
  });
}

const isConfigured = (record: TaskRecord, config: Omit<ConfigureChange, 'version'>): boolean =>
  record.cron === config.cron &&
  record.retryDelayMs === config.retryDelayMs &&
  record.policy === config.policy;

/** Whether a run is there that this end says was interrupted: then the end was made before (A13). */
const isMadeByStop = (run: TaskRecord['run'], { runId, outcome, endedAt }: EndChange): boolean =>
  outcome === 'interrupted' && run?.runId === runId && run.reason === outcome && run.cutOffAt === endedAt;

/** What an end leaves in the record of its task (A3, A6, A13, J3). */
function leftBy(end: EndChange): Partial<TaskRecord> {
  const { calledAt, servedThrough = calledAt, endedAt, outcome, pendingRetryUntil, failures } = end;
  const { failingSince, work } = end;
  const called = {
    servedThrough,
    lastAttemptAt: calledAt,
    pendingRetryUntil,
    failures,
    failingSince,
    lastDurationMs: Math.max(0, endedAt - calledAt),
  };
  if (outcome === 'interrupted') {
    const { runId, instanceId } = end;
    const run = { runId, instanceId, startedAt: calledAt, reason: outcome, cutOffAt: endedAt };
    return { ...called, work: { ...work, attempt: work.attempt - 1 }, run };
  }
  return {
    ...called,
    ...(outcome === 'success' ? { lastSuccessAt: endedAt } : { lastFailureAt: endedAt }),
    work: pendingRetryUntil === null ? null : work,
    run: null,
  };
}

/** A run that is over, as text. */
export const pastText = (run: PastRun): string =>
  `${run.outcome} of ${run.task}, run ${run.runId} of ${run.instanceId} (${run.reason}), called ${run.calledAt}, ended ${run.endedAt}, ` +
  `work ${run.key} ${run.scheduledFor} ${run.attempt}, error ${run.error?.name} ${run.error?.message}`;

/**
 * The rules of the model, as functions of records: what an initialization makes of them (E1–E4), what a clock that was set back
 * changes (B5), what a batch leaves in the store. They are written from the semantics a second time. They share the shape of
 * records and batches with the scheduler, and no code.
 */
import type { RunRecord, TaskRecord, WorkRecord } from '../../core/record.ts';
import type { Batch, EndChange, MoveChange, PastRun, Refusal } from '../../store/port.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { cursorBefore, lastDue } from './calendar.ts';

const MINUTE_MS = 60_000;
const THREE_HOURS_MS = 10_800_000;

/**
 * What B5 makes of one record when the scheduler notices that the clock was set back: to `landedAt`, from where it has gone on to
 * `now`.
 */
export function afterStep(
  record: TaskRecord,
  { cron, retryDelayMs }: Pick<TaskPlan, 'cron' | 'retryDelayMs'>,
  landedAt: number,
  now: number,
): TaskRecord {
  const ahead = record.servedThrough - landedAt;
  const everyHour = cron.trim().split(/[ \t]+/)[1] === '*';
  const moves = ahead > THREE_HOURS_MS || (ahead > MINUTE_MS && everyHour);
  let { pendingRetryUntil } = record;
  if (pendingRetryUntil !== null && record.lastFailureAt !== null) {
    const delayMs = Math.max(pendingRetryUntil - record.lastFailureAt, retryDelayMs);
    if (pendingRetryUntil > now + delayMs) pendingRetryUntil = now + delayMs;
  }
  return { ...record, servedThrough: moves ? landedAt : record.servedThrough, pendingRetryUntil };
}

/** Why a task is pending at an instant, if it is (A1), and what its next run works on (F4). */
export function nextRun(
  { record, orphaned }: { readonly record: TaskRecord; readonly orphaned: boolean },
  runId: string,
  timeZone: string,
  now: number,
): { readonly reason: 'orphaned' | 'due' | 'retry' | undefined; readonly work: WorkRecord } {
  const { cron, servedThrough, pendingRetryUntil, work } = record;
  const dueAt = lastDue(cron, timeZone, now);
  const isDue = dueAt > servedThrough;
  const isRetry = pendingRetryUntil !== null && pendingRetryUntil <= now;
  const reason = orphaned ? 'orphaned' : isDue ? 'due' : isRetry ? 'retry' : undefined;
  const isNewer = isDue && !(orphaned && work !== null && dueAt <= work.scheduledFor);
  if (work === null || isNewer) return { reason, work: { key: runId, scheduledFor: dueAt, attempt: 1 } };
  return { reason, work: { ...work, attempt: work.attempt + 1 } };
}

/** What an initialization must leave in the store: the records that its tasks begin with. `fresh` has the names that are new. */
export interface ExpectedPlan {
  readonly records: ReadonlyMap<string, TaskRecord>;
  readonly fresh: ReadonlySet<string>;
  readonly removed: readonly string[];
  /** Names whose expression or delay changes. */
  readonly overridden: readonly string[];
}

/** The plan of an initialization at an instant. `carried` has what a life knew whose stop failed; it replaces what is stored. */
export function planOf(
  stored: ReadonlyMap<string, TaskRecord>,
  carried: ReadonlyMap<string, TaskRecord>,
  tasks: readonly TaskPlan[],
  timeZone: string,
  now: number,
): ExpectedPlan {
  const records = new Map<string, TaskRecord>();
  const fresh = new Set<string>();
  const overridden: string[] = [];
  for (const { name, cron, retryDelayMs } of tasks) {
    const known = carried.get(name) ?? stored.get(name);
    if (known === undefined) {
      fresh.add(name);
      records.set(name, firstRecord({ name, cron, retryDelayMs }, now, cursorBefore(now, timeZone)));
      continue;
    }
    if (known.cron !== cron || known.retryDelayMs !== retryDelayMs) overridden.push(name);
    const stepped = afterStep(known, { cron, retryDelayMs: known.retryDelayMs }, now, now);
    records.set(name, { ...stepped, cron, retryDelayMs, run: found(known.run, now) });
  }
  const removed = [...stored.keys()].filter((name) => !records.has(name));
  return { records, fresh, removed, overridden };
}

/** An unfinished run belongs to a dead instance (E6). */
const found = (run: RunRecord | null, now: number): RunRecord | null =>
  run === null ? null : { ...run, cutOffAt: run.cutOffAt ?? now };

const firstRecord = (task: TaskPlan, now: number, servedThrough: number): TaskRecord => ({
  ...task,
  firstSeenAt: now,
  servedThrough,
  lastAttemptAt: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  pendingRetryUntil: null,
  failures: 0,
  failingSince: null,
  lastError: null,
  lastDurationMs: null,
  work: null,
  run: null,
});

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
  for (const { name, runId, at } of batch.cutOffs ?? []) {
    const { run = null, work = null } = stored.get(name) ?? {};
    if (run?.runId !== runId || work === null || run.cutOffAt !== null) continue;
    change(name, { run: { ...run, cutOffAt: at } });
    const ended = { calledAt: run.startedAt, endedAt: at, outcome: 'cut off', error: null } as const;
    past.push(pastText({ task: name, ...run, ...work, ...ended }));
  }
  for (const name of batch.removes ?? []) stored.delete(name);
  for (const put of batch.puts ?? []) stored.set(put.name, put);
  for (const { name, cron, retryDelayMs } of batch.configures ?? []) change(name, { cron, retryDelayMs });
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
  for (const move of batch.moves ?? []) {
    const { name, servedThrough, pendingRetryUntil } = move;
    changeRun(
      'move',
      name,
      (record) => moveText({ ...moveOf(record), servedThrough, pendingRetryUntil }) === moveText(move),
      (record) => record.servedThrough === servedThrough && record.pendingRetryUntil === pendingRetryUntil,
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
  const { calledAt, endedAt, outcome, pendingRetryUntil, failures, failingSince, work } = end;
  return {
    servedThrough: calledAt,
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

/** A record as text: to compare two records, and to show them. */
export function recordText(record: TaskRecord): string {
  const { name, cron, retryDelayMs, firstSeenAt, servedThrough, work, run } = record;
  const { lastAttemptAt, lastSuccessAt, lastFailureAt, pendingRetryUntil } = record;
  const { failures, failingSince, lastDurationMs } = record;
  return (
    `${name} "${cron}" ${retryDelayMs} first ${firstSeenAt} cursor ${servedThrough} attempt ${lastAttemptAt} ` +
    `success ${lastSuccessAt} failure ${lastFailureAt} retry ${pendingRetryUntil} ` +
    `work ${work?.key} ${work?.scheduledFor} ${work?.attempt} run ${run?.runId} ${run?.startedAt} ${run?.reason} ${run?.cutOffAt} ` +
    `failures ${failures} since ${failingSince} took ${lastDurationMs}`
  );
}

/** Records as one text, whatever their order. */
export const recordsText = (records: Iterable<TaskRecord>): string =>
  Array.from(records, recordText).sort().join('\n');

/** The move that leaves a record with this cursor and this deadline. */
export const moveOf = ({
  name,
  run,
  lastAttemptAt,
  servedThrough,
  pendingRetryUntil,
}: TaskRecord): MoveChange => ({
  name,
  runId: run?.runId ?? null,
  lastAttemptAt,
  servedThrough,
  pendingRetryUntil,
});

export const moveText = (move: MoveChange): string =>
  `move ${move.name} (run ${move.runId}, attempt ${move.lastAttemptAt}) to ${move.servedThrough}, ` +
  `retry ${move.pendingRetryUntil}`;

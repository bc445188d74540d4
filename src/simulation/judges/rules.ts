/**
 * The rules of the model, as functions of records: what an initialization makes of them (E1–E4), what a clock that was set back
 * changes (B5), what a batch leaves in the store. They are written from the semantics a second time. They share the shape of
 * records and batches with the scheduler, and no code.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch, MoveChange, Refusal } from '../../store/port.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { cursorBefore } from './calendar.ts';

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

/** What an initialization must write, and the records that its tasks begin with. `fresh` has the names that are new. */
export interface ExpectedPlan {
  readonly records: ReadonlyMap<string, TaskRecord>;
  readonly fresh: ReadonlySet<string>;
  readonly batch: Batch;
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
  const puts: TaskRecord[] = [];
  const configures: TaskPlan[] = [];
  const moves: MoveChange[] = [];
  for (const { name, cron, retryDelayMs } of tasks) {
    const known = carried.get(name) ?? stored.get(name);
    if (known === undefined) {
      const record = firstRecord({ name, cron, retryDelayMs }, now, cursorBefore(now, timeZone));
      fresh.add(name);
      puts.push(record);
      records.set(name, record);
      continue;
    }
    if (carried.has(name)) puts.push(known);
    if (known.cron !== cron || known.retryDelayMs !== retryDelayMs)
      configures.push({ name, cron, retryDelayMs });
    const stepped = afterStep(known, { cron, retryDelayMs: known.retryDelayMs }, now, now);
    const { servedThrough, pendingRetryUntil } = stepped;
    if (servedThrough !== known.servedThrough || pendingRetryUntil !== known.pendingRetryUntil) {
      moves.push(moveOf(stepped));
    }
    records.set(name, { ...stepped, cron, retryDelayMs });
  }
  const removes = [...stored.keys()].filter((name) => !records.has(name));
  return { records, fresh, batch: { removes, puts, configures, moves } };
}

const firstRecord = (task: TaskPlan, now: number, servedThrough: number): TaskRecord => ({
  ...task,
  firstSeenAt: now,
  servedThrough,
  lastAttemptAt: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  pendingRetryUntil: null,
  work: null,
  run: null,
});

/**
 * Changes what is stored as a durable batch does. Returns what the store must refuse of it: starts that are not granted, changes
 * of a run that the record does not show (unless the record shows the change already, E9), and changes that follow a refused one
 * of the same task.
 */
export function applyBatch(
  stored: Map<string, TaskRecord>,
  batch: Batch,
  ungranted: ReadonlySet<string> = new Set(),
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
  ): void => {
    const record = stored.get(name);
    if (record === undefined) return;
    const isLost = refused.some((refusal) => refusal.name === name);
    if (!isLost && isCurrent(record)) change(name, over);
    else if (isLost || !isMade(record)) refused.push({ change: what, name });
  };
  for (const name of batch.removes ?? []) stored.delete(name);
  for (const put of batch.puts ?? []) stored.set(put.name, put);
  for (const { name, cron, retryDelayMs } of batch.configures ?? []) change(name, { cron, retryDelayMs });
  for (const { name, runId, calledAt, endedAt, outcome, pendingRetryUntil, work } of batch.ends ?? []) {
    const ended = outcome === 'success' ? { lastSuccessAt: endedAt } : { lastFailureAt: endedAt };
    const call = { servedThrough: calledAt, lastAttemptAt: calledAt };
    changeRun(
      'end',
      name,
      ({ run }) => run?.runId === runId,
      (record) =>
        record.lastAttemptAt === calledAt &&
        endedAt === (outcome === 'success' ? record.lastSuccessAt : record.lastFailureAt),
      { ...call, ...ended, pendingRetryUntil, work, run: null },
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

/** A record as text: to compare two records, and to show them. */
export function recordText(record: TaskRecord): string {
  const { name, cron, retryDelayMs, firstSeenAt, servedThrough, work, run } = record;
  const { lastAttemptAt, lastSuccessAt, lastFailureAt, pendingRetryUntil } = record;
  return (
    `${name} "${cron}" ${retryDelayMs} first ${firstSeenAt} cursor ${servedThrough} attempt ${lastAttemptAt} ` +
    `success ${lastSuccessAt} failure ${lastFailureAt} retry ${pendingRetryUntil} ` +
    `work ${work?.key} ${work?.scheduledFor} ${work?.attempt} run ${run?.runId} ${run?.startedAt}`
  );
}

/** The part of a batch that an initialization writes, as text that does not depend on the order of its lists. */
export function planText({ removes = [], puts = [], configures = [], moves = [] }: Batch): string {
  return [
    ...removes.map((name) => `remove ${name}`),
    ...puts.map((record) => `put ${recordText(record)}`),
    ...configures.map(({ name, cron, retryDelayMs }) => `configure ${name} "${cron}" ${retryDelayMs}`),
    ...moves.map(moveText),
  ]
    .sort()
    .join('\n');
}

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

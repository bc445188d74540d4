/**
 * The rules of the model, as functions of records: what an initialization makes of them (E1–E4), what a clock that was set back
 * changes (B5), what a batch leaves in the store. They are written from the semantics a second time. They share the shape of records and batches
 * with the scheduler, and no code.
 */
import type { TaskRecord } from '../../core/record.ts';
import type { Batch } from '../../store/port.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { cursorBefore } from './calendar.ts';

const MINUTE_MS = 60_000;
const THREE_HOURS_MS = 10_800_000;

/**
 * What B5 makes of one record when the scheduler notices that the clock was set back: to `landedAt`, from where it has gone on to `now`.
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
  const moves: { name: string; servedThrough: number; pendingRetryUntil: number | null }[] = [];
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
      moves.push({ name, servedThrough, pendingRetryUntil });
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

/** Changes what is stored as a durable batch does. */
export function applyBatch(stored: Map<string, TaskRecord>, batch: Batch): void {
  const change = (name: string, over: Partial<TaskRecord>): void => {
    const record = stored.get(name);
    if (record !== undefined) stored.set(name, { ...record, ...over });
  };
  for (const name of batch.removes ?? []) stored.delete(name);
  for (const put of batch.puts ?? []) stored.set(put.name, put);
  for (const { name, cron, retryDelayMs } of batch.configures ?? []) change(name, { cron, retryDelayMs });
  for (const { name, calledAt, endedAt, outcome, pendingRetryUntil, work } of batch.ends ?? []) {
    const ended = outcome === 'success' ? { lastSuccessAt: endedAt } : { lastFailureAt: endedAt };
    const call = { servedThrough: calledAt, lastAttemptAt: calledAt };
    change(name, { ...call, ...ended, pendingRetryUntil, work, run: null });
  }
  for (const { name, servedThrough, pendingRetryUntil } of batch.moves ?? [])
    change(name, { servedThrough, pendingRetryUntil });
  for (const { name, work, run } of batch.unstarts ?? []) change(name, { work, run });
  for (const { name, work, run } of batch.starts ?? []) change(name, { work, run });
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

export const moveText = (move: {
  readonly name: string;
  readonly servedThrough: number;
  readonly pendingRetryUntil: number | null;
}): string => `move ${move.name} to ${move.servedThrough}, retry ${move.pendingRetryUntil}`;

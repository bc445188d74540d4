/** What an initialization makes of the stored records and a list (E1–E4, H10), written from the semantics a second time. */
import type { RunRecord, TaskRecord } from '../../core/record.ts';
import type { ConfigureChange } from '../../store/port.ts';
import type { TaskPlan } from '../scenario/scenario.ts';
import { cursorBefore } from './calendar.ts';
import { policyText } from './policies.ts';
import { afterStep } from './rules.ts';

/** What an initialization must leave in the store: the records that its tasks begin with. `fresh` has the names that are new. */
export interface ExpectedPlan {
  readonly records: ReadonlyMap<string, TaskRecord>;
  readonly fresh: ReadonlySet<string>;
  readonly removed: readonly string[];
  /** Names whose expression, delay or policy changes. */
  readonly overridden: readonly string[];
}

/** The plan of an initialization at an instant, from what is stored. */
export function planOf(
  stored: ReadonlyMap<string, TaskRecord>,
  tasks: readonly TaskPlan[],
  timeZone: string,
  now: number,
): ExpectedPlan {
  const records = new Map<string, TaskRecord>();
  const fresh = new Set<string>();
  const overridden: string[] = [];
  for (const { name, cron, retryDelayMs, policy: given } of tasks) {
    const policy = policyText(given);
    const config = { name, cron, retryDelayMs, policy };
    const before = stored.get(name);
    const first = firstRecord(config, now, cursorBefore(now, timeZone, policy));
    if (before === undefined) {
      fresh.add(name);
      records.set(name, first);
      continue;
    }
    const isChanged =
      before.cron !== cron || before.retryDelayMs !== retryDelayMs || before.policy !== policy;
    if (isChanged) overridden.push(name);
    if (isChanged && given?.onOverride === 'reset') {
      fresh.add(name);
      records.set(name, { ...first, pausedAt: before.pausedAt });
      continue;
    }
    const stepped = afterStep(before, cron, now);
    records.set(name, { ...stepped, ...config, run: found(before.run, now) });
  }
  const removed = [...stored.keys()].filter((name) => !records.has(name));
  return { records, fresh, removed, overridden };
}

/** An unfinished run belongs to a dead instance (E6). */
const found = (run: RunRecord | null, now: number): RunRecord | null =>
  run === null ? null : { ...run, cutOffAt: run.cutOffAt ?? now };

const firstRecord = (
  config: Omit<ConfigureChange, 'version'>,
  now: number,
  servedThrough: number,
): TaskRecord => ({
  ...config,
  version: 1,
  pausedAt: null,
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

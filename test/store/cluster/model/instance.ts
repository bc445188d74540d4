/** What an instance decides by itself: what to claim, how a run ended, what a new list changes. */
import { NOTHING_YET, type TaskRecord } from '../../../../src/core/record.ts';
import {
  type ClusterBatch,
  type Committed,
  isCurrent,
  seenOf,
} from '../../../../src/store/cluster/decide.ts';
import type { Cluster } from '../../../../src/store/cluster/rows.ts';
import type { EndChange, StartChange, UnstartChange } from '../../../../src/store/port.ts';
import { DELAY_MS, type Flight, type List, type Run, type Slot, type World } from './world.ts';

/** Why it would start a task by what it knows (A1); `undefined` if it would not. */
export function reasonFor(
  record: TaskRecord,
  dueAt: number,
  now: number,
): StartChange['run']['reason'] | undefined {
  if (isCurrent(record)) return undefined;
  if (record.run !== null) return 'orphaned';
  if (dueAt > record.servedThrough) return 'due';
  const { pendingRetryUntil } = record;
  return pendingRetryUntil !== null && pendingRetryUntil <= now ? 'retry' : undefined;
}

/** The number of a new run is given when its state is written down (`coder.ts`). */
export function claimOf(id: string, record: TaskRecord, reason: StartChange['run']['reason']): StartChange {
  const runId = `${id}.new ${record.name}`;
  const { work } = record;
  const goesOn = work !== null && reason !== 'due';
  return {
    name: record.name,
    work: goesOn ? { ...work, attempt: work.attempt + 1 } : { key: runId, scheduledFor: 1, attempt: 1 },
    run: { runId, instanceId: id, startedAt: 1, reason, cutOffAt: null },
    seen: seenOf(record),
  };
}

export function endOf(
  { claim, calledAt }: Extract<Run, { stage: 'called' }>,
  outcome: 'success' | 'failure',
  endedAt: number,
): EndChange {
  const { name, work, run } = claim;
  const { runId, instanceId, reason } = run;
  const pendingRetryUntil = outcome === 'success' ? null : endedAt + DELAY_MS;
  const failing = { failures: 0, failingSince: null, error: null };
  return { name, runId, instanceId, reason, work, calledAt, endedAt, outcome, pendingRetryUntil, ...failing };
}

/**
 * What a list changes of the records that it was planned from (E4). The shipped plan takes every run for dead that is not its own (E6), and
 * so does this one: in a cluster that must do no harm.
 */
export function initializeOf(
  { records, epoch }: Cluster,
  { runs }: Slot,
  list: List,
  now: number,
): ClusterBatch {
  const entries = Object.entries(list);
  const puts = entries
    .filter(([name]) => !records.has(name))
    .map(
      ([name, cron]): TaskRecord => ({
        ...NOTHING_YET,
        name,
        cron,
        retryDelayMs: 0,
        policy: null,
        firstSeenAt: 1,
        servedThrough: now,
      }),
    );
  const configures = entries
    .filter(([name, cron]) => records.has(name) && records.get(name)?.cron !== cron)
    .map(([name, cron]) => ({ name, cron, retryDelayMs: 0, policy: null }));
  const removes = [...records.keys()].filter((name) => !(name in list));
  const cutOffs = [...records.values()]
    .filter((record) => isCurrent(record) && !runs.has(record.name))
    .map(({ name, run }) => ({ name, runId: run?.runId ?? '', at: 1 }));
  return { epoch, list: new Set(Object.keys(list)), puts, configures, removes, cutOffs };
}

/** What waits to be written: ends, and claims that are taken back. */
export function unwritten({ runs }: Slot): Required<Pick<ClusterBatch, 'ends' | 'unstarts'>> {
  const [ends, unstarts]: [EndChange[], UnstartChange[]] = [[], []];
  for (const [name, run] of runs) {
    if (run.stage === 'ended') ends.push(run.end);
    else if (run.stage === 'taken back')
      unstarts.push({ name, runId: run.claim.run.runId, work: run.before.work, run: run.before.run });
  }
  return { ends, unstarts };
}

/** What it does after an answer. What a claim was decided by is over then, and what was refused never was. */
export function runsAfter(
  before: ReadonlyMap<string, Run>,
  { batch, befores }: Flight,
  { refused }: Committed,
): Map<string, Run> {
  const runs = new Map(before);
  for (const { name } of [...(batch.ends ?? []), ...(batch.unstarts ?? [])]) runs.delete(name);
  [...(batch.starts ?? [])].forEach(({ name, work, run }, index) => {
    if (!refused.some((refusal) => refusal.change === 'start' && refusal.name === name))
      runs.set(name, { stage: 'granted', claim: { name, work, run }, before: befores[index] });
  });
  return runs;
}

/** What it takes for the state of the cluster. */
export const knownTo = ({ known }: Slot, { cluster }: World): Pick<Cluster, 'records' | 'epoch'> =>
  known ?? cluster;

/** What an instance decides by itself: what to claim, how a run ended, what a new list changes. */
import { NOTHING_YET, type TaskRecord } from '../../../../src/core/record.ts';
import { type ClusterBatch, type Committed, isCurrent } from '../../../../src/store/cluster/decide.ts';
import type { Cluster } from '../../../../src/store/cluster/rows.ts';
import type { EndChange, MoveChange, StartChange, UnstartChange } from '../../../../src/store/port.ts';
import { type Before, DELAY_MS, type Flight, type List, type Run, type Slot, type World } from './world.ts';

/** Why it would start a task by what it knows (A1); `undefined` if it would not. */
function reasonFor(record: TaskRecord, dueAt: number, now: number): StartChange['run']['reason'] | undefined {
  if (isCurrent(record)) return undefined;
  if (record.run !== null) return 'orphaned';
  if (dueAt > record.servedThrough) return 'due';
  const { pendingRetryUntil } = record;
  return pendingRetryUntil !== null && pendingRetryUntil <= now ? 'retry' : undefined;
}

/** The number of a new run is given when its state is written down (`coder.ts`). */
function claimOf(id: string, record: TaskRecord, reason: StartChange['run']['reason']): StartChange {
  const runId = `${id}.new ${record.name}`;
  const { work } = record;
  const goesOn = work !== null && reason !== 'due';
  return {
    name: record.name,
    work: goesOn ? { ...work, attempt: work.attempt + 1 } : { key: runId, scheduledFor: 1, attempt: 1 },
    run: { runId, instanceId: id, startedAt: 1, reason, cutOffAt: null },
    version: record.version,
  };
}

/** The claims of these tasks, and what they take the place of; `undefined` if one is not pending by what it knows. */
export function claimsBy(
  slot: Slot,
  world: World,
  id: string,
  names: readonly string[],
): Pick<Flight, 'batch' | 'crons' | 'befores'> | undefined {
  if (slot.phase !== 'ready' || slot.flight !== null || slot.next !== null) return undefined;
  const { records, epoch } = knownTo(slot, world);
  const [starts, crons, befores]: [StartChange[], string[], Before[]] = [[], [], []];
  for (const name of names) {
    const record = records.get(name);
    if (record === undefined || !(name in slot.list) || slot.runs.has(name)) return undefined;
    const reason = reasonFor(record, world.dueAt.get(name) ?? 0, world.now);
    if (reason === undefined) return undefined;
    starts.push(claimOf(id, record, reason));
    crons.push(record.cron);
    befores.push({ work: record.work, run: record.run });
  }
  return { batch: { epoch, starts }, crons, befores };
}

/** A due is too old by the configuration that it knows, so the cursor is to move past it (H4); `undefined` if it knows of no such due. */
export function skipBy(slot: Slot, world: World, name: string): Pick<Flight, 'batch' | 'crons'> | undefined {
  if (slot.phase !== 'ready' || slot.flight !== null || slot.next !== null) return undefined;
  const { records, epoch } = knownTo(slot, world);
  const record = records.get(name);
  const dueAt = world.dueAt.get(name) ?? 0;
  if (record === undefined || !(name in slot.list) || slot.runs.has(name)) return undefined;
  if (isCurrent(record) || dueAt <= record.servedThrough) return undefined;
  const { version, pendingRetryUntil } = record;
  const move: MoveChange = { name, version, servedThrough: dueAt, pendingRetryUntil };
  return { batch: { epoch, moves: [move] }, crons: [record.cron] };
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
    .map(([name, cron]) => ({
      name,
      version: records.get(name)?.version ?? 0,
      cron,
      retryDelayMs: 0,
      policy: null,
    }));
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
  [...(batch.starts ?? [])].forEach((claim, index) => {
    const { name } = claim;
    if (!refused.some((refusal) => refusal.change === 'start' && refusal.name === name))
      runs.set(name, { stage: 'granted', claim, before: befores[index] });
  });
  return runs;
}

/** What it takes for the state of the cluster. */
export const knownTo = ({ known }: Slot, { cluster }: World): Pick<Cluster, 'records' | 'epoch'> =>
  known ?? cluster;

/**
 * What the database does with what reaches it, by the shipped decisions, and what of it is wrong. The one scheduler that the cluster must
 * look like (`truth.ts`) hears of everything that was granted.
 */
import type { TaskRecord } from '../../../../src/core/record.ts';
import type { Committed, NotCommitted } from '../../../../src/store/cluster/decide.ts';
import type { Departure } from '../../../../src/store/cluster/members.ts';
import { after, type Cluster } from '../../../../src/store/cluster/rows.ts';
import type { Refusal } from '../../../../src/store/port.ts';
import { STEP_FAULTS } from './properties.ts';
import { cutOff, ended, firstComing, isPending, moved, started, takenBack } from './truth.ts';
import { idOf, LEASE_MS, type Operations, type Sent, type Truth, type World } from './world.ts';

export interface Answered {
  readonly world: World;
  readonly answer: Committed | NotCommitted;
}

export function applyBatch(world: World, operations: Operations, sent: Sent): Answered {
  const { id, batch } = sent;
  const answer = operations.commit(world.cluster, id, batch, world.now);
  if ('why' in answer) return { world, answer };
  const cluster = after(world.cluster, answer);
  const judge = new Judge(world, cluster, id, answer.refused);
  if (!world.cluster.members.has(id) && !sameRows(world.cluster, cluster)) judge.fault(STEP_FAULTS.fenced);
  if (!areVersionsNew(world.cluster, cluster)) judge.fault(STEP_FAULTS.version);
  judge.list(sent);
  judge.runs(sent);
  const again = operations.commit(cluster, id, batch, world.now);
  if (!isIdle(cluster, again, answer.refused)) judge.fault(STEP_FAULTS.again);
  return { world: { ...world, cluster, tasks: judge.tasks, fault: judge.faults[0] ?? '' }, answer };
}

/** What of a record a decision can see. */
const text = (record: TaskRecord | undefined): string =>
  JSON.stringify([
    record?.cron,
    record?.pausedAt,
    record?.servedThrough,
    record?.lastAttemptAt,
    record?.lastSuccessAt,
    record?.lastFailureAt,
    record?.pendingRetryUntil,
    record?.work?.key,
    record?.work?.attempt,
    record?.run?.runId,
    record?.run?.instanceId,
    record?.run && record.run.cutOffAt !== null,
  ]);

const sameRows = (a: Cluster, b: Cluster): boolean =>
  a.epoch === b.epoch &&
  a.records.size === b.records.size &&
  [...a.records].every(([name, record]) => text(record) === text(b.records.get(name))) &&
  a.members.size === b.members.size &&
  [...a.members.keys()].every((id) => b.members.has(id));

/** K2: a record that is written has a version above all that its name had. One that came now begins above all that were ever forgotten. */
const areVersionsNew = (before: Cluster, afterwards: Cluster): boolean =>
  [...afterwards.records].every(([name, record]) => {
    const { version } = before.records.get(name) ?? { version: before.forgotten };
    return record.version > version || text(record) === text(before.records.get(name));
  });

/** Whether a batch that came again changed nothing, and was answered as before. */
function isIdle(cluster: Cluster, again: Committed | NotCommitted, refused: readonly Refusal[]): boolean {
  if ('why' in again) return again.why === 'stale';
  const changesRecords = [...(again.records ?? [])].some(
    ([name, record]) => text(record) !== text(cluster.records.get(name)),
  );
  const answers = (all: readonly Refusal[]): string =>
    all.map(({ change, name }) => `${change} ${name}`).join();
  return !changesRecords && again.past.length === 0 && answers(again.refused) === answers(refused);
}

/** Holds a batch that was granted against the one scheduler. */
class Judge {
  readonly tasks: Map<string, Truth>;
  readonly faults: string[] = [];
  readonly #world: World;
  readonly #after: Cluster;
  readonly #id: string;
  readonly #refused: readonly Refusal[];

  constructor(world: World, afterwards: Cluster, id: string, refused: readonly Refusal[]) {
    this.#world = world;
    this.#after = afterwards;
    this.#id = id;
    this.#refused = refused;
    this.tasks = new Map(world.tasks);
  }

  fault(fault: string): void {
    this.faults.push(fault);
  }

  list({ batch }: Sent): void {
    for (const name of batch.removes ?? []) {
      const mayGo = !this.#othersHave(name) && this.#world.tasks.get(name)?.run == null;
      const isGone = this.#world.cluster.records.has(name) && !this.#after.records.has(name);
      if (isGone && !mayGo) this.fault(STEP_FAULTS.forgotten);
      if (mayGo && this.#after.records.has(name)) this.fault(STEP_FAULTS.remembered);
      if (isGone) this.tasks.delete(name);
    }
    for (const { name, servedThrough } of batch.puts ?? [])
      if (!this.tasks.has(name)) this.tasks.set(name, firstComing(servedThrough));
  }

  /** By their rows, or by what they believe themselves. */
  #othersHave(name: string): boolean {
    const { cluster, slots } = this.#world;
    const others = [...cluster.members.values()].filter(({ id }) => id !== this.#id);
    const believes = slots.filter(
      ({ list, phase }) => name in list && (phase === 'ready' || phase === 'stopping'),
    );
    return (
      others.some(({ names }) => names.has(name)) ||
      believes.some((slot) => others.some(({ id }) => id === idOf(slots.indexOf(slot), slot.life)))
    );
  }

  runs({ batch: { ends = [], unstarts = [], moves = [], starts = [] }, crons }: Sent): void {
    for (const end of ends) this.#settle('end', end, STEP_FAULTS.ended, () => ended(end));
    for (const unstart of unstarts) this.#settle('unstart', unstart, STEP_FAULTS.takenBack, takenBack);
    [...moves].forEach((move, index) => {
      const truth = this.#granted('move', move.name);
      const before = this.#world.cluster.records.get(move.name);
      // One that comes again, and is made already, changes nothing.
      if (truth === undefined || text(before) === text(this.#after.records.get(move.name))) return;
      if (before?.cron !== crons[index]) this.fault(STEP_FAULTS.moved);
      if (move.servedThrough < truth.servedThrough) this.fault(STEP_FAULTS.back);
      this.tasks.set(move.name, moved(truth, move));
    });
    [...starts].forEach((start, index) => {
      const truth = this.#granted('start', start.name);
      if (truth === undefined || truth.run?.runId === start.run.runId) return;
      this.#start(truth, start.name, crons[index]);
      this.tasks.set(start.name, started(truth, start));
    });
  }

  #start(truth: Truth, name: string, cron: string): void {
    const { now, dueAt, ages, cluster } = this.#world;
    if (truth.run !== null) this.fault(STEP_FAULTS.doubled);
    else if (!isPending(truth, dueAt.get(name) ?? 0, now)) this.fault(STEP_FAULTS.pending);
    if ((ages.get(this.#id)?.sinceRenewal ?? 2) >= 2) this.fault(STEP_FAULTS.leased);
    if (cluster.records.get(name)?.cron !== cron) this.fault(STEP_FAULTS.configured);
  }

  /** An end or an unstart: of the current run of its instance, or nothing has changed by it. */
  #settle(
    change: 'end' | 'unstart',
    { name, runId }: { readonly name: string; readonly runId: string },
    fault: string,
    settled: (truth: Truth) => Truth,
  ): void {
    const truth = this.#granted(change, name);
    if (truth === undefined) return;
    if (truth.run?.runId === runId && truth.run.instanceId === this.#id) this.tasks.set(name, settled(truth));
    else if (text(this.#world.cluster.records.get(name)) !== text(this.#after.records.get(name)))
      this.fault(fault);
  }

  #granted(change: Refusal['change'], name: string): Truth | undefined {
    const isRefused = this.#refused.some((refusal) => refusal.change === change && refusal.name === name);
    return isRefused ? undefined : this.tasks.get(name);
  }
}

/** Instances are gone, and with them their runs. */
function depart(world: World, departure: Departure, faults: readonly string[]): World {
  const cluster = after(world.cluster, departure);
  const ages = new Map([...world.ages].filter(([id]) => cluster.members.has(id)));
  const tasks = new Map(
    [...world.tasks].map(([name, truth]) => [
      name,
      truth.run !== null && departure.gone.includes(truth.run.instanceId) ? cutOff(truth) : truth,
    ]),
  );
  return { ...world, cluster, ages, tasks, fault: faults[0] ?? '' };
}

const isWithinLease = ({ ages }: World, id: string): boolean => (ages.get(id)?.sinceRenewal ?? 2) < 2;

export function applyJoin(world: World, operations: Operations, id: string): World {
  const answer = operations.join(world.cluster, { id, leaseMs: LEASE_MS, isAlone: false }, world.now);
  if ('occupied' in answer) throw new Error('nobody is alone in this model');
  // Here nobody is alone, so nobody takes over by joining.
  const faults = answer.gone.length > 0 ? [STEP_FAULTS.steady] : [];
  const next = depart(world, answer, faults);
  return { ...next, ages: new Map([...next.ages, [id, { sinceRenewal: 0, held: 0 }]]) };
}

/** `undefined`: the instance hears that it is absent. */
export function applyRenewal(world: World, operations: Operations, id: string): World | undefined {
  const changed = operations.renew(world.cluster, id, world.now);
  if (changed === undefined) return undefined;
  const isAbsent = !world.cluster.members.has(id);
  const held = isWithinLease(world, id) ? (world.ages.get(id)?.held ?? 0) : 0;
  const ages = new Map([...world.ages, [id, { sinceRenewal: 0, held }]]);
  const fault = isAbsent ? STEP_FAULTS.fenced : '';
  return { ...world, cluster: after(world.cluster, changed), ages, fault };
}

/** `undefined`: there is nobody to declare dead. */
export function applyDeath(world: World, operations: Operations, by: string): World | undefined {
  const departure = operations.declareDead(world.cluster, by, world.now);
  if (departure.gone.length === 0) return undefined;
  const faults = departure.gone.filter((id) => isWithinLease(world, id)).map(() => STEP_FAULTS.dead);
  const isSteady = isWithinLease(world, by) && (world.ages.get(by)?.held ?? 0) >= 2;
  return depart(world, departure, [...faults, ...(isSteady ? [] : [STEP_FAULTS.steady])]);
}

export const applyLeave = (world: World, operations: Operations, id: string): World =>
  depart(world, operations.leave(world.cluster, id, world.now), []);

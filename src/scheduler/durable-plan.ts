/**
 * The plan of a life (E5): everything that is stored is read, the plan is made from it in memory, and it becomes durable in one transaction.
 * If another instance has done the same meanwhile, all of that is done again (K5).
 */

import { cutOffRunOf } from '../core/cut-off-run.ts';
import { type Plan, Planner } from '../core/plan.ts';
import { namesOf } from '../core/registration.ts';
import { readRecord } from '../core/stored.ts';
import type { ExecutorState } from '../executor/state.ts';
import { addTasks, createState, TIMER } from '../executor/state.ts';
import type { Batch, StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import { ClockWatch } from './clock-watch.ts';
import type { LifeRequest } from './life-request.ts';
import { Owed } from './owed.ts';
import { commitPlan } from './planned-write.ts';
import { checkRemovals } from './removals-guard.ts';
import type { SettledOptions } from './settled-options.ts';
import { reportIfSlow } from './slow-store.ts';

/** What of a life takes memory by the task. */
export interface Memory {
  readonly planner: Planner;
  readonly executor: ExecutorState;
  readonly owed: Owed;
}

/** Made in the calling tick. */
export function memoryOf(
  { registrations, places, busy }: LifeRequest,
  instanceId: string,
  workers: number,
): Memory {
  const planner = new Planner(registrations, places, instanceId, busy);
  const { tasks } = planner;
  const executor = createState(workers, Math.max(tasks.count, 1));
  addTasks(executor, TIMER, tasks.count);
  return { planner, executor, owed: new Owed(tasks, workers) };
}

/** Reads, plans, and makes the plan durable; again, from the beginning, if another instance has done the same meanwhile (K5). */
export async function plannedLife(
  options: SettledOptions,
  session: StoreSession,
  request: LifeRequest,
  instanceId: string,
  first: Memory,
): Promise<DurablePlan & Memory> {
  for (let memory = first; ; memory = memoryOf(request, instanceId, options.workers)) {
    const { planner } = memory;
    planner.isShared = session.sharing !== undefined;
    planner.mayBeTakenBack = request.before !== undefined && !planner.isShared;
    planner.follows = request.follows === true;
    await readStored(session, options, planner);
    const planned = await makePlanDurable(options, session, planner, request);
    if (planned !== undefined) return { ...planned, ...memory };
  }
}

/** Lets everything else that waits have its turn: with a hundred thousand tasks each step of an initialize is long. */
const yieldToEventLoop = (clock: Clock): Promise<void> => new Promise((resolve) => clock.defer(resolve));

/** Reads and checks every record, in slices, so that a hundred thousand of them do not hold the event loop. */
async function readStored(session: StoreSession, options: SettledOptions, planner: Planner): Promise<void> {
  const { clock, sizes } = options;
  const pages = session.readPages?.((name) => planner.ownName(name)) ?? [
    await reportIfSlow(options, session.read()),
  ];
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += sizes.readSlice) {
      for (const value of page.slice(start, start + sizes.readSlice)) {
        const record = readRecord(value);
        // Where several instances share the store, it says which of them are gone (K9).
        const cutOff = planner.isShared ? cutOffRunOf(record) : undefined;
        if (cutOff !== undefined) options.trace?.({ event: 'InstanceGone', at: clock.now(), ...cutOff });
        planner.add(record);
      }
      await yieldToEventLoop(clock);
    }
  }
}

/** A plan that is durable. */
interface DurablePlan {
  readonly plan: Plan;
  /** What the store has forgotten of the names that the list lacks, if it says so (K5). */
  readonly forgotten?: readonly string[];
  /** The names that the store did not have before, for the trace of an instance that shares it (K5). */
  readonly added?: readonly string[];
  /** The place of this list among those of all instances, if the store is shared (K5). */
  readonly epoch?: number;
  /** Sees steps of the clock since the plan was made. */
  readonly watch: ClockWatch;
}

/** Plans by one reading of the clock, and makes the plan durable in one transaction (E5). `undefined`: it was overtaken (K5). */
async function makePlanDurable(
  options: SettledOptions,
  session: StoreSession,
  planner: Planner,
  { zone, registrations, follows, before }: LifeRequest,
): Promise<DurablePlan | undefined> {
  const { clock } = options;
  const zoneChange = follows ? {} : await changeOfZone(options, session, zone);
  const plannedAt = clock.now();
  const watch = before?.engine.watchFrom(plannedAt) ?? new ClockWatch(clock, plannedAt);
  const planning = planner.plan(plannedAt, zone);
  let step = planning.next();
  for (; !step.done; step = planning.next()) await yieldToEventLoop(clock);
  const plan = step.value;
  await yieldToEventLoop(clock);
  if (options.guardRemovals) checkRemovals(plan);
  const { cutOffs, removes, puts, configures, moves, overridden } = plan;
  // Another list has come since this one was read to be followed. The instance would run under a list that no longer counts, and the store
  // could not know. So it stays with the list of before, whose claims the store refuses, until it has read again (K5).
  if (follows && before !== undefined && overridden.length > 0) throw new Error('yet another list came');
  const batch = { ...zoneChange, cutOffs, removes, puts, configures, moves };
  if (planner.mayBeTakenBack) before?.engine.handover?.beforePlan(planner.undo(plan));
  const writing = commitPlan(session, follows ? { puts } : batch, namesOf(registrations));
  const written = await reportIfSlow(options, writing);
  if (written === 'stale') return undefined;
  await yieldToEventLoop(clock);
  const { held, epoch, firstVersion = Number.NaN } = written;
  plan.tasks.begin(plan.fresh, firstVersion);
  const forgotten = held && (follows ? [] : removes.filter((name) => !held.includes(name)));
  const added = held && options.trace && planner.newNames(plan);
  return {
    plan,
    watch,
    ...(forgotten && { forgotten }),
    ...(added && { added }),
    ...(epoch !== undefined && { epoch }),
  };
}

/** What is to be written for the readers of the store (B2). Nothing if the store has it already: a list that changes nothing costs no commit. */
async function changeOfZone(
  { logger }: SettledOptions,
  session: StoreSession,
  { name }: LifeRequest['zone'],
): Promise<Pick<Batch, 'timeZone'>> {
  if (session.timeZone === undefined) return {};
  const stored = await session.timeZone();
  if (stored === name) return {};
  if (stored !== undefined && (session.sharing?.members.length ?? 0) > 1)
    logger.warn(
      `this instance reads expressions in ${name}, and another one in ${stored}: give all of them one timeZone`,
    );
  return { timeZone: name };
}

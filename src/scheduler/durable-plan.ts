/**
 * The plan of the first list of a life (E5): everything that is stored is read, the plan is made from it in memory, and it becomes durable in one
 * transaction. If another instance has done the same meanwhile, all of that is done again (K5). Later lists are edits (`edits.ts`).
 */
import { type Plan, Planner } from '../core/plan.ts';
import { namesOf } from '../core/registration.ts';
import { Tasks } from '../core/tasks.ts';
import type { ExecutorState } from '../executor/state.ts';
import { addTasks, createState, TIMER } from '../executor/state.ts';
import type { Batch, StoreSession } from '../store/port.ts';
import { ClockWatch } from './clock-watch.ts';
import type { LifeRequest } from './life-request.ts';
import { Owed } from './owed.ts';
import { commitPlan } from './planned-write.ts';
import { checkRemovals } from './removals-guard.ts';
import type { SettledOptions } from './settled-options.ts';
import { readStored, reportIfSlow, yieldToEventLoop } from './slow-store.ts';

/** What of a life takes memory by the task. */
export interface Memory {
  readonly tasks: Tasks;
  readonly planner: Planner;
  readonly executor: ExecutorState;
  readonly owed: Owed;
}

/** Made in the calling tick. */
export function memoryOf(request: LifeRequest, instanceId: string, workers: number): Memory {
  const tasks = new Tasks(request.registrations, instanceId);
  const executor = createState(workers, Math.max(tasks.count, 1));
  addTasks(executor, TIMER, tasks.count);
  return { tasks, planner: new Planner(tasks, request), executor, owed: new Owed(tasks, workers) };
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
    planner.follows = request.follows === true;
    await readStored(session, options, planner);
    const planned = await makePlanDurable(options, session, memory, request);
    if (planned !== undefined) return { ...planned, ...memory };
  }
}

/** A plan that is durable. */
interface DurablePlan {
  readonly plan: Plan;
  /** What the store has forgotten of the names that the list lacks, if it says so (K5). */
  readonly forgotten: readonly string[] | undefined;
  /** The names that the store did not have before, for the trace of an instance that shares it (K5). */
  readonly added: readonly string[] | undefined;
  /** The place of this list among those of all instances, if the store is shared (K5). */
  readonly epoch: number | undefined;
  /** Sees steps of the clock since the plan was made. */
  readonly watch: ClockWatch;
}

/** Plans by one reading of the clock, and makes the plan durable in one transaction (E5). `undefined`: it was overtaken (K5). */
async function makePlanDurable(
  options: SettledOptions,
  session: StoreSession,
  { planner, tasks }: Memory,
  { zone, registrations, follows }: LifeRequest,
): Promise<DurablePlan | undefined> {
  const { clock } = options;
  const zoneChange = follows ? {} : await changeOfZone(options, session, zone);
  const plannedAt = clock.now();
  const watch = new ClockWatch(clock, plannedAt);
  const planning = planner.plan(plannedAt, zone);
  let step = planning.next();
  for (; !step.done; step = planning.next()) await yieldToEventLoop(clock);
  const plan = step.value;
  await yieldToEventLoop(clock);
  if (options.guardRemovals) checkRemovals(plan);
  const { cutOffs, removes, puts, configures, moves } = plan;
  const batch = follows ? { puts } : { ...zoneChange, cutOffs, removes, puts, configures, moves };
  const written = await reportIfSlow(options, commitPlan(session, batch, namesOf(registrations)));
  if (written === 'stale') return undefined;
  await yieldToEventLoop(clock);
  const { held, epoch, firstVersion = Number.NaN } = written;
  tasks.begin(plan.fresh, firstVersion);
  const forgotten = held && (follows ? [] : removes.filter((name) => !held.includes(name)));
  const added = held && options.trace && planner.newNames(plan);
  return { plan, watch, forgotten, added, epoch };
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

/**
 * From a checked list to a running engine (E5, D6), in these steps:
 *
 *     open the store ──▶ read it ──▶ plan, and make the plan durable in one transaction ──▶ follow the minute ──▶ engine
 *
 * If a step before the last fails, the store is closed and nothing has happened. Each question to the store that takes long is in the trace.
 */
import { randomBytes } from 'node:crypto';
import { Agenda } from '../core/agenda.ts';
import type { Many, MoveChange } from '../core/changes.ts';
import { cursorOfFirstComing, type Plan, Planner } from '../core/plan.ts';
import { type CheckedRegistration, namesOf } from '../core/registration.ts';
import { readRecord } from '../core/stored.ts';
import { ObbligatoError, ScheduleTaskError } from '../errors.ts';
import { StoreLockedError } from '../store/errors.ts';
import type { Batch, StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import type { Zone } from '../time/zone.ts';
import { ClockWatch } from './clock-watch.ts';
import { Engine } from './engine.ts';
import type { Emit, EventDetails } from './events.ts';
import type { SettledOptions } from './options.ts';
import { reportIfSlow } from './slow-store.ts';
import { Unwritten, type UnwrittenChanges } from './unwritten.ts';

/** An engine, and the session of the store that it lives on. */
export interface Life {
  readonly engine: Engine;
  readonly session: StoreSession;
  readonly instanceId: string;
  readonly hasTasks: boolean;
  readonly initializedAt: number;
  /**
   * When the plan was made, if that matters (B5): the plan moved cursors that a clock which was set back had left ahead, or the clock was
   * set back after the plan was made.
   */
  readonly plannedAt: number | undefined;
  readonly changes: EventDetails['SchedulerInitializationCompleted'];
}

/** What a life begins with. */
export interface LifeRequest {
  readonly registrations: readonly CheckedRegistration[];
  /** The place of each registration, by its name. */
  readonly places: ReadonlyMap<string, number>;
  readonly zone: Zone;
  /** What an earlier life of the same scheduler could not make durable (D7). */
  readonly unwritten: UnwrittenChanges | undefined;
  /** Whether anybody still waits for this life: a `stop` ends the waiting for the store. */
  isWanted(): boolean;
}

/** How long the store is waited for before it is asked whether anybody still wants it. */
const LOCK_SLICE_MS = 1000;

export async function beginLife(options: SettledOptions, emit: Emit, request: LifeRequest): Promise<Life> {
  // Fresh for each life, so that its runs differ from those of dead instances (E6). Short, since the name of every run begins with it.
  const instanceId = randomBytes(9).toString('base64url');
  // Made in the calling tick: it takes a while for a million tasks.
  const planner = new Planner(request.registrations, request.places, instanceId);
  const agenda = new Agenda(request.registrations, request.zone);
  const session = await reportIfSlow(options, openStore(options, request.isWanted));
  try {
    const unwritten = await readStored(session, options, planner, request);
    const planned = await makePlanDurable(options, session, planner, unwritten, request.zone);
    await session.enroll?.(namesOf(request.registrations));
    const { now, moves } = await followMinute(options, session, planned.plan, request.zone);
    const { clock, workers, lateAfterMs, trace, logger, sizes, recordErrors } = options;
    const { plan, watch } = planned;
    const { tasks, plannedAt } = plan;
    const isHeard = options.onEvent !== undefined;
    const engine = new Engine({
      tasks,
      agenda,
      session,
      location: options.store.location,
      clock,
      workers,
      instanceId,
      lateAfterMs,
      emit,
      isHeard,
      recordErrors,
      trace,
      now,
      logger,
      watch,
      moves,
      sizes,
    });
    return {
      engine,
      session,
      instanceId,
      hasTasks: tasks.count > 0,
      initializedAt: now,
      plannedAt: plan.moves.length > 0 || plannedAt > now ? plannedAt : undefined,
      changes: {
        added: isHeard ? plan.fresh.map((task) => tasks.nameOf(task)) : [],
        overridden: plan.overridden,
        orphaned: plan.orphaned,
        removed: plan.removes,
      },
    };
  } catch (error) {
    await session.close().catch(() => {});
    return asScheduleTaskError(error);
  }
}

/** Lets everything else that waits have its turn: with a hundred thousand tasks each step of an initialize is long. */
const yieldToEventLoop = (clock: Clock): Promise<void> => new Promise((resolve) => clock.defer(resolve));

/**
 * Reads and checks every record, in slices, so that a hundred thousand of them do not hold the event loop. What an earlier life could
 * not write is taken for written: it goes into the same transaction as the plan.
 */
async function readStored(
  session: StoreSession,
  options: SettledOptions,
  planner: Planner,
  { places, unwritten: changes }: LifeRequest,
): Promise<Unwritten> {
  const { clock, sizes } = options;
  const unwritten = new Unwritten(changes);
  const pages = session.readPages?.() ?? [await reportIfSlow(options, session.read())];
  for await (const page of pages) {
    for (let start = 0; start < page.length; start += sizes.readSlice) {
      for (const value of page.slice(start, start + sizes.readSlice)) {
        const record = readRecord(value);
        planner.add(unwritten.applied(record, places.has(record.name)));
      }
      await yieldToEventLoop(clock);
    }
  }
  return unwritten;
}

/** A plan that is durable. */
interface DurablePlan {
  readonly plan: Plan;
  /** Sees steps of the clock since the plan was made. */
  readonly watch: ClockWatch;
}

/** Plans by one reading of the clock, and makes the plan durable in one transaction (E5). */
async function makePlanDurable(
  options: SettledOptions,
  session: StoreSession,
  planner: Planner,
  unwritten: Unwritten,
  zone: Zone,
): Promise<DurablePlan> {
  const { clock } = options;
  const plannedAt = clock.now();
  const watch = new ClockWatch(clock, plannedAt);
  const planning = planner.plan(plannedAt, zone);
  let step = planning.next();
  for (; !step.done; step = planning.next()) await yieldToEventLoop(clock);
  const plan = step.value;
  await yieldToEventLoop(clock);
  const { cutOffs, removes, puts, configures, moves } = plan;
  const batch = { cutOffs, removes, puts, configures, ...unwritten.batch(moves) };
  await reportIfSlow(options, commit(session, batch));
  await yieldToEventLoop(clock);
  return { plan, watch };
}

/**
 * Reads the clock with which the life begins. If the minute has rolled over since the plan was made, the cursors of new names move with
 * it (D6). Moves that this could not make durable are answered: the engine writes them together with its first starts.
 */
async function followMinute(
  options: SettledOptions,
  session: StoreSession,
  plan: Plan,
  zone: Zone,
): Promise<{ readonly now: number; readonly moves: Many<MoveChange> }> {
  const readAt = options.clock.now();
  const moves = rollOver(plan, zone, plan.plannedAt, readAt);
  if (moves.length === 0) return { now: readAt, moves };
  // A failure here does not undo the initialize, which has taken effect.
  const areDurable = await isFulfilled(reportIfSlow(options, commit(session, { moves })));
  // The write took time too. It is not repeated: this reading counts, and another minute is left to the engine.
  const now = options.clock.now();
  const later = rollOver(plan, zone, readAt, now);
  return { now, moves: later.length > 0 || areDurable ? later : moves };
}

/** If a later minute has begun between two readings of the clock, moves the cursors of new names to it; answers the moves. */
function rollOver({ tasks, fresh }: Plan, zone: Zone, from: number, to: number): readonly MoveChange[] {
  const cursor = cursorOfFirstComing(to, zone);
  if (cursor <= cursorOfFirstComing(from, zone)) return [];
  return fresh.map((task) => tasks.moveCursor(task, cursor));
}

/**
 * Opens the store. If another scheduler owns it, this waits a little at a time, so that a `stop` ends the waiting too. Nothing has
 * begun by then, and `initialize` rejects as if the time were up.
 */
async function openStore(
  { store, lockWaitMs, clock, logger, history }: SettledOptions,
  isWanted: () => boolean,
): Promise<StoreSession> {
  const askedAt = clock.monotonic();
  for (let hasWarned = false; ; hasWarned = true) {
    const leftMs = Math.max(0, lockWaitMs - (clock.monotonic() - askedAt));
    try {
      return await store.open({ waitMs: Math.min(leftMs, LOCK_SLICE_MS), history });
    } catch (error) {
      if (!(error instanceof StoreLockedError)) return asScheduleTaskError(error);
      if (leftMs <= LOCK_SLICE_MS || !isWanted()) {
        const waitedMs = Math.min(lockWaitMs, Math.round(clock.monotonic() - askedAt));
        throw new StoreLockedError({ path: store.location, waitedMs }, error.cause);
      }
      if (!hasWarned)
        logger.warn(`${store.location} is in use by another scheduler; waiting for it to let go`);
    }
  }
}

const isFulfilled = (promise: Promise<unknown>): Promise<boolean> =>
  promise.then(
    () => true,
    () => false,
  );

async function commit(session: StoreSession, batch: Batch): Promise<void> {
  const isEmpty = Object.values(batch).every((part: { readonly length: number }) => part.length === 0);
  if (isEmpty) return;
  await session.commit(batch).catch((error: unknown) => {
    throw new ScheduleTaskError('*', '', error instanceof Error ? error : new Error(String(error)));
  });
}

/** An error of ours says enough by itself; anything else becomes the cause of a `ScheduleTaskError` (E5). */
function asScheduleTaskError(error: unknown): never {
  if (error instanceof ObbligatoError) throw error;
  throw new ScheduleTaskError('*', '', error instanceof Error ? error : new Error(String(error)));
}

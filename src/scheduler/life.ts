/**
 * From a checked list to a running engine (E5, D6), in these steps:
 *
 *     open the store ──▶ read it ──▶ plan, and make the plan durable in one transaction ──▶ follow the minute ──▶ engine
 *
 * If a step before the last fails, the store is closed and nothing has happened. Each question to the store that takes long is in the trace.
 */
import { randomBytes } from 'node:crypto';
import type { MoveChange } from '../core/changes.ts';
import { cursorOfFirstComing, type Plan, planInitialization } from '../core/plan.ts';
import type { TaskRecord } from '../core/record.ts';
import type { CheckedRegistration } from '../core/registration.ts';
import { readRecord } from '../core/stored.ts';
import { Tasks } from '../core/tasks.ts';
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

/** Records that an earlier life of the same scheduler could not make durable (D7). */
export interface UnwrittenRecords {
  readonly instanceId: string;
  readonly records: readonly TaskRecord[];
}

/** What a life begins with. */
export interface LifeRequest {
  readonly registrations: readonly CheckedRegistration[];
  readonly zone: Zone;
  readonly unwritten: UnwrittenRecords | undefined;
  /** Whether anybody still waits for this life: a `stop` ends the waiting for the store. */
  isWanted(): boolean;
}

/** How long the store is waited for before it is asked whether anybody still wants it. */
const LOCK_SLICE_MS = 1000;

export async function beginLife(options: SettledOptions, emit: Emit, request: LifeRequest): Promise<Life> {
  const session = await reportIfSlow(options, openStore(options, request.isWanted));
  try {
    const stored = await readStored(session, options);
    const planned = await makePlanDurable(options, session, stored, request);
    const { now, moves } = await followMinute(options, session, planned, request.zone);
    const instanceId = createInstanceId();
    const { clock, workers, lateAfterMs, trace, logger, sizes } = options;
    const { zone } = request;
    const { tasks, watch, plannedAt, plan } = planned;
    const engine = new Engine({
      tasks,
      zone,
      session,
      location: options.store.location,
      clock,
      workers,
      instanceId,
      lateAfterMs,
      emit,
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
        added: plan.puts.map(({ name }) => name),
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

/** Fresh for each life, so that its runs differ from those of dead instances (E6). Short, since the name of every run begins with it. */
const createInstanceId = (): string => randomBytes(9).toString('base64url');

/** Lets everything else that waits have its turn: with a hundred thousand tasks each step of an initialize is long. */
const yieldToEventLoop = (clock: Clock): Promise<void> => new Promise((resolve) => clock.defer(resolve));

/** Reads and checks every record, in slices, so that a hundred thousand of them do not hold the event loop. */
async function readStored(session: StoreSession, options: SettledOptions): Promise<Map<string, TaskRecord>> {
  const { clock, sizes } = options;
  const raw = await reportIfSlow(options, session.read());
  const records = new Map<string, TaskRecord>();
  for (let start = 0; start < raw.length; start += sizes.readSlice) {
    for (const value of raw.slice(start, start + sizes.readSlice)) {
      const record = readRecord(value);
      records.set(record.name, record);
    }
    await yieldToEventLoop(clock);
  }
  return records;
}

/** A plan that is durable, and the tasks as it has them. */
interface DurablePlan {
  readonly plan: Plan;
  readonly plannedAt: number;
  readonly tasks: Tasks;
  /** Sees steps of the clock since the plan was made. */
  readonly watch: ClockWatch;
}

/** Plans by one reading of the clock, and makes the plan durable in one transaction (E5). */
async function makePlanDurable(
  options: SettledOptions,
  session: StoreSession,
  stored: Map<string, TaskRecord>,
  { registrations, zone, unwritten }: LifeRequest,
): Promise<DurablePlan> {
  const { clock } = options;
  const kept = keepUnwritten(stored, unwritten);
  const plannedAt = clock.now();
  const watch = new ClockWatch(clock, plannedAt);
  const plan = planInitialization(stored, registrations, plannedAt, zone);
  await yieldToEventLoop(clock);
  const removed = new Set(plan.removes);
  const puts = [...kept.filter(({ name }) => !removed.has(name)), ...plan.puts];
  const batch = { removes: plan.removes, puts, configures: plan.configures, moves: plan.moves };
  await reportIfSlow(options, commit(session, batch));
  const tasks = new Tasks(registrations, plan.records);
  await yieldToEventLoop(clock);
  return { plan, plannedAt, tasks, watch };
}

/**
 * Reads the clock with which the life begins. If the minute has rolled over since the plan was made, the cursors of new names move with
 * it (D6). Moves that this could not make durable are answered: the engine writes them together with its first starts.
 */
async function followMinute(
  options: SettledOptions,
  session: StoreSession,
  { tasks, plan, plannedAt }: DurablePlan,
  zone: Zone,
): Promise<{ readonly now: number; readonly moves: readonly MoveChange[] }> {
  const minute = new FirstMinute(tasks, plan, plannedAt, zone);
  const readAt = options.clock.now();
  const moves = minute.rollOver(readAt);
  if (moves.length === 0) return { now: readAt, moves };
  // A failure here does not undo the initialize, which has taken effect.
  const areDurable = await isFulfilled(reportIfSlow(options, commit(session, { moves })));
  // The write took time too. It is not repeated: this reading counts, and another minute is left to the engine.
  const now = options.clock.now();
  const later = minute.rollOver(now);
  return { now, moves: later.length > 0 || areDurable ? later : moves };
}

/** The minute in which new names have come: their cursors are just before it (E2). */
class FirstMinute {
  readonly #tasks: Tasks;
  readonly #newNames: ReadonlySet<string>;
  readonly #zone: Zone;
  #cursor: number;

  constructor(tasks: Tasks, { puts }: Plan, plannedAt: number, zone: Zone) {
    this.#tasks = tasks;
    this.#newNames = new Set(puts.map(({ name }) => name));
    this.#zone = zone;
    this.#cursor = cursorOfFirstComing(plannedAt, zone);
  }

  /** Moves the cursors if a later minute has begun; answers the moves. */
  rollOver(now: number): readonly MoveChange[] {
    const cursor = cursorOfFirstComing(now, this.#zone);
    if (cursor <= this.#cursor || this.#newNames.size === 0) return [];
    this.#cursor = cursor;
    const moves: MoveChange[] = [];
    for (let task = 0; task < this.#tasks.count; task++) {
      if (this.#newNames.has(this.#tasks.nameOf(task))) moves.push(this.#tasks.moveCursor(task, cursor));
    }
    return moves;
  }
}

/**
 * Puts records that an earlier life could not write in the place of what is stored, but only where the store still shows that life's
 * own unfinished run: otherwise another scheduler has written the record since, and knows better. Answers what was put.
 */
function keepUnwritten(
  stored: Map<string, TaskRecord>,
  unwritten: UnwrittenRecords | undefined,
): readonly TaskRecord[] {
  const used = (unwritten?.records ?? []).filter(
    ({ name }) => stored.get(name)?.run?.instanceId === unwritten?.instanceId,
  );
  for (const record of used) stored.set(record.name, record);
  return used;
}

/**
 * Opens the store. If another scheduler owns it, this waits a little at a time, so that a `stop` ends the waiting too. Nothing has
 * begun by then, and `initialize` rejects as if the time were up.
 */
async function openStore(
  { store, lockWaitMs, clock, logger }: SettledOptions,
  isWanted: () => boolean,
): Promise<StoreSession> {
  const askedAt = clock.monotonic();
  for (let hasWarned = false; ; hasWarned = true) {
    const leftMs = Math.max(0, lockWaitMs - (clock.monotonic() - askedAt));
    try {
      return await store.open({ waitMs: Math.min(leftMs, LOCK_SLICE_MS) });
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
  const isEmpty = Object.values(batch).every((part: readonly unknown[]) => part.length === 0);
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

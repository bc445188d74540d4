/** From a checked list to a running engine: opens the store, reads it, makes the plan durable in one transaction (E5, D6). */
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

/** An engine, and the session of the store that it lives on. */
export interface Life {
  readonly engine: Engine;
  readonly session: StoreSession;
  readonly instanceId: string;
  readonly hasTasks: boolean;
  readonly initializedAt: number;
  /** The reading of the plan, where it matters: it moved what a clock that was set back had left ahead, or was itself set back (B5). */
  readonly plannedAt: number | undefined;
  readonly changes: EventDetails['SchedulerInitializationCompleted'];
}

/** What an earlier life of the same scheduler could not make durable (D7). */
export interface Carried {
  readonly instanceId: string;
  readonly records: readonly TaskRecord[];
}

/** How long a question to the store may go unanswered before it is called trouble. */
const PATIENCE_MS = 5000;
/** How long the store is waited for before it is asked whether anybody still wants it. */
const LOCK_SLICE_MS = 1000;

export async function beginLife(
  options: SettledOptions,
  emit: Emit,
  registrations: readonly CheckedRegistration[],
  zone: Zone,
  carried: Carried | undefined,
  isWanted: () => boolean,
): Promise<Life> {
  const { clock, workers, lateAfterMs, trace, logger, sizes } = options;
  const session = await patiently(options, openStore(options, isWanted));
  try {
    const stored = await readStored(session, options);
    const kept = keepCarried(stored, carried);
    const plannedAt = clock.now();
    // From the reading that the plan is made with, a step of the clock is noticed: by the first look of the engine (B5).
    const watch = new ClockWatch(clock, plannedAt);
    const plan = planInitialization(stored, registrations, plannedAt, zone);
    await others(clock);
    const removed = new Set(plan.removes);
    const puts = [...kept.filter(({ name }) => !removed.has(name)), ...plan.puts];
    const batch = { removes: plan.removes, puts, configures: plan.configures, moves: plan.moves };
    await patiently(options, commit(session, batch));
    const tasks = new Tasks(registrations, plan.records);
    await others(clock);
    const rolledAt = clock.now();
    const cursor = cursorOfFirstComing(rolledAt, zone);
    const moves = rollOver(tasks, plan, cursorOfFirstComing(plannedAt, zone), cursor);
    // What has begun is not undone by this failing: then the engine writes it, together with the first starts.
    const areDurable = moves.length === 0 || (await succeeds(patiently(options, commit(session, { moves }))));
    // Writing takes time too. The reading that counts is the last one; should yet another minute have begun, the engine writes that.
    const now = moves.length === 0 ? rolledAt : clock.now();
    const later = rollOver(tasks, plan, cursor, cursorOfFirstComing(now, zone));
    const unwritten = later.length > 0 ? later : areDurable ? [] : moves;
    const instanceId = createInstanceId();
    const engine = new Engine({
      tasks,
      zone,
      session,
      clock,
      workers,
      instanceId,
      lateAfterMs,
      emit,
      trace,
      now,
      logger,
      watch,
      moves: unwritten,
      sizes,
    });
    const changes = {
      added: plan.puts.map(({ name }) => name),
      overridden: plan.overridden,
      orphaned: plan.orphaned,
      removed: plan.removes,
    };
    return {
      engine,
      session,
      instanceId,
      hasTasks: tasks.count > 0,
      initializedAt: now,
      plannedAt: plan.moves.length > 0 || plannedAt > now ? plannedAt : undefined,
      changes,
    };
  } catch (error) {
    await session.close().catch(() => {});
    return asScheduleTaskError(error);
  }
}

/** Fresh for each life: what tells its runs from those of the dead (E6). Short, since every run's name begins with it. */
const createInstanceId = (): string => randomBytes(9).toString('base64url');

/** Lets others have their turn: a hundred thousand tasks are a few long steps, and nobody should wait for all of them. */
const others = (clock: Clock): Promise<void> => new Promise((resolve) => clock.defer(resolve));

/** Reads and checks every record, in slices, so that a hundred thousand of them do not hold the event loop. */
async function readStored(session: StoreSession, options: SettledOptions): Promise<Map<string, TaskRecord>> {
  const { clock, sizes } = options;
  const raw = await patiently(options, session.read());
  const records = new Map<string, TaskRecord>();
  for (let start = 0; start < raw.length; start += sizes.readSlice) {
    for (const value of raw.slice(start, start + sizes.readSlice)) {
      const record = readRecord(value);
      records.set(record.name, record);
    }
    await others(clock);
  }
  return records;
}

/**
 * Puts what an earlier life could not write in the place of what is stored, but only where the store still shows that life's
 * own unfinished run: if anybody else has been at it since, they know better. Answers what was put.
 */
function keepCarried(stored: Map<string, TaskRecord>, carried: Carried | undefined): readonly TaskRecord[] {
  const used = (carried?.records ?? []).filter(
    ({ name }) => stored.get(name)?.run?.instanceId === carried?.instanceId,
  );
  for (const record of used) stored.set(record.name, record);
  return used;
}

/** If the minute has rolled over while the plan was being made durable, the cursors of new names move with it (D6). */
function rollOver(tasks: Tasks, { puts }: Plan, planned: number, now: number): readonly MoveChange[] {
  if (now <= planned || puts.length === 0) return [];
  const fresh = new Set(puts.map(({ name }) => name));
  const moves: MoveChange[] = [];
  for (let task = 0; task < tasks.count; task++) {
    if (fresh.has(tasks.nameOf(task))) moves.push(tasks.moveCursor(task, now));
  }
  return moves;
}

/** A store that takes long to answer is trouble too, and the trace tells of it once it is over (E8). */
async function patiently<T>({ clock, trace }: SettledOptions, asked: Promise<T>): Promise<T> {
  const askedAt = clock.monotonic();
  try {
    return await asked;
  } finally {
    const tookMs = Math.round(clock.monotonic() - askedAt);
    if (tookMs >= PATIENCE_MS) {
      const to = clock.now();
      trace?.({ event: 'StoreTrouble', at: to, from: to - tookMs, to, error: 'Error' });
    }
  }
}

/**
 * Opens the store, or waits for whoever owns it: a little at a time, so that a `stop` ends the waiting too. Nothing has been begun
 * by then, and `initialize` rejects as if the time were up.
 */
async function openStore(
  { store, lockWaitMs, clock, logger }: SettledOptions,
  isWanted: () => boolean,
): Promise<StoreSession> {
  const askedAt = clock.monotonic();
  for (let isTold = false; ; isTold = true) {
    const leftMs = Math.max(0, lockWaitMs - (clock.monotonic() - askedAt));
    try {
      return await store.open({ waitMs: Math.min(leftMs, LOCK_SLICE_MS) });
    } catch (error) {
      if (!(error instanceof StoreLockedError)) return asScheduleTaskError(error);
      if (leftMs <= LOCK_SLICE_MS || !isWanted()) {
        const waitedMs = Math.min(lockWaitMs, Math.round(clock.monotonic() - askedAt));
        throw new StoreLockedError({ path: store.location, waitedMs }, error.cause);
      }
      if (!isTold) logger.warn(`${store.location} is in use by another scheduler; waiting for it to let go`);
    }
  }
}

const succeeds = (promise: Promise<unknown>): Promise<boolean> =>
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

/** An error of ours says enough by itself; anything else is told as a failure to schedule (E5). */
function asScheduleTaskError(error: unknown): never {
  if (error instanceof ObbligatoError) throw error;
  throw new ScheduleTaskError('*', '', error instanceof Error ? error : new Error(String(error)));
}

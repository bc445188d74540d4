/**
 * From a checked list to a running engine (E5, D6), in these steps:
 *
 *     open the store ──▶ read it ──▶ plan, and make the plan durable in one transaction ──▶ engine
 *
 * If a step before the last fails, the store is closed and nothing has happened. Each question to the store that takes long is in the trace.
 */
import { randomBytes } from 'node:crypto';
import { Agenda } from '../core/agenda.ts';
import type { ControlRequest } from '../core/control.ts';
import { namesOf } from '../core/registration.ts';
import type { News, StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import { channelsOf } from './channels.ts';
import { type Memory, memoryOf, plannedLife } from './durable-plan.ts';
import { Engine } from './engine.ts';
import type { Emit } from './events.ts';
import type { Hearer, Life, LifeRequest } from './life-request.ts';
import { openStore } from './open-store.ts';
import { asScheduleTaskError } from './planned-write.ts';
import type { SettledOptions } from './settled-options.ts';
import { reportIfSlow } from './slow-store.ts';

const COMPLETED = channelsOf('SchedulerInitializationCompleted');

export async function beginLife(options: SettledOptions, emit: Emit, request: LifeRequest): Promise<Life> {
  const instanceId = instanceOf(options);
  const hearer: Hearer = { engine: undefined, asked: [] };
  const onTrouble = (error: Error): void => hearer.engine?.hear(error);
  const onRequests = (requests: readonly ControlRequest[]): void => {
    if (hearer.engine === undefined) hearer.asked.push(...requests);
    else hearer.engine.request(requests);
  };
  const onNews = (news: News): void => {
    hearer.engine?.news(news);
    if (news.isStale) stale?.();
  };
  const { clock } = options;
  const { isWanted, stale } = request;
  const sharing = { instanceId, monotonic: () => clock.monotonic(), now: () => clock.now(), onNews };
  const opening = openStore(options, isWanted, { onTrouble, onRequests, sharing });
  // Made in the calling tick, and while the store opens: it takes a while for a million tasks.
  const parts = partsWhile(opening, request, instanceId, options.workers);
  const session = await reportIfSlow(options, opening);
  try {
    const life = await planLife(options, emit, request, { ...parts, session, hearer });
    hearer.engine = life.engine;
    return life;
  } catch (error) {
    await session.close().catch(() => {});
    return asScheduleTaskError(error);
  }
}

/** The part of a life that the open store brings. */
interface Joined {
  readonly session: StoreSession;
  readonly hearer: Hearer;
}

/** What of a life is made in the calling tick. */
interface Parts {
  readonly instanceId: string;
  readonly agenda: Agenda;
  readonly memory: Memory;
}

/** The parts; if they cannot be made, the store is closed again. */
function partsWhile(
  opening: Promise<StoreSession>,
  request: LifeRequest,
  instanceId: string,
  workers: number,
): Parts {
  try {
    return partsOf(request, instanceId, workers);
  } catch (error) {
    opening.then((session) => session.close()).catch(() => {});
    throw error;
  }
}

/** Fresh for each life, so that its runs differ from those of dead instances (E6). Short, since the name of every run begins with it. */
const instanceOf = ({ sizes }: SettledOptions): string =>
  sizes.nameInstance?.() ?? randomBytes(9).toString('base64url');

const partsOf = (request: LifeRequest, instanceId: string, workers: number): Parts => ({
  instanceId,
  agenda: new Agenda(request.registrations, request.zone),
  memory: memoryOf(request, instanceId, workers),
});

/** Where several instances share a store, its clock is the one that counts (K6). */
export function clockOf(clock: Clock, { sharing }: StoreSession): Clock {
  if (sharing === undefined) return clock;
  return {
    now: () => sharing.now(),
    monotonic: () => clock.monotonic(),
    setTimer: (callback, delayMs) => clock.setTimer(callback, delayMs),
    defer: (callback) => clock.defer(callback),
  };
}

/** Reads the store, makes the plan durable, and puts an engine together. */
async function planLife(
  given: SettledOptions,
  emit: Emit,
  request: LifeRequest,
  { session, hearer, instanceId, agenda, memory }: Parts & Joined,
): Promise<Life> {
  const options = { ...given, clock: clockOf(given.clock, session) };
  const planned = await plannedLife(options, session, request, instanceId, memory);
  const { plan, watch, executor, owed, tasks, forgotten, added, epoch } = planned;
  await session.enroll?.(namesOf(tasks.registrations));
  const now = options.clock.now();
  const { clock, lateAfterMs, trace, logger, failureLog, sizes, recordErrors } = options;
  const { fenced } = request;
  const engine: Engine = new Engine({
    tasks,
    agenda,
    session,
    location: options.store.location,
    clock,
    executor,
    owed,
    instanceId,
    lateAfterMs,
    emit,
    recordErrors,
    trace,
    now,
    logger,
    failureLog,
    watch,
    sizes,
    requests: hearer.asked,
    fenced: fenced && (() => fenced(engine)),
  });
  const { plannedAt, came, overridden, orphaned, removes: removed } = plan;
  const fresh = emit.isHeard(COMPLETED) ? plan.fresh.map((task) => tasks.nameOf(task)) : [];
  const changes = { added: fresh, overridden, orphaned, removed };
  const edited = { at: now, plannedAt, came, changes, ranAtPlan: [], forgotten, added, epoch };
  return { engine, session, instanceId, edited };
}

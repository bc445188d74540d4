/**
 * `createScheduler`: two methods, and the state machine behind them (D1–D8).
 *
 *                         initialize                durable
 *     uninitialized ────────────────▶ initializing ──────────▶ running
 *           ▲  ▲                        │      │                  │
 *           │  └──── failed ────────────┘      │ stop             │ stop
 *           │                                  ▼                  │
 *           └────── all ended, all durable ── stopping ◀──────────┘
 *
 * - *uninitialized*: as created, after a stop, after a failure. Nothing is open, nothing is armed.
 * - *initializing*: entered in the calling tick of `initialize`, after the list was checked. The store is opened, read, and
 *   written in one transaction (E5). A stop in this state lets it finish, and nothing starts (D7).
 * - *running*: an engine lives.
 * - *stopping*: entered in the calling tick of `stop`. The engine ends what runs; then the store is closed.
 *
 * Neither method ever throws, and `initialize` in any other state than the first changes nothing at all (D2, D4).
 */
import { type CheckedRegistration, checkRegistrations } from '../core/registration.ts';
import { SchedulerAlreadyActiveError, StopSchedulerError } from '../errors.ts';
import { StoreMovedError } from '../store/errors.ts';
import type { StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import { hostZoneName } from '../time/host.ts';
import { zoneOf } from '../time/zone.ts';
import type { TracedRegistration, TraceSink } from '../trace/record.ts';
import type { AttachedPorts } from './attached.ts';
import type { Edited } from './edit-effects.ts';
import { createEmit } from './emit.ts';
import type { Engine } from './engine.ts';
import type { Emit } from './events.ts';
import { type InitCall, initFailure, initStart, initSuccess, readable } from './init-records.ts';
import { beginLife, clockOf } from './life.ts';
import type { Life, PlacedList } from './life-request.ts';
import { type InForce, Membership } from './membership.ts';
import type { Registration, SchedulerOptions } from './options.ts';
import { asScheduleTaskError } from './planned-write.ts';
import { type SettledOptions, settleOptions } from './settled-options.ts';
import { SIZES, type Sizes } from './sizes.ts';
import type { Task } from './task.ts';

/** A scheduler: two methods, which may be called again and again, in turn. */
export interface Scheduler {
  /** Takes over a list of registrations, and resolves once they are durable. */
  initialize(registrations: ReadonlyArray<Registration | Task>): Promise<void>;
  /** Starts nothing more, waits for what runs, and resolves once everything is durable. */
  stop(): Promise<void>;
}

type State = 'uninitialized' | 'initializing' | 'running' | 'stopping';

/** Makes a scheduler. It touches nothing until it is initialized; a wrong option is thrown at once. */
export function createScheduler(options: SchedulerOptions = {}): Scheduler {
  return createSizedScheduler(options, SIZES);
}

/** A scheduler that does more or less at once. Only simulated worlds use it. */
export function createSizedScheduler(options: SchedulerOptions, sizes: Sizes): Scheduler {
  const lifecycle = new Lifecycle(settleOptions(options, sizes));
  return Object.freeze({
    initialize: (registrations: ReadonlyArray<Registration | Task>) =>
      promised(() => lifecycle.initialize(registrations)),
    stop: () => promised(() => lifecycle.stop()),
  });
}

/** Both methods always return promises (D2), also when a clock throws. */
function promised(call: () => Promise<void>): Promise<void> {
  try {
    return call();
  } catch (error) {
    return Promise.reject(error);
  }
}

class Lifecycle {
  readonly #options: SettledOptions;
  readonly #emit: Emit;
  readonly #trace: TraceSink | undefined;
  #state: State = 'uninitialized';
  #initializing: Promise<unknown> = Promise.resolve();
  #stopping: Promise<void> = Promise.resolve();
  #inForce: InForce | undefined;
  /** Made when another instance does something to this one. */
  #membership: Membership | undefined;
  #calls = 0;
  /** The clock that everything is stamped by: of the host, and, once a store is known that several instances share, of that (K6). */
  #clock: Clock;

  constructor(options: SettledOptions) {
    this.#options = options;
    this.#clock = options.clock;
    this.#emit = createEmit(options.onEvent, options.store.location);
    this.#trace = options.trace;
  }

  /** What other instances of a shared store do to this one. */
  readonly #fromOthers = {
    fenced: (engine: Engine): void => this.#asMember().fenced(engine),
    stale: (): void => this.#asMember().stale(),
  };

  #asMember(): Membership {
    this.#membership ??= new Membership(this.#options, this.#emit, {
      ...this.#fromOthers,
      isRunning: () => this.#state === 'running',
      inForce: () => this.#inForce,
      use: (inForce) => this.#use(inForce),
      inTurn: (job) => {
        this.#initializing = this.#initializing.then(job);
      },
      now: () => this.#clock.now(),
      tellFollowed: (inForce, edited, how) => this.#traceFollowed(inForce, edited, how),
    });
    return this.#membership;
  }

  get #life(): Life | undefined {
    return this.#inForce?.life;
  }

  get #hasTasks(): boolean {
    return (this.#inForce?.list.registrations.length ?? 0) > 0;
  }

  initialize(list: unknown): Promise<void> {
    const { died } = this.#options;
    if (died?.aborted) return Promise.reject(died.reason);
    const isReload = this.#mayReload();
    const refused = isReload ? undefined : this.#refusal();
    if (refused !== undefined) return Promise.reject(refused);
    const call: InitCall = { call: ++this.#calls, ...(isReload ? { reload: true } : {}) };
    try {
      this.#options.clock.now(); // a clock that throws does so before anything has begun
      const { call: callBy } = this.#options;
      const places = new Map<string, number>();
      const checked = checkRegistrations(list, places);
      const registrations = callBy === undefined ? checked : calledBy(callBy, checked);
      const zone = zoneOf(this.#options.timeZone ?? hostZoneName());
      const checkedList = { registrations, places, zone };
      if (isReload) return this.#reloadInTurn(call, checkedList);
      // Checking a list may call the user's code (a duration's), and that may have called here.
      const overtaken = this.#refusal();
      if (overtaken !== undefined) return Promise.reject(overtaken);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#state = 'initializing';
      this.#initializing = promise; // before any listener hears of it, since it may stop
      this.#initStarted(call, registrations, zone.name);
      return this.#initialize(call, checkedList).finally(resolve);
    } catch (error) {
      this.#initStarted(call, readable(list), this.#options.timeZone ?? '');
      this.#initFailed(call, error, false);
      return Promise.reject(error);
    }
  }

  #refusal(): SchedulerAlreadyActiveError | undefined {
    return this.#state === 'uninitialized' ? undefined : new SchedulerAlreadyActiveError(this.#state);
  }

  /** Whether a list may take the place of another (I5). */
  #mayReload(): boolean {
    return this.#options.reload && (this.#state === 'running' || this.#state === 'initializing');
  }

  /** One list after the other, in the order of the calls. */
  #reloadInTurn(call: InitCall, list: PlacedList): Promise<void> {
    const reloaded = this.#initializing.then(() => this.#reload(call, list));
    this.#initializing = reloaded.catch(() => {});
    return reloaded;
  }

  async #reload(call: InitCall, { places, ...list }: PlacedList): Promise<void> {
    const { registrations, zone } = list;
    this.#initStarted(call, registrations, zone.name);
    try {
      const life = this.#life;
      // The list before may have failed, or the scheduler may have stopped.
      if (life === undefined) throw new SchedulerAlreadyActiveError('stopping');
      const inForce = (edited: Edited): void => {
        this.#use({ life, list });
        this.#initSucceeded(call, { life, list }, edited);
      };
      await life.engine
        .edit({ ...list, places, isGuarded: this.#options.guardRemovals, inForce })
        .catch(asScheduleTaskError);
    } catch (error) {
      this.#initFailed(call, error, true);
      throw error;
    }
  }

  async #initialize(call: InitCall, { places, ...list }: PlacedList): Promise<void> {
    try {
      const isWanted = (): boolean => this.#state === 'initializing';
      const life = await beginLife(this.#options, this.#emit, {
        ...list,
        places,
        ...this.#fromOthers,
        isWanted,
      });
      this.#use({ life, list });
      this.#initSucceeded(call, { life, list }, life.edited);
      if (this.#state !== 'initializing') return; // a stop has come: nothing starts (D7)
      this.#state = 'running';
      life.engine.begin();
    } catch (error) {
      if (this.#state === 'initializing') this.#state = 'uninitialized';
      this.#initFailed(call, error, true);
      throw error;
    }
  }

  stop(): Promise<void> {
    const { died } = this.#options;
    if (died === undefined) return this.#stop();
    return died.aborted ? Promise.resolve() : Promise.race([this.#stop(), aborted(died)]);
  }

  #stop(): Promise<void> {
    const call = ++this.#calls;
    const at = this.#readClock();
    this.#trace?.({ event: 'StopStart', at, call });
    if (this.#state === 'initializing' || this.#state === 'running') this.#beginStop(at);
    const ended = (error?: unknown): void => {
      const failure = error === undefined ? {} : { error: error instanceof Error ? error.name : 'unknown' };
      this.#trace?.({ event: 'StopEnd', at: this.#clock.now(), call, ...failure });
    };
    // A stop that is over, failed or not, does not affect the next one.
    const stopped = this.#state === 'stopping' ? this.#stopping : Promise.resolve();
    return stopped.then(
      () => ended(),
      (error) => {
        ended(error);
        throw error;
      },
    );
  }

  /** While a list is in force, a step of the clock that came before is for its engine to handle (B5). */
  #readClock(): number {
    const { engine } = (this.#state === 'running' && this.#life) || {};
    return engine?.readClock() ?? this.#clock.now();
  }

  /** What is done here is done in the tick of the call: from here on nothing starts. */
  #beginStop(at: number): void {
    const life = this.#life;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#state = 'stopping';
    this.#stopping = promise; // before anybody hears of it, since they may stop too
    this.#emit('SchedulerStopRequested', at, { running: life?.engine.running ?? 0 });
    if (this.#hasTasks) this.#emit('PollingStopRequested', at, {});
    const { finalWriteMs } = this.#options;
    const fenced = this.#membership?.fencedEngines ?? [];
    const stopped = new Map(fenced.map((engine) => [engine, engine.stop(finalWriteMs)]));
    if (life !== undefined) stopped.set(life.engine, life.engine.stop(finalWriteMs, this.#initializing));
    resolve(this.#end(stopped));
  }

  /** `stopped` has the engines that were there when the stop came; an `initialize` that was on its way may have made another one. */
  async #end(stopped: Map<Engine, Promise<Error | undefined>>): Promise<void> {
    const { finalWriteMs } = this.#options;
    const wasEmpty = stopped.size === 0;
    if (wasEmpty) await this.#initializing;
    if (wasEmpty && this.#hasTasks) this.#emit('PollingStopRequested', this.#clock.now(), {});
    // An instance that was joining again has another engine by now.
    for (let engine = this.#life?.engine; engine !== undefined; engine = this.#life?.engine) {
      const isNew = !stopped.has(engine);
      if (isNew) stopped.set(engine, engine.stop(finalWriteMs, this.#initializing));
      await Promise.all(stopped.values());
      await this.#initializing;
      if (!isNew && this.#life?.engine === engine) break;
    }
    const life = this.#life;
    const trouble = (await Promise.all(stopped.values())).find((each) => each !== undefined);
    this.#membership?.forgetFenced();
    const moved = life && (await this.#close(life.session, trouble === undefined ? finalWriteMs : 0));
    const hasTasks = this.#hasTasks;
    this.#inForce = undefined;
    this.#state = 'uninitialized';
    const at = this.#clock.now();
    if (hasTasks) this.#emit('PollingStopped', at, {});
    const cause = trouble ?? moved;
    const error = cause && new StopSchedulerError(cause);
    this.#emit('SchedulerStopped', at, error === undefined ? {} : { error });
    if (error !== undefined) throw error;
  }

  /**
   * Closes the store; one that does not answer is not waited for, and after a failed last write it is not expected to. Answers the
   * error of a file that is gone: what was written into it is not durable.
   */
  async #close(session: StoreSession, patienceMs: number): Promise<StoreMovedError | undefined> {
    const { clock, logger } = this.#options;
    const closed = session.close().catch((error: unknown) => {
      if (error instanceof StoreMovedError) return error;
      logger.warn(`closing the store: ${error}`);
      return undefined;
    });
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const timer = clock.setTimer(() => resolve(undefined), patienceMs);
    const moved = await Promise.race([closed, promise]);
    timer.cancel();
    return moved ?? undefined;
  }

  #initStarted(
    call: InitCall,
    checked: ReadonlyArray<CheckedRegistration | TracedRegistration>,
    timeZone: string,
  ): void {
    const at = this.#readClock();
    const started = call.reload ? 'SchedulerReinitializationStarted' : 'SchedulerInitializationStarted';
    this.#emit(started, at, { registrations: checked.length });
    this.#trace?.(initStart(this.#options, call, at, checked, timeZone));
  }

  #initSucceeded(call: InitCall, { life }: InForce, edited: Edited): void {
    const { at, changes } = edited;
    const { logger } = this.#options;
    this.#trace?.(initSuccess(this.#options, call, life, edited));
    if (this.#hasTasks && !call.reload) this.#emit('PollingStarted', at, {});
    this.#emit('SchedulerInitializationCompleted', at, changes);
    if (changes.removed.length > 0)
      logger.info(`forgotten, no longer registered: ${changes.removed.join(', ')}`);
    if (changes.orphaned.length > 0)
      logger.warn(`cut off by a crash or a stop, started again: ${changes.orphaned.join(', ')}`);
  }

  #initFailed(call: InitCall, error: unknown, valid: boolean): void {
    const at = this.#readClock();
    this.#emit('SchedulerInitializationFailed', at, { error });
    this.#trace?.(initFailure(call, at, error, valid));
  }

  #traceFollowed({ life, list }: InForce, edited: Edited, how: Pick<InitCall, 'reload'>): void {
    const call = { call: ++this.#calls, follows: true, ...how } as const;
    this.#trace?.(initStart(this.#options, call, edited.at, list.registrations, list.zone.name));
    this.#trace?.(initSuccess(this.#options, call, life, edited));
  }

  /** From now on this list is in force. */
  #use(inForce: InForce): void {
    this.#inForce = inForce;
    this.#clock = clockOf(this.#options.clock, inForce.life.session);
  }
}

/** The same registrations, with callbacks that are called through the clock that the scheduler is attached to. */
const calledBy = (
  call: AttachedPorts['call'],
  registrations: readonly CheckedRegistration[],
): readonly CheckedRegistration[] =>
  registrations.map(({ callback, ...rest }) => ({
    ...rest,
    callback: (context) => call(rest.name, () => callback(context)),
  }));

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

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
import { type Fault, ObbligatoError, SchedulerAlreadyActiveError, StopSchedulerError } from '../errors.ts';
import type { StoreSession } from '../store/port.ts';
import { hostZoneName } from '../time/host.ts';
import { type Zone, zoneOf } from '../time/zone.ts';
import type { TracedRegistration, TraceSink } from '../trace/record.ts';
import type { AttachedPorts } from './attached.ts';
import { createEmit, type Emit } from './events.ts';
import { beginLife, type Life } from './life.ts';
import { type Registration, type SchedulerOptions, type SettledOptions, settleOptions } from './options.ts';
import { SIZES, type Sizes } from './sizes.ts';
import type { UnwrittenChanges } from './unwritten.ts';

/** A scheduler: two methods, which may be called again and again, in turn. */
export interface Scheduler {
  /** Takes over a list of registrations, and resolves once they are durable. */
  initialize(registrations: readonly Registration[]): Promise<void>;
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
    initialize: (registrations: readonly Registration[]) =>
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
  #life: Life | undefined;
  #unwritten: UnwrittenChanges | undefined;
  #calls = 0;

  constructor(options: SettledOptions) {
    this.#options = options;
    this.#emit = createEmit(options.onEvent);
    this.#trace = options.trace;
  }

  initialize(list: unknown): Promise<void> {
    const { died } = this.#options;
    if (died?.aborted) return Promise.reject(died.reason);
    const refused = this.#refusal();
    if (refused !== undefined) return Promise.reject(refused);
    const call = ++this.#calls;
    try {
      this.#options.clock.now(); // a clock that throws does so before anything has begun
      const { call: callBy } = this.#options;
      const places = new Map<string, number>();
      const checked = checkRegistrations(list, places);
      const registrations = callBy === undefined ? checked : calledBy(callBy, checked);
      const zone = zoneOf(this.#options.timeZone ?? hostZoneName());
      // Checking a list may call the user's code (a duration's), and that may have called here.
      const overtaken = this.#refusal();
      if (overtaken !== undefined) return Promise.reject(overtaken);
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#state = 'initializing';
      this.#initializing = promise; // before any listener hears of it, since it may stop
      this.#initStarted(call, registrations, zone.name);
      return this.#initialize(call, registrations, places, zone).finally(resolve);
    } catch (error) {
      this.#initStarted(call, readable(list), this.#options.timeZone ?? '');
      this.#initFailed(call, error, false);
      return Promise.reject(error);
    }
  }

  #refusal(): SchedulerAlreadyActiveError | undefined {
    return this.#state === 'uninitialized' ? undefined : new SchedulerAlreadyActiveError(this.#state);
  }

  async #initialize(
    call: number,
    registrations: readonly CheckedRegistration[],
    places: ReadonlyMap<string, number>,
    zone: Zone,
  ): Promise<void> {
    try {
      const isWanted = (): boolean => this.#state === 'initializing';
      const request = { registrations, places, zone, unwritten: this.#unwritten, isWanted };
      const life = await beginLife(this.#options, this.#emit, request);
      this.#unwritten = undefined;
      this.#life = life;
      this.#initSucceeded(call, life);
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
    // A step of the clock that came before the stop is still this life's to handle.
    const at =
      this.#state === 'running' && this.#life ? this.#life.engine.readClock() : this.#options.clock.now();
    this.#trace?.({ event: 'StopStart', at, call });
    if (this.#state === 'initializing' || this.#state === 'running') this.#beginStop(at);
    const ended = (error?: unknown): void => {
      const failure = error === undefined ? {} : { error: error instanceof Error ? error.name : 'unknown' };
      this.#trace?.({ event: 'StopEnd', at: this.#options.clock.now(), call, ...failure });
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

  /** What is done here is done in the tick of the call: from here on nothing starts. */
  #beginStop(at: number): void {
    const life = this.#life;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#state = 'stopping';
    this.#stopping = promise; // before anybody hears of it, since they may stop too
    this.#emit('SchedulerStopRequested', at, { running: life?.engine.running ?? 0 });
    if (life?.hasTasks) this.#emit('PollingStopRequested', at, {});
    resolve(this.#end(life?.engine.stop(this.#options.finalWriteMs)));
  }

  async #end(engineStopped: Promise<Error | undefined> | undefined): Promise<void> {
    const { clock, finalWriteMs } = this.#options;
    await this.#initializing;
    const life = this.#life;
    if (engineStopped === undefined && life?.hasTasks) this.#emit('PollingStopRequested', clock.now(), {});
    const trouble = await (engineStopped ?? life?.engine.stop(finalWriteMs));
    if (life !== undefined && trouble !== undefined) {
      this.#unwritten = life.engine.abandon();
    }
    if (life !== undefined) await this.#close(life.session, trouble === undefined ? finalWriteMs : 0);
    this.#life = undefined;
    this.#state = 'uninitialized';
    const at = clock.now();
    if (life?.hasTasks) this.#emit('PollingStopped', at, {});
    const error = trouble === undefined ? undefined : new StopSchedulerError(trouble);
    this.#emit('SchedulerStopped', at, error === undefined ? {} : { error });
    if (error !== undefined) throw error;
  }

  /** Closes the store; one that does not answer is not waited for, and after a failed last write it is not expected to. */
  async #close(session: StoreSession, patienceMs: number): Promise<void> {
    const { clock, logger } = this.#options;
    const closed = session.close().catch((error) => logger.warn(`closing the store: ${error}`));
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = clock.setTimer(resolve, patienceMs);
    await Promise.race([closed, promise]);
    timer.cancel();
  }

  #initStarted(call: number, checked: readonly TracedRegistration[], timeZone: string): void {
    const at = this.#options.clock.now();
    const { workers } = this.#options;
    this.#emit('SchedulerInitializationStarted', at, { registrations: checked.length });
    this.#trace?.({
      event: 'InitStart',
      at,
      call,
      registrations: checked.map(({ name, cron, retryDelayMs }) => ({ name, cron, retryDelayMs })),
      timeZone,
      ...(Number.isFinite(workers) ? { workers } : {}),
    });
  }

  #initSucceeded(call: number, life: Life): void {
    const { hasTasks, instanceId, initializedAt: at, plannedAt, changes } = life;
    const { logger } = this.#options;
    const planned = plannedAt === undefined ? {} : { plannedAt };
    this.#trace?.({ event: 'InitSuccess', at, call, instance: instanceId, ...planned });
    if (hasTasks) this.#emit('PollingStarted', at, {});
    this.#emit('SchedulerInitializationCompleted', at, changes);
    if (changes.removed.length > 0)
      logger.info(`forgotten, no longer registered: ${changes.removed.join(', ')}`);
    if (changes.orphaned.length > 0)
      logger.warn(`cut off by a crash, started again: ${changes.orphaned.join(', ')}`);
  }

  #initFailed(call: number, error: unknown, valid: boolean): void {
    const at = this.#options.clock.now();
    const name = error instanceof Error ? error.name : 'unknown';
    this.#emit('SchedulerInitializationFailed', at, { error });
    this.#trace?.({ event: 'InitFailure', at, call, error: name, fault: faultOf(error, valid), valid });
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

/** An error that is none of ours comes from the user's own code in the list, if the list did not pass; else from the machine. */
function faultOf(error: unknown, isListValid: boolean): Fault {
  const known = error instanceof ObbligatoError ? error.fault : undefined;
  return known ?? (isListValid ? 'host' : 'list');
}

/**
 * A list that was refused, for the trace, so that the oracle can see for itself that it was not valid (S5). One that cannot be
 * written down is recorded as empty.
 */
function readable(list: unknown): readonly TracedRegistration[] {
  const isEntry = (entry: unknown): entry is readonly [string, string, unknown, number] =>
    Array.isArray(entry) &&
    entry.length === 4 &&
    typeof entry[0] === 'string' &&
    typeof entry[1] === 'string' &&
    typeof entry[2] === 'function' &&
    Number.isFinite(entry[3]);
  try {
    const traced: TracedRegistration[] = [];
    // Up to the first that is none: a list may be all holes, and long.
    for (const entry of Array.isArray(list) ? list : []) {
      if (!isEntry(entry)) return [];
      const [name, cron, , retryDelayMs] = entry;
      traced.push({ name, cron, retryDelayMs });
    }
    return traced;
  } catch {
    return []; // a list that throws when it is looked at
  }
}

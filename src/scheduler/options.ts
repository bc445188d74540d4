/** What `createScheduler` takes, all of it optional, and what holds where nothing is said. */
import { RETENTION, type Retention } from '../core/history.ts';
import type { Store } from '../store/port.ts';
import { sqlite } from '../store/sqlite.ts';
import type { Duration } from '../time/duration.ts';
import { hostClock } from '../time/host-clock.ts';
import type { TraceSink } from '../trace/record.ts';
import type { AttachedPorts, SchedulerClock } from './attached.ts';
import { calmClock } from './calm-clock.ts';
import { checkOptions } from './check-options.ts';
import type { RunContext } from './context.ts';
import type { SchedulerEvent } from './events.ts';
import { FailureLog, type TaskFailure } from './failure-log.ts';
import { calmLogger } from './guests.ts';
import { SIZES, type Sizes } from './sizes.ts';
import { guardTrace } from './trace-guard.ts';

/** What a task does. A promise is waited for; the run fails if it throws or rejects. */
export type Callback = (context: RunContext) => unknown;
/** A task, as it is handed to `initialize`: its name, when it is due, what it does, and how long after a failure it is tried again. */
export type Registration = readonly [name: string, cron: string, callback: Callback, retryDelay: Duration];

/** Four methods; pino fits, and so does `console`. */
export interface Logger {
  /** Gets each failure of a task, instead of a line at `error` (H8). */
  failure?(failure: TaskFailure): void;
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** What `createScheduler` takes, all of it optional. */
export interface SchedulerOptions {
  /** Where state lives; `sqlite('obbligato.db')` by default. */
  readonly store?: Store;
  /** An IANA name; the host's zone by default, read at each `initialize` (B2). */
  readonly timeZone?: string;
  /** Where it takes its time from; the host's clock by default. A test hands in its own. */
  readonly clock?: SchedulerClock;
  /** How many callbacks may run at once; no bound by default. With one, "promptly" holds from when a worker is free. */
  readonly workers?: number;
  /**
   * Gets a line for each failure of a task, and lines about the store, the clock and the lock (H8). Without one the standard error output
   * gets what must not be missed; `false` is silence.
   */
  readonly logger?: Logger | false;
  /** Called with everything that happens, as it happens (G4). What it throws is ignored. */
  readonly onEvent?: (event: SchedulerEvent) => void;
  /** Gets every record of the trace, for the theory to judge; `traceFile(path)` writes a file. */
  readonly trace?: TraceSink;
  /** How long `initialize` waits for another process to let go of the store; not at all by default (E6). */
  readonly lockWaitMs?: number;
  /** How long `stop` tries its last write, after the last callback has ended; 10 seconds by default (D7). */
  readonly finalWriteMs?: number;
  /**
   * How much of the past the store keeps (J2): runs of the last `keepDays`, and no more than `keepRuns`; 30 days and a million by default.
   * `false` keeps none.
   */
  readonly history?: Partial<Retention> | false;
  /** Whether the text of what a callback throws is stored; `false` leaves only the name of the error (J3). */
  readonly recordErrors?: boolean;
  /** Whether `initialize` of a running scheduler replaces the list, without a stop (I5); otherwise it is refused (D4). */
  readonly reload?: boolean;
  /** Whether an `initialize` that would forget more than half of ten or more stored tasks is refused (I6). */
  readonly guardRemovals?: boolean;
  /** A start that is later than this emits `TaskStartedLate`; 1 second by default. */
  readonly lateAfterMs?: number;
}

/** The options with what holds where nothing was said, and what the clock made of them if it wants to be attached to. */
export type SettledOptions = Required<
  Omit<SchedulerOptions, 'timeZone' | 'onEvent' | 'trace' | 'history' | 'logger'>
> &
  Pick<SchedulerOptions, 'timeZone'> &
  Pick<AttachedPorts, 'onEvent'> &
  Partial<Pick<AttachedPorts, 'call' | 'died'>> & {
    trace?: TraceSink;
    readonly logger: Logger;
    readonly failureLog: FailureLog;
    readonly sizes: Sizes;
    readonly history: Retention | false;
  };

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
/** Where no logger is given: what must not be missed. */
const lastResort: Logger = { ...silent, error: (line) => console.error(`obbligato: ${line}`) };

/** How much is kept where the options say nothing, or `undefined`. */
const retentionOf = ({
  keepDays = RETENTION.keepDays,
  keepRuns = RETENTION.keepRuns,
}: Partial<Retention> = {}): Retention => ({ keepDays, keepRuns });

/** Checks the options; a wrong one is a mistake in the program and thrown at once. One that is `undefined` is not given. */
export function settleOptions(given: SchedulerOptions, sizes: Sizes = SIZES): SettledOptions {
  checkOptions(given);
  const isGiven = ([, value]: [string, unknown]): boolean => value !== undefined;
  const options: SchedulerOptions = Object.fromEntries(Object.entries(given).filter(isGiven));
  const logger = calmLogger(options.logger === false ? silent : (options.logger ?? lastResort));
  const settled: SettledOptions = {
    store: options.store ?? sqlite('obbligato.db'),
    workers: Number.POSITIVE_INFINITY,
    lockWaitMs: 0,
    finalWriteMs: 10_000,
    lateAfterMs: 1000,
    recordErrors: true,
    reload: false,
    guardRemovals: false,
    ...options,
    history: options.history === false ? false : retentionOf(options.history),
    clock: options.clock ?? hostClock,
    logger,
    failureLog: new FailureLog(logger, options.logger === undefined),
    sizes,
  };
  if (options.trace !== undefined) settled.trace = guardTrace(options.trace, logger);
  const attached = { ...settled, ...settled.clock.attach?.(settled) };
  return { ...attached, clock: calmClock(attached.clock, logger) };
}

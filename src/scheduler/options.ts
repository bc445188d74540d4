/** The options of `createScheduler`, and the tasks that `initialize` takes. */
import type { Retention } from '../core/history.ts';
import type { Store } from '../store/port.ts';
import type { Duration } from '../time/duration.ts';
import type { TraceSink } from '../trace/record.ts';
import type { SchedulerClock } from './attached.ts';
import type { RunContext } from './context.ts';
import type { SchedulerEvent } from './events.ts';
import type { Logger } from './logger.ts';

/** What a task does. A promise is waited for; the run fails if it throws or rejects. */
export type Callback = (context: RunContext) => unknown;
/** A task, as it is handed to `initialize`: its name, when it is due, what it does, and how long after a failure it is tried again. */
export type Registration = readonly [name: string, cron: string, callback: Callback, retryDelay: Duration];

/** What `createScheduler` takes, all of it optional. */
export interface SchedulerOptions {
  /** Where state lives: a store, or the path of a file, as `sqlite` takes it; `'obbligato.db'` by default. */
  readonly store?: Store | string | URL;
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
  readonly lockWait?: Duration;
  /** How long `stop` tries its last write, after the last callback has ended; 10 seconds by default (D7). */
  readonly finalWrite?: Duration;
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
  readonly lateAfter?: Duration;
}

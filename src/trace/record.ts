/**
 * What the oracle judges a scheduler by, one record per event. A sink is called synchronously, before the scheduler goes on, so
 * that a `RunStart` it has written cannot be lost to a killed process.
 *
 * There are two types of one thing. `WrittenRecord` is what our scheduler and its recorder write. `TraceRecord` is what a reader
 * may rely on: any scheduler's trace can be judged, and what a foreign one cannot know is optional. Every `WrittenRecord` is a
 * `TraceRecord`, so a sink may be written for either.
 */

import type { Fault } from '../errors.ts';

/** A registration as it is recorded: all but the callback. */
export interface TracedRegistration {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
  /** What a task object says beyond a tuple; absent for a tuple. */
  readonly policy?: TracedPolicy;
}

/** The policies of a task (H), as far as they differ from what a tuple means. */
export interface TracedPolicy {
  /** H2. The delay itself is `retryDelayMs`. A `max` of 1 means that failed work is given up at once. */
  readonly retry?: { readonly max?: number; readonly backoff?: number; readonly maxDelayMs?: number };
  /** H3. Without it the zone of the list counts. */
  readonly timeZone?: string;
  /** H3. */
  readonly clockChanges?: 'once';
  /** A due instant counts only if its local date passes this rule. */
  readonly days?: TracedDayRule;
  /** H4. */
  readonly startWithinMs?: number;
  /** H9. */
  readonly whileRunning?: 'skip' | 'replace';
  /** H5. */
  readonly jitterMs?: number;
  /** H6. */
  readonly timeoutMs?: number;
  readonly abandonAfterMs?: number;
  /** H10. */
  readonly onOverride?: 'reset';
  readonly description?: string;
  readonly meta?: unknown;
}

/** The days on which a task may be due, beyond what its expression says. */
export type TracedDayRule =
  /** The day that has so many days of its month after it: 0 is the last day of the month. */
  | { readonly last: number }
  /** The n-th such weekday of its month, 1–5, or counted from the end: −1 is the last. Sunday is 0. */
  | { readonly nth: number; readonly weekday: number }
  /** The days in every n-th period of seven days, counted from a date (YYYY-MM-DD). No day before that date. */
  | { readonly everyWeeks: number; readonly from: string };

/** A stretch of time, in epoch milliseconds. */
export interface RecordedStretch {
  readonly from: number;
  readonly to: number;
}

/** What happens to a run. */
export type RunEvent =
  | 'RunStart'
  | 'RunSuccess'
  | 'RunFailure'
  | 'RunInterrupted'
  | 'StartDurable'
  | 'EndDurable';

/** What is recorded of a run with each of its events. */
export interface RecordedRun {
  readonly task: string;
  readonly runId?: string;
  readonly instance?: string;
}

/** How a run failed. After `gave up` and `cancelled` no retry waits (H2). */
export type FailureOutcome = 'failure' | 'gave up' | 'cancelled' | 'timed out';

/** A request of an operator (I) that the running scheduler has applied, or, for `RunRequested`, taken in. */
export interface RecordedRequest {
  readonly task: string;
  readonly request?: string;
}

/** One event of a trace, as a reader may rely on it; `at` and all instants are epoch milliseconds. */
export type TraceRecord = { readonly at: number } & (
  | {
      readonly event: 'InitStart';
      readonly call?: number;
      readonly registrations: readonly TracedRegistration[];
      readonly timeZone: string;
      readonly workers?: number;
      readonly instance?: string;
      /** The list is replaced while the scheduler is active (I5). */
      readonly reload?: boolean;
      /** The list as the store has it: an instance follows the configurations of others, and changes none (K5). */
      readonly follows?: boolean;
    }
  | {
      readonly event: 'InitSuccess';
      readonly call?: number;
      readonly instance?: string;
      /** The reading of the clock by which the plan was made: the instant of every first coming (D6). Without it that is `at`. */
      readonly plannedAt?: number;
      readonly reload?: boolean;
      /** Of a reload: the tasks that ran when it was planned, and whose runs have ended since. For its plan they ran (I5). */
      readonly ranAtPlan?: readonly string[];
      /** Of an instance that shares its store: what the clock of its host showed. All else goes by the clock of the store (K6, K9). */
      readonly hostAt?: number;
      /** The names that the list lacks and the store has forgotten (K5), if the store says so. */
      readonly forgotten?: readonly string[];
      /** The names that the store did not have before, where several instances share it: whatever it had of them once is forgotten (K5). */
      readonly added?: readonly string[];
      /**
       * Of an instance that shares its store: the names of its list that the store had and no instance had started, by when they came. The list that
       * brought them may be in no trace: its process died, or never heard that it was stored (T11).
       */
      readonly came?: readonly { readonly at: number; readonly names: readonly string[] }[];
      /** The place of the list among those that have changed records, where several instances share the store (K5). */
      readonly epoch?: number;
    }
  | {
      readonly event: 'InitFailure';
      readonly call?: number;
      readonly error?: string;
      /** What it failed for, as far as the scheduler knows. */
      readonly fault?: Fault;
      readonly valid: boolean;
    }
  | { readonly event: 'StopStart'; readonly call?: number }
  | { readonly event: 'StopEnd'; readonly call?: number; readonly error?: string }
  | ({ readonly event: 'RunStart' | 'EndDurable' } & RecordedRun)
  /** A stop has ended the run, which is owed again (A13). For the theory that run alone is cut off by a crash (T19). */
  | ({ readonly event: 'RunInterrupted' } & RecordedRun)
  /** `completedAt` is when the run has ended, if a transaction of the user has ended it while its callback went on (K8). */
  | ({ readonly event: 'RunSuccess'; readonly completedAt?: number } & RecordedRun)
  /** `claimedAt` is when it was decided, by an instance that shares its store: until then it knew no other list than its own (K5, K9). */
  | ({ readonly event: 'StartDurable'; readonly claimedAt?: number } & RecordedRun)
  /** Without an outcome it is `failure`. */
  | ({ readonly event: 'RunFailure'; readonly outcome?: FailureOutcome } & RecordedRun)
  /**
   * The scheduler says that it lets a due instant pass, and with it all earlier ones (H4, H9). `dueAt` is after jitter.
   */
  | {
      readonly event: 'DueSkipped';
      readonly task: string;
      readonly dueAt: number;
      readonly why: 'late' | 'running';
    }
  | ({ readonly event: 'RunRequested' | 'CancelRequested' } & RecordedRequest)
  /**
   * `since` is what the store says, where several instances share it: many may tell of one pause, and some when it is long over (K9).
   */
  | ({ readonly event: 'Paused'; readonly since?: number } & RecordedRequest)
  | ({ readonly event: 'Resumed'; readonly catchUp: boolean } & RecordedRequest)
  /** One name is not registered any more, without a call: another program has deleted its record (E7). A run of it goes on. */
  | { readonly event: 'Removed'; readonly task: string }
  /** The process died without a stop. The recorder of the next one writes this. */
  | {
      readonly event: 'UnexpectedShutdown';
      readonly instance?: string;
      /** Given where one of several instances died: only the runs of these tasks were its own (K9). */
      readonly tasks?: readonly string[];
    }
  /** The store says that this instance is gone: it has left, or was declared dead (K3, K9). */
  | {
      readonly event: 'InstanceGone';
      readonly instance: string;
      /** Where the store says so by a run of it that was cut off: its task, and that run. No trace may have its start. */
      readonly task?: string;
      readonly runId?: string;
      /** Whether an operator had asked for that run (I2). */
      readonly requested?: boolean;
    }
  /** No compute: nothing could be asked of the scheduler. `task` is whose callback held the event loop, where that is known. */
  | ({ readonly event: 'Frozen'; readonly task?: string } & RecordedStretch)
  | ({ readonly event: 'Compute'; readonly units: number } & RecordedStretch)
  | ({ readonly event: 'ClockStep' } & RecordedStretch)
  | ({ readonly event: 'StoreTrouble'; readonly error?: string } & RecordedStretch)
);

/** The name of an event in a trace. */
export type TraceEvent = TraceRecord['event'];

/** The record of an event. */
export type RecordOf<Event extends TraceEvent> = Extract<TraceRecord, { readonly event: Event }>;
/** The record of an event with these of its optional fields always there. */
export type RecordWith<Event extends TraceEvent, Field extends string> = RecordOf<Event> &
  Required<Pick<RecordOf<Event>, Field & keyof RecordOf<Event>>>;

/** One event as our scheduler and its recorder write it: what only they can know is always there. */
export type WrittenRecord =
  | RecordWith<'InitStart', 'call'>
  | RecordWith<'InitSuccess', 'call' | 'instance' | 'plannedAt'>
  | RecordWith<'InitFailure', 'call' | 'error' | 'fault'>
  | RecordWith<'StopStart' | 'StopEnd', 'call'>
  | RecordWith<RunEvent, 'runId' | 'instance'>
  | RecordOf<'DueSkipped' | 'Removed'>
  | RecordWith<'RunRequested' | 'CancelRequested' | 'Resumed', 'request'>
  | RecordOf<'Paused'>
  | RecordOf<'UnexpectedShutdown' | 'InstanceGone' | 'Frozen' | 'Compute' | 'ClockStep'>
  | RecordWith<'StoreTrouble', 'error'>;

/** Called with each record, synchronously, before what the record speaks of goes on. */
export type TraceSink = (record: WrittenRecord) => void;

/**
 * What is kept of a task name between two lives of the process (E1). History belongs to the name: the configuration
 * (`cron`, `retryDelayMs`, `policy`) may change under it, and everything else stays.
 *
 * A record *has* a run while one is unfinished. If the instance that started it is dead, the run was cut off and the task is
 * orphaned; the run stays in the record until the task is started again, so that a second crash forgets nothing.
 */

/** Why a task is started: its schedule, a failure before, a run that a crash cut off (F4), or because somebody asked for it (I2). */
export type Reason = 'due' | 'retry' | 'orphaned' | 'manual';

/**
 * An unfinished run. `startedAt` is when it was claimed; the instant of the call itself is written with its end (A4). A run that a stop has interrupted is
 * unfinished too (A13): `startedAt` is then the instant of the call, and `cutOffAt` that of the end.
 */
export interface RunRecord {
  readonly runId: string;
  readonly instanceId: string;
  readonly startedAt: number;
  /** Why it was started; `interrupted` once a stop has ended it. */
  readonly reason: Reason | 'interrupted';
  /** When an `initialize` found that its instance had died, and wrote that into the history (J1); `null` before. */
  readonly cutOffAt: number | null;
}

/** A run that has not been interrupted. */
export interface StartedRun extends RunRecord {
  readonly reason: Reason;
}

/** What a callback threw last, in short; the history has more (J3). */
export interface LastError {
  readonly name: string;
  readonly message: string;
}

/** All that a store keeps of a task name. Instants are epoch milliseconds. */
export interface TaskRecord {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
  /** What its registration says beyond expression and delay, as a JSON text (H1); `null` if nothing. */
  readonly policy: string | null;
  /**
   * How often the record was written, counted on from where the store began (K2). Every write raises it, and no name has the same version twice,
   * also after it was forgotten. The store counts: the version of a record that is put is of no matter.
   */
  readonly version: number;
  /** Since when it is paused (I3); `null` if it is not. It belongs to the name: no registration changes it. */
  readonly pausedAt: number | null;
  readonly firstSeenAt: number;
  /** The cursor: every due instant up to here is served or was never owed. */
  readonly servedThrough: number;
  readonly lastAttemptAt: number | null;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  readonly pendingRetryUntil: number | null;
  /** How many runs have failed since the last success (J3). */
  readonly failures: number;
  /** When the first of them ended; `null` if there is none. */
  readonly failingSince: number | null;
  /** What the latest failure was; it stays when the task succeeds again. */
  readonly lastError: LastError | null;
  /** How long the latest run took, from the call to the end. */
  readonly lastDurationMs: number | null;
  /** What the callback of the latest start was given to recognise itself by (F4); `null` once it has succeeded. */
  readonly work: WorkRecord | null;
  readonly run: RunRecord | null;
}

/** What the record of a task says that has not run yet. */
export const NOTHING_YET = {
  version: 1,
  pausedAt: null,
  lastAttemptAt: null,
  lastSuccessAt: null,
  lastFailureAt: null,
  pendingRetryUntil: null,
  failures: 0,
  failingSince: null,
  lastError: null,
  lastDurationMs: null,
  work: null,
  run: null,
} as const;

/** `key` stays the same from a start through its retries and orphaned restarts; `attempt` counts the starts of that key, interrupted ones left out. */
export interface WorkRecord {
  readonly key: string;
  readonly scheduledFor: number;
  readonly attempt: number;
}

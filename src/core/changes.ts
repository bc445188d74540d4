/**
 * What can happen to a stored record. The core decides it, the scheduler hands it over, a store makes it durable.
 *
 * Every change of a run names that run, so that a store can refuse a change that comes too late: one whose run is not the current
 * run of its task any more (`Refusal` in the Store port).
 */
import type { RunRecord, WorkRecord } from './record.ts';

/** A run is claimed: it may be called once this is durable (A4). */
export interface StartChange {
  readonly name: string;
  readonly work: WorkRecord;
  readonly run: RunRecord;
}

/** A claim is taken back: the callback was never called. What was there before comes back. */
export interface UnstartChange {
  readonly name: string;
  /** The run that was claimed. */
  readonly runId: string;
  /** The work and the run from before the claim; the latter is `null`, or was cut off by a crash. */
  readonly work: WorkRecord | null;
  readonly run: RunRecord | null;
}

/** A run has ended (A3, A6). `work` is `null` after a success. */
export interface EndChange {
  readonly name: string;
  readonly runId: string;
  /** The instant at which the callback was called: cursor and last attempt. */
  readonly calledAt: number;
  readonly endedAt: number;
  readonly outcome: 'success' | 'failure';
  /** For a failure, when to retry; `null` for a success. */
  readonly pendingRetryUntil: number | null;
  readonly work: WorkRecord | null;
}

/**
 * A clock step moved a cursor or a deadline (B5), or a minute rolled over under `initialize` (D6). Only a task that is not running
 * is moved, so there is no run to name but one that was cut off. `runId` and `lastAttemptAt` together say which record was moved:
 * one that has not been started since. A move changes neither of them, so it can be repeated, and a later move needs no earlier one.
 */
export interface MoveChange {
  readonly name: string;
  /** The run that the record shows: one that was cut off, or `null`. */
  readonly runId: string | null;
  /** The last start that the record shows. */
  readonly lastAttemptAt: number | null;
  readonly servedThrough: number;
  readonly pendingRetryUntil: number | null;
}

/** A registration changed under a name that stays (E4). */
export interface ConfigureChange {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
}

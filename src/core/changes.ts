/**
 * What can happen to a stored record. The core decides it, the scheduler hands it over, a store makes it durable.
 *
 * A change names what it was made from, so that a store can refuse a change that comes too late (`Refusal` in the Store port). A start, a move
 * and a configuration name the version of the record (K2). An end and an unstart name their run (K4). A pause names nothing.
 */
import type { EndOutcome, RunError } from './history.ts';
import type { Reason, RunRecord, StartedRun, WorkRecord } from './record.ts';

/** Many changes. They may be made one at a time as they are asked for, from columns; a list is fine too. */
export interface Many<Change> extends Iterable<Change> {
  readonly length: number;
}

/** A run is claimed: it may be called once this is durable (A4). */
export interface StartChange {
  readonly name: string;
  readonly work: WorkRecord;
  readonly run: StartedRun;
  /** The version of the record that the claim was decided by (K2). */
  readonly version: number;
}

/** A claim is taken back: the callback was never called. What was there before comes back. */
export interface UnstartChange {
  readonly name: string;
  /** The run that was claimed. */
  readonly runId: string;
  /** The work and the run from before the claim; the latter is `null`, or was cut off by a crash. */
  readonly work: WorkRecord | null;
  readonly run: RunRecord | null;
  /** The requests that the claim had answered, where several schedulers share the store: they are open again (I1). */
  readonly requests?: readonly string[];
}

/**
 * A run has ended (A3, A6). It says all that the history keeps of the run (J1). If a retry waits, the work goes on; otherwise it is
 * over, and the record has none. If a stop has interrupted the run, the work goes on too, and the record keeps the run as one that was cut off (A13):
 * `leftByStop` says what the record has then.
 */
export interface EndChange {
  readonly name: string;
  readonly runId: string;
  readonly instanceId: string;
  readonly reason: Reason;
  /** What the run worked on. */
  readonly work: WorkRecord;
  /** The instant at which the callback was called: the last attempt. */
  readonly calledAt: number;
  /**
   * The cursor from this end on, where it is not the instant of the call: the end of a run that skips what comes due meanwhile serves all of it (H9),
   * and a clock step or a resume during the run has moved the cursor (B5, I3).
   */
  readonly servedThrough?: number;
  readonly endedAt: number;
  readonly outcome: EndOutcome;
  /** When to retry; `null` if the work is over. */
  readonly pendingRetryUntil: number | null;
  /** Failures in a row, this end included, and when the first of them ended (J3). */
  readonly failures: number;
  readonly failingSince: number | null;
  /** `null` for a success, and for a run that was interrupted. */
  readonly error: RunError | null;
}

/** An `initialize` has found a run whose instance is dead (E6): the record stays as it is but for that, and the history has it (J1). */
export interface CutOffChange {
  readonly name: string;
  readonly runId: string;
  readonly at: number;
}

/** A clock step moved a cursor or a deadline (B5), a due was skipped (H4, H9), or a task goes on after a pause (I3). Only an idle task is moved. */
export interface MoveChange {
  readonly name: string;
  /** The version of the record that the move was decided by (K2). */
  readonly version: number;
  readonly servedThrough: number;
  readonly pendingRetryUntil: number | null;
}

/** An operator has paused a task, or lets it go on (I3). */
export interface PauseChange {
  readonly name: string;
  /** Since when; `null` if it is not paused any more. */
  readonly pausedAt: number | null;
  /**
   * The request that asks for it, where several schedulers share the store. It counts only while that is not answered: sent a second time, it
   * would undo what another one was asked for meanwhile (E9, I1).
   */
  readonly request?: string;
}

/** A registration changed under a name that stays (E4). */
export interface ConfigureChange {
  readonly name: string;
  /** The version of the record that the configuration takes the place of (K2). */
  readonly version: number;
  readonly cron: string;
  readonly retryDelayMs: number;
  readonly policy: string | null;
}

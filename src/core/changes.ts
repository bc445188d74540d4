/** What can happen to a stored record. The core decides it, the scheduler hands it over, a store makes it durable. */
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
  readonly work: WorkRecord | null;
  readonly run: RunRecord | null;
}

/** A run has ended (A3, A6). `work` is `null` after a success. */
export interface EndChange {
  readonly name: string;
  /** The instant at which the callback was called: cursor and last attempt. */
  readonly calledAt: number;
  readonly endedAt: number;
  readonly outcome: 'success' | 'failure';
  /** For a failure, when to retry; `null` for a success. */
  readonly pendingRetryUntil: number | null;
  readonly work: WorkRecord | null;
}

/** A clock step moved a cursor or a deadline (B5). */
export interface MoveChange {
  readonly name: string;
  readonly servedThrough: number;
  readonly pendingRetryUntil: number | null;
}

/** A registration changed under a name that stays (E4). */
export interface ConfigureChange {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
}

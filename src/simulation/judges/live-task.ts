/** One task of a living process, as the model knows it. */
import type { TaskRecord } from '../../core/record.ts';
import type { RunDetails } from './judge.ts';

/** When a task is to be tried again, and whether a clock step has moved that or the cursor since the task was claimed. */
export interface Retry {
  readonly at: number | null;
  readonly isMoved: boolean;
}

export interface Claim {
  /** What the callback must be given. */
  readonly promised: RunDetails;
  /** The record as it must be if the callback is not called. A clock step changes it. */
  readonly before: TaskRecord;
  /** A clock step has changed it. */
  readonly isMoved: boolean;
}

export interface LiveTask {
  record: TaskRecord;
  orphaned: boolean;
  phase: 'idle' | 'claimed' | 'running';
  /** While it is claimed. */
  claim: Claim | undefined;
  /** While it runs: where its cursor will be at the end, if the clock was set back meanwhile. */
  cursorAtEnd?: number | undefined;
  /** When the store refused its start, by the wall clock, until it is called. */
  refusedAt?: number | undefined;
  /** Another scheduler has taken over a run of the task in this life, so what is known here need not be what is stored. */
  overtaken?: boolean;
  /**
   * The clock was set back since the task was last claimed. If it was in the queue then, it has kept its place there, although by
   * the new time nothing is due yet.
   */
  mayBeQueued?: boolean;
  /** When the task last became idle, in `passed`. */
  idleSince: number;
}

/** One task of a living process, as the model knows it. */
import type { TaskRecord } from '../../core/record.ts';
import type { EndChange } from '../../store/port.ts';
import type { RunDetails, RunEnd, SeenContext, WorldTime } from './judge.ts';

/** When a task is to be tried again, and whether a clock step has moved that or the cursor since the task was claimed. */
export interface Retry {
  readonly at: number | null;
  readonly isMoved: boolean;
}

export interface Claim {
  /** What the callback must be given. */
  readonly promised: RunDetails;
  /** The record as it must be if the callback is not called. A clock step changes it, and so does a resume. */
  readonly before: TaskRecord;
  /** Something has changed it. */
  readonly isMoved: boolean;
  /** The registration that the list had when it was claimed (I5). */
  readonly began: Registered;
}

export type Registered = Pick<TaskRecord, 'cron' | 'retryDelayMs' | 'policy'>;

/** How long a run has taken: timers follow `passed`, and come late if the process could not compute. */
export interface Elapsed {
  readonly most: number;
  /** Without the time in which no timer could come. */
  readonly least: number;
}

export const elapsed = (
  { calledPassed, calledBurnt }: LiveRun,
  { passed, burnt }: Pick<WorldTime, 'passed' | 'burnt'>,
): Elapsed => ({
  most: passed - calledPassed,
  least: passed - calledPassed - (burnt - calledBurnt),
});

/** A run, from its call to the record of its end. */
export interface LiveRun {
  readonly runId: string;
  readonly seen: SeenContext;
  /** By the wall clock; in `passed`; and in how much of that time nothing could compute. */
  readonly calledAt: number;
  readonly calledPassed: number;
  readonly calledBurnt: number;
  /** The registration under which it began. */
  readonly began: Registered;
  /** An operator has asked for its end (I4). */
  isCancelled: boolean;
  /** How long it had taken when a stop came, if one has (A13). */
  atStop: Elapsed | undefined;
  /** The last due that the scheduler has said is skipped by its end (H9). */
  toldSkip?: number;
  /** How its callback ended, once it has. */
  over: RunEnd | undefined;
}

/** A run that is called now. */
export function begun(
  runId: string,
  seen: SeenContext,
  { cron, retryDelayMs, policy }: Registered,
  time: WorldTime,
): LiveRun {
  const { now: calledAt, passed: calledPassed, burnt: calledBurnt } = time;
  const nothing = { isCancelled: false, over: undefined, atStop: undefined };
  const began = { cron, retryDelayMs, policy };
  return { runId, seen, calledAt, calledPassed, calledBurnt, began, ...nothing };
}

/** How the last run of a task ended, as an event must say it. */
export interface LastEnd extends RunEnd {
  readonly outcome: EndChange['outcome'];
  readonly isTimedOut: boolean;
  readonly isAbandoned: boolean;
  readonly retryAt: number | null;
}

export interface LiveTask {
  record: TaskRecord;
  orphaned: boolean;
  /** Since when an operator wants a run (I2), in `passed`. */
  requestedSince: number | undefined;
  phase: 'idle' | 'claimed' | 'running';
  /** While it is claimed. */
  claim: Claim | undefined;
  /** While it runs. */
  run: LiveRun | undefined;
  /** While it runs: where its cursor is, if the clock was set back or the task resumed meanwhile. */
  cursorAtEnd?: number | undefined;
  /** The last due that the scheduler has said is too old, in this life (H4). */
  toldTooOld?: number | undefined;
  /** When the store refused its start, by the wall clock, until it is called. */
  refusedAt?: number | undefined;
  /** Another scheduler has taken over a run of the task in this life, so what is known here need not be what is stored. */
  overtaken?: boolean;
  /**
   * The clock was set back or the task was paused since the task was last claimed. If it was in the queue then, it has kept its
   * place there, although nothing is due yet.
   */
  mayBeQueued?: boolean;
  /** When the task last became idle, in `passed`. */
  idleSince: number;
}

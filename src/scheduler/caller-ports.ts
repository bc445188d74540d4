/** What the caller of callbacks needs of the others. */
import type { EndOutcome, RunError } from '../core/history.ts';
import type { StoreSession } from '../store/port.ts';
import type { Clock } from '../time/clock.ts';
import type { TraceSink } from '../trace/record.ts';
import type { Ended } from './call-report.ts';
import type { Emit, Lateness } from './events.ts';
import type { FailureLog } from './failure-log.ts';
import type { Logger } from './options.ts';
import type { Sizes } from './sizes.ts';

export interface CallerOptions {
  readonly clock: Clock;
  readonly instanceId: string;
  readonly emit: Emit;
  readonly session: StoreSession;
  /** Where the store is, by which a listener of a channel knows the scheduler. */
  readonly location: string;
  readonly trace: TraceSink | undefined;
  readonly sizes: Sizes;
  readonly logger: Logger;
  readonly failureLog: FailureLog;
  /** Whether what a callback throws is kept as text, or only by its name (J3). */
  readonly recordErrors: boolean;
}

/** The engine, as far as the caller needs it. */
export interface CallerPorts {
  /** How long a task has been owed its call. Asked before `latenessOf`. */
  lateMsOf(task: number, calledAt: number): number;
  /** Where the time went, if a task is called late. Asked once per call. */
  latenessOf(task: number, claimedAt: number, durableAt: number, calledAt: number): Lateness | undefined;
  /** A task is called. */
  called(task: number, at: number): void;
  /** A run is over; answers when that was, and how it counts. `error` is `null` for a success. */
  ended(task: number, outcome: EndOutcome, error: RunError | null): Ended;
  /** A run is over, and a transaction of the user has made its success durable (K8). */
  completed(task: number, endedAt: number): Ended;
  /** Reads the clock, which may have been set since the last slice. */
  readClock(): void;
}

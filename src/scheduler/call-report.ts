/**
 * Says what becomes of calls: to the trace, to the listeners of events, and to the log of failures. It also remembers which callback held
 * the event loop, so that a late start can name it.
 */
import type { EndOutcome } from '../core/history.ts';
import { orNull } from '../core/rows.ts';
import type { Tasks } from '../core/tasks.ts';
import type { NamedRun } from '../core/work-columns.ts';
import { TaskCancelledError, TaskTimeoutError } from '../errors.ts';
import { StoreLostError } from '../store/errors.ts';
import { channelsOf } from './channels.ts';
import { isStop, type LazyContext } from './context.ts';
import type { EngineOptions } from './engine-options.ts';
import type { EventDetails, Lateness } from './events.ts';

/** A callback that holds the loop for longer than this is remembered as a suspect. */
const SUSPECT_MS = 50;
/** What a call, a success and a failure may emit. */
const CALLED = channelsOf('TaskRunStarted', 'TaskRetryStarted', 'TaskRetryPreempted', 'TaskStartedLate');
const SUCCEEDED = channelsOf('TaskRunCompleted');
const FAILED = channelsOf('TaskRunFailed', 'TaskGaveUp', 'TaskRunInterrupted');

type Interrupted = Omit<EventDetails['TaskRunInterrupted'], 'durationMs'>;

/** When a run ended, and how. */
export interface Ended {
  readonly at: number;
  readonly outcome: EndOutcome;
}

/** Why the signal of a run was aborted, in order, and whether its callback has ever asked for the signal. */
export interface Aborted {
  readonly reasons: readonly unknown[];
  readonly signal: 'taken' | 'not taken';
}

/**
 * How a run ended badly, by why its signal was aborted, in order. What an operator has cancelled is not retried, whatever else has happened (I4). A
 * stop interrupts a run, if the callback had taken the signal (A13); what has taken too long before the stop has timed out all the same. A run that
 * was fenced is cut off already, and not interrupted (K4).
 */
export function failureKind({ reasons, signal }: Aborted): EndOutcome {
  if (reasons.some((reason) => reason instanceof TaskCancelledError)) return 'cancelled';
  const isFenced = reasons.some((reason) => reason instanceof StoreLostError);
  const mayInterrupt = signal === 'taken' && !isFenced;
  for (const reason of reasons) {
    if (reason instanceof TaskTimeoutError) return 'timed out';
    if (mayInterrupt && isStop(reason)) return 'interrupted';
  }
  return 'failure';
}

export class CallReport {
  readonly #options: EngineOptions;
  readonly #tasks: Tasks;
  /** When this slice began, by the clock that is never set. */
  #heldFrom = 0;
  /** The callback that was called last in this slice, and when. */
  #calling: string | undefined;
  #callingSince = 0;
  #suspect: { readonly task: string; readonly until: number } | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
    this.#tasks = options.tasks;
  }

  /** Several callbacks are called, one after the other. */
  beginSlice(): void {
    this.#heldFrom = this.#options.clock.monotonic();
    this.#calling = undefined;
  }

  /** A callback is about to be called: the time since the one before it is that one's, but for some microseconds. */
  calling(task: string, at: number): void {
    this.#lookAtLast(at);
    this.#calling = task;
    this.#callingSince = at;
  }

  endSlice(): void {
    this.#lookAtLast(this.#options.clock.now());
  }

  /** A callback that has held the loop for long is remembered. The clock that is never set is asked only then: each reading counts here. */
  #lookAtLast(at: number): void {
    if (this.#calling === undefined || !(at - this.#callingSince > SUSPECT_MS)) return;
    const until = this.#options.clock.monotonic();
    if (until - this.#heldFrom > SUSPECT_MS) this.#suspect = { task: this.#calling, until };
  }

  /** A task is called, `lateness` after it should have been. */
  called(
    task: string,
    run: NamedRun,
    calledAt: number,
    retryWaited: number,
    lateMs: number,
    lateness: Lateness | undefined,
  ): void {
    const { emit, failureLog } = this.#options;
    if (lateness !== undefined) failureLog.late(task, lateness);
    // The names of a run are put together when they are asked for.
    if (!emit.isHeard(CALLED)) return;
    const { runId, key, scheduledFor, attempt, reason } = run;
    if (reason === 'due' && !Number.isNaN(retryWaited))
      emit('TaskRetryPreempted', calledAt, { task, pendingRetryUntil: retryWaited });
    const event = { task, reason, key, scheduledFor, attempt, runId, lateMs };
    emit(reason === 'retry' ? 'TaskRetryStarted' : 'TaskRunStarted', calledAt, event);
    if (lateness === undefined) return;
    emit('TaskStartedLate', calledAt, { task, runId, ...lateness, ...this.#culpritFor(lateness.lateMs) });
  }

  /** `completedAt` is given if the run ended before its callback (K8). */
  succeeded(
    context: LazyContext,
    calledAt: number,
    at: number,
    failuresBefore: number,
    completed: { readonly completedAt?: number } = {},
  ): void {
    const { emit, trace, failureLog, instanceId: instance } = this.#options;
    const { name: task } = context;
    trace?.({ event: 'RunSuccess', at, task, runId: context.runId, instance, ...completed });
    if (failuresBefore > 0) failureLog.recovered(task, failuresBefore);
    if (emit.isHeard(SUCCEEDED))
      emit('TaskRunCompleted', at, { task, runId: context.runId, durationMs: at - calledAt });
  }

  failed(
    task: number,
    { name, runId, attempt }: LazyContext,
    calledAt: number,
    error: unknown,
    { at, outcome }: Ended,
  ): void {
    if (outcome === 'success') return;
    if (outcome === 'interrupted') {
      this.#interrupted({ task: name, runId, attempt, error }, at, calledAt);
      return;
    }
    const { emit, trace, failureLog, instanceId: instance } = this.#options;
    const how = outcome === 'failure' ? {} : { outcome };
    trace?.({ event: 'RunFailure', at, task: name, runId, instance, ...how });
    const failures = this.#tasks.failuresOf(task);
    const pendingRetryUntil = orNull(this.#tasks.retryOf(task));
    if (outcome === 'cancelled') failureLog.cancelled(name, attempt);
    else failureLog.failed({ task: name, attempt, outcome, error, failures, nextTryAt: pendingRetryUntil });
    if (!emit.isHeard(FAILED)) return;
    const failed = { task: name, runId, attempt, error };
    emit('TaskRunFailed', at, { ...failed, durationMs: at - calledAt, outcome, pendingRetryUntil });
    if (outcome === 'gave up') emit('TaskGaveUp', at, failed);
  }

  /** A13: no failure, so no line at `error`, and no stack. */
  #interrupted(run: Interrupted, at: number, calledAt: number): void {
    const { emit, trace, failureLog, instanceId: instance } = this.#options;
    const { task, runId, attempt } = run;
    trace?.({ event: 'RunInterrupted', at, task, runId, instance });
    failureLog.interrupted(task, attempt);
    if (emit.isHeard(FAILED)) emit('TaskRunInterrupted', at, { ...run, durationMs: at - calledAt });
  }

  /** Who held the loop within the time that was lost. */
  #culpritFor(lateMs: number): { culprit?: string } {
    const suspect = this.#suspect;
    if (suspect === undefined || this.#options.clock.monotonic() - suspect.until > lateMs) return {};
    return { culprit: suspect.task };
  }
}

/** What a scheduler reports while it works (G4). Nothing depends on it: what a listener throws or rejects with is ignored. */
import type { Reason } from '../core/record.ts';
import { callGuest } from './guests.ts';

interface TaskEvent {
  readonly task: string;
  readonly runId: string;
}

interface StartEvent extends TaskEvent {
  readonly key: string;
  /** The due instant that is served, in epoch milliseconds. */
  readonly scheduledFor: number;
  readonly attempt: number;
  readonly reason: Reason;
}

/** Each event's name, and what it carries in addition to `at`, its instant. */
export interface EventDetails {
  SchedulerInitializationStarted: { readonly registrations: number };
  SchedulerInitializationCompleted: {
    readonly added: readonly string[];
    readonly overridden: readonly string[];
    readonly orphaned: readonly string[];
    readonly removed: readonly string[];
  };
  SchedulerInitializationFailed: { readonly error: unknown };
  PollingStarted: object;
  PollingStopRequested: object;
  PollingStopped: object;
  SchedulerStopRequested: { readonly running: number };
  SchedulerStopped: { readonly error?: unknown };
  TaskRunStarted: StartEvent;
  TaskRetryStarted: StartEvent;
  /** A due instant came before the retry that was waiting (A8); `TaskRunStarted` follows. */
  TaskRetryPreempted: { readonly task: string; readonly pendingRetryUntil: number };
  TaskRunCompleted: TaskEvent & { readonly durationMs: number };
  TaskRunFailed: TaskEvent & {
    readonly durationMs: number;
    readonly error: unknown;
    readonly pendingRetryUntil: number;
  };
  /** A callback was called later than it was owed by more than the `lateAfterMs` option. */
  TaskStartedLate: TaskEvent & Lateness;
  /** The store did not take or answer something; what waits for it is tried again (E8). */
  StoreTroubleStarted: { readonly error: unknown };
  StoreTroubleEnded: { readonly sinceMs: number };
  /**
   * The store did not write a change, because its run is not the current run of the task: another scheduler has taken it over. What
   * the callback has done is done; what the store holds of the task stands. `runId` is `null` for the move of a task that has no run.
   */
  TaskChangeRefused: {
    readonly task: string;
    readonly runId: string | null;
    readonly change: 'end' | 'unstart' | 'move';
  };
  /** The wall clock was stepped: `from` is what it should have shown (B5). */
  ClockStepped: { readonly from: number; readonly to: number };
}

/** Where the time went between an obligation and its start. What the three parts leave passed between durability and the call. */
export interface Lateness {
  /**
   * Since the first due instant or retry deadline that this start serves; not counted are the times before this life of the
   * scheduler began and before the task's own last run ended (A5).
   */
  readonly lateMs: number;
  /** Until the loop noticed: a callback held it, or the machine slept. */
  readonly unnoticedMs: number;
  /** In the run queue, until a worker was free (with a bound on `workers`). */
  readonly queuedMs: number;
  /** Until the start was durable, and the batch before it if that was in the way. */
  readonly storeMs: number;
  /** The task whose callback held the event loop meanwhile, if one was seen to; run such work `inThread`. */
  readonly culprit?: string;
}

/** The name of an event. */
export type EventName = keyof EventDetails;
/** An event, as `onEvent` gets it: its name as `type`, its instant `at` in epoch milliseconds, and its details. */
export type SchedulerEvent = {
  [Name in EventName]: { readonly type: Name; readonly at: number } & EventDetails[Name];
}[EventName];

export type Emit = <Name extends EventName>(type: Name, at: number, details: EventDetails[Name]) => void;

/** An `emit` that hands events to a listener and survives what the listener does. */
export function createEmit(listener: ((event: SchedulerEvent) => void) | undefined): Emit {
  if (listener === undefined) return () => {};
  return (type, at, details) =>
    // The compiler cannot see that a name and its own details make one member of the union.
    callGuest(() => listener({ type, at, ...details } as unknown as SchedulerEvent));
}

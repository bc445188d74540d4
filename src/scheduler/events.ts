/** What a scheduler reports while it works (G4). Nothing depends on it: what a listener throws or rejects with is ignored. */
import type { EndOutcome } from '../core/history.ts';
import type { Reason } from '../core/record.ts';

/** What every event of a run carries. */
export interface TaskEvent {
  readonly task: string;
  readonly runId: string;
}

/** What every event of a request carries (I1). */
export interface RequestEvent {
  readonly task: string;
  readonly request: string;
}

/** What the start of a run carries. */
export interface StartEvent extends TaskEvent {
  readonly key: string;
  /** The due instant that is served, in epoch milliseconds. */
  readonly scheduledFor: number;
  readonly attempt: number;
  readonly reason: Reason;
  /** How long it was owed before it was called, as in {@link Lateness}; 0 for a start that is on time. */
  readonly lateMs: number;
}

/** Each event's name, and what it carries in addition to `at`, its instant. */
export interface EventDetails {
  SchedulerInitializationStarted: { readonly registrations: number };
  /** Another list while it runs (I5); `SchedulerInitializationCompleted` or `…Failed` follows. */
  SchedulerReinitializationStarted: { readonly registrations: number };
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
    readonly attempt: number;
    readonly outcome: Exclude<EndOutcome, 'success' | 'interrupted'>;
    readonly error: unknown;
    /** When it is tried again; `null` if not before it is due. */
    readonly pendingRetryUntil: number | null;
  };
  /**
   * A stop has ended the run (A13): it has not failed, and starts again as soon as a scheduler that has the task is active. `attempt` is not used up.
   */
  TaskRunInterrupted: TaskEvent & {
    readonly durationMs: number;
    readonly attempt: number;
    /** What the callback threw. */
    readonly error: unknown;
  };
  /** The last attempt that the policy of a task allows has failed (H2). It follows `TaskRunFailed`. */
  TaskGaveUp: TaskEvent & { readonly attempt: number; readonly error: unknown };
  /**
   * A due instant is not served, and neither are those before it: it is older than the policy allows (H4), or came while the task ran, whose end has
   * served it (H9). Nothing is stored of one that is too old, so the next scheduler may say so again.
   */
  TaskDueSkipped: { readonly task: string; readonly dueAt: number; readonly why: 'late' | 'running' };
  /** What an operator asked for was taken in (I1). `request` is its identity. */
  TaskRunRequested: RequestEvent;
  TaskPaused: RequestEvent;
  TaskResumed: RequestEvent & { readonly catchUp: boolean };
  TaskCancelRequested: RequestEvent;
  /** A run has ended for the scheduler, but its callback still goes on: it may overlap the next start (H6). */
  TaskAbandoned: TaskEvent;
  /** A callback was called later than it was owed by more than the `lateAfter` option. */
  TaskStartedLate: TaskEvent & Lateness;
  /** The store did not take or answer something; what waits for it is tried again (E8). */
  StoreTroubleStarted: { readonly error: unknown };
  StoreTroubleEnded: { readonly sinceMs: number };
  /**
   * Another scheduler has taken the store over, though this one had not let go of it (E6). Nothing starts here any more, the signals of
   * what runs are aborted, and `stop` will reject. Call it, and end the process.
   */
  StoreLost: { readonly error: Error };
  /**
   * The store did not write a change, because its run is not the current run of the task: another scheduler has taken it over. What
   * the callback has done is done; what the store holds of the task stands. `runId` is `null` for the move of a task that has no run.
   */
  TaskChangeRefused: {
    readonly task: string;
    readonly runId: string | null;
    readonly change: 'end' | 'unstart' | 'move';
  };
  /** Another program has deleted the record of a task. The task stops until the next initialize, which brings it back as new; all others go on (E7). */
  TaskSetAside: { readonly task: string; readonly error: Error };
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

/** What an event needs of its channel, one of `node:diagnostics_channel`. */
export interface EventChannel {
  readonly hasSubscribers: boolean;
  publish(message: unknown): void;
}

export interface Emit {
  <Name extends EventName>(type: Name, at: number, details: EventDetails[Name]): void;
  /** Whether anybody would get an event of these channels (`channelsOf`): if not, there is nothing to put together. */
  isHeard(channels: readonly EventChannel[]): boolean;
}

/**
 * What a scheduler publishes through `node:diagnostics_channel`, for monitoring that is not handed to `createScheduler`. A channel without
 * subscribers costs one question, and no message is put together for it.
 *
 *     obbligato:<EventName>     one channel per type of event; the message is the event, with `store`
 *     tracing:obbligato:run:*   a tracing channel around each call of a callback: start, end, asyncStart, asyncEnd, error
 *     obbligato:store.commit    a batch is durable
 *
 * What a subscriber throws becomes an uncaught exception of its process, by Node's own rule for these channels.
 */
import { channel, tracingChannel } from 'node:diagnostics_channel';
import type { Reason } from '../core/record.ts';
import { isThenable, settled } from '../executor/thenable.ts';
import type { Batch } from '../store/port.ts';
import type { EventChannel, EventName, SchedulerEvent } from './events.ts';

/** What the channel of an event carries: the event, and the location of the scheduler's store. */
export type EventMessage = SchedulerEvent & { readonly store: string };

/** What the tracing channel `obbligato:run` carries. It is the same object from the start of a run to its end. */
export interface RunMessage {
  readonly store: string;
  readonly task: string;
  readonly runId: string;
  readonly key: string;
  /** The due instant that is served, in epoch milliseconds. */
  readonly scheduledFor: number;
  readonly attempt: number;
  readonly reason: Reason;
  /** What the callback threw or rejected with. What it returned is not published (G5). */
  error?: unknown;
}

/** What `obbligato:store.commit` carries. */
export interface CommitMessage {
  readonly store: string;
  /** From the call of `commit` to its answer. */
  readonly tookMs: number;
  readonly starts: number;
  readonly ends: number;
  /** All changes in the batch, of any kind. */
  readonly changes: number;
}

/** The names of all events. The compiler holds that none is missing. */
const NAMES: Readonly<Record<EventName, true>> = {
  SchedulerInitializationStarted: true,
  SchedulerReinitializationStarted: true,
  SchedulerInitializationCompleted: true,
  SchedulerInitializationFailed: true,
  PollingStarted: true,
  PollingStopRequested: true,
  PollingStopped: true,
  SchedulerStopRequested: true,
  SchedulerStopped: true,
  TaskRunStarted: true,
  TaskRetryStarted: true,
  TaskRetryPreempted: true,
  TaskRunCompleted: true,
  TaskRunFailed: true,
  TaskRunInterrupted: true,
  TaskGaveUp: true,
  TaskDueSkipped: true,
  TaskRunRequested: true,
  TaskPaused: true,
  TaskResumed: true,
  TaskCancelRequested: true,
  TaskAbandoned: true,
  TaskStartedLate: true,
  StoreTroubleStarted: true,
  StoreTroubleEnded: true,
  StoreLost: true,
  TaskChangeRefused: true,
  TaskSetAside: true,
  ClockStepped: true,
};

/** The name of every event, in the order in which they are documented. */
export const EVENT_NAMES = Object.keys(NAMES) as readonly EventName[];

/** The name of the channel of an event. */
export const eventChannel = (type: EventName): `obbligato:${EventName}` => `obbligato:${type}`;
/** The name of the tracing channel around each call of a callback. */
export const RUN_CHANNEL = 'obbligato:run';
/** The name of the channel on which durable batches are published. */
export const COMMIT_CHANNEL = 'obbligato:store.commit';

/** Kept for good: a channel that nothing refers to would be collected, and a second one made under its name. */
const EVENT_CHANNELS: ReadonlyMap<EventName, EventChannel> = new Map(
  EVENT_NAMES.map((type) => [type, channel(eventChannel(type))]),
);

/** The channels of some events, to be asked again and again whether anybody subscribes. */
export const channelsOf = (...types: readonly EventName[]): readonly EventChannel[] =>
  types.flatMap((type) => EVENT_CHANNELS.get(type) ?? []);

const runs = tracingChannel<unknown, RunMessage>(RUN_CHANNEL);
const commits = channel(COMMIT_CHANNEL);

/** Whether anybody subscribes to the tracing channel of runs. */
export const isRunTraced = (): boolean => runs.hasSubscribers;

/**
 * Calls a callback between the messages of the tracing channel, as Node's `tracePromise` does, with two differences: a callback that
 * returns no promise has ended when it returns, and nobody hears what it returned.
 */
export function traceRun(message: RunMessage, call: () => unknown): unknown {
  const failed = (error: unknown): void => {
    message.error = error;
    runs.error.publish(message);
  };
  const settling = (): void => {
    runs.asyncStart.publish(message);
    runs.asyncEnd.publish(message);
  };
  return runs.start.runStores(message, () => {
    try {
      const result = call();
      if (!isThenable(result)) return undefined;
      return settled(result).then(settling, (error) => {
        failed(error);
        settling();
        throw error;
      });
    } catch (error) {
      failed(error);
      throw error;
    } finally {
      runs.end.publish(message);
    }
  });
}

/** A batch is durable. */
export function publishCommit(store: string, batch: Batch, tookMs: () => number): void {
  if (!commits.hasSubscribers) return;
  const changes = Object.values(batch).reduce((sum, { length }) => sum + length, 0);
  const { starts = [], ends = [] } = batch;
  commits.publish({ store, tookMs: tookMs(), starts: starts.length, ends: ends.length, changes });
}

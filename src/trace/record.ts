/**
 * The observable alphabet: what the theory judges a scheduler by, one record an event. A sink is called synchronously, before
 * whatever the record speaks of goes on, so that a `RunStart` it has written cannot be lost to a killed process.
 *
 * There are two types of one thing. `WrittenRecord` is what our scheduler and its recorder write. `TraceRecord` is what a reader
 * may rely on: any scheduler's trace can be judged, and what a foreign one cannot know is optional. Every `WrittenRecord` is a
 * `TraceRecord`, so a sink may be written for either.
 */

/** A registration as it is recorded: all but the callback. */
export interface TracedRegistration {
  readonly name: string;
  readonly cron: string;
  readonly retryDelayMs: number;
}

/** A stretch of time, in epoch milliseconds. */
interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** What happens to a run. */
export type RunEvent = 'RunStart' | 'RunSuccess' | 'RunFailure' | 'StartDurable' | 'EndDurable';

/** One event of a trace, as a reader may rely on it; `at` and all instants are epoch milliseconds. */
export type TraceRecord = { readonly at: number } & (
  | {
      readonly event: 'InitStart';
      readonly call?: number;
      readonly registrations: readonly TracedRegistration[];
      readonly timeZone: string;
      readonly workers?: number;
      readonly instance?: string;
    }
  | {
      readonly event: 'InitSuccess';
      readonly call?: number;
      readonly instance?: string;
      /** When the plan was made, if that is not as good as now: cursors ahead of the clock were moved to it (B5). */
      readonly plannedAt?: number;
    }
  | {
      readonly event: 'InitFailure';
      readonly call?: number;
      readonly error?: string;
      /** What was at fault: the list, an active scheduler (D4), the store, or the host. */
      readonly fault?: 'list' | 'active' | 'store' | 'host';
      readonly valid: boolean;
    }
  | { readonly event: 'StopStart'; readonly call?: number }
  | { readonly event: 'StopEnd'; readonly call?: number; readonly error?: string }
  | { readonly event: RunEvent; readonly task: string; readonly runId?: string; readonly instance?: string }
  /** The process died without a stop. The recorder of the next one writes this. */
  | { readonly event: 'UnexpectedShutdown'; readonly instance?: string }
  /** No compute: nothing could be asked of the scheduler. `task` is whose callback held the event loop, where that is known. */
  | ({ readonly event: 'Frozen'; readonly task?: string } & Stretch)
  | ({ readonly event: 'Compute'; readonly units: number } & Stretch)
  | ({ readonly event: 'ClockStep' } & Stretch)
  | ({ readonly event: 'StoreTrouble'; readonly error?: string } & Stretch)
);

/** The name of an event in a trace. */
export type TraceEvent = TraceRecord['event'];

/** The record of an event. */
type Of<Event extends TraceEvent> = Extract<TraceRecord, { readonly event: Event }>;
/** The record of an event with these of its optional fields always there. */
type With<Event extends TraceEvent, Field extends string> = Of<Event> &
  Required<Pick<Of<Event>, Field & keyof Of<Event>>>;

/** One event as our scheduler and its recorder write it: what only they can know is always there. */
export type WrittenRecord =
  | With<'InitStart', 'call'>
  | With<'InitSuccess', 'call' | 'instance'>
  | With<'InitFailure', 'call' | 'error'>
  | With<'StopStart' | 'StopEnd', 'call'>
  | With<RunEvent, 'runId' | 'instance'>
  | Of<'UnexpectedShutdown' | 'Frozen' | 'Compute' | 'ClockStep'>
  | With<'StoreTrouble', 'error'>;

/** Called with each record, synchronously, before what the record speaks of goes on. */
export type TraceSink = (record: WrittenRecord) => void;

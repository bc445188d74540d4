/** What shows what happens while a schedule runs: a live view, log lines, or JSON Lines. */
import type { StoredPolicy } from '../../config.ts';
import type { SchedulerEvent, TaskRecord } from '../../index.ts';
import type { Verdict, Violation } from '../../theory/index.ts';

/** A line that a callback or its program has written; without a task, if it is not known whose it is. */
export interface WrittenLine {
  readonly task?: string;
  readonly stream: 'stdout' | 'stderr';
  readonly line: string;
}

/** What `run` itself has to say, in addition to the scheduler's events. */
export type Notice =
  | { readonly type: 'StopWaiting'; readonly at: number; readonly waitingFor: readonly string[] }
  | { readonly type: 'LeftAtOnce'; readonly at: number; readonly interrupted: readonly string[] }
  /** The configuration is loaded again, because it was asked for or the file has changed. */
  | { readonly type: 'Reloading'; readonly at: number; readonly why: 'asked' | 'changed' }
  /** Where the metrics can be scraped. */
  | { readonly type: 'MetricsServed'; readonly at: number; readonly url: string }
  /** The page is served here. */
  | { readonly type: 'Serving'; readonly at: number; readonly url: string }
  | { readonly type: 'Trouble'; readonly at: number; readonly message: string }
  /** So many lines of this very output could not be written, and why; now there is room again. */
  | { readonly type: 'OutputLost'; readonly at: number; readonly lines: number; readonly reason: string }
  /** The monitor has found something: `at` is when it did, the violation has an instant of its own. */
  | { readonly type: 'Violation'; readonly at: number; readonly violation: Violation }
  /** The monitor's verdict, when it changes and at the end. */
  | { readonly type: 'Verdict'; readonly at: number; readonly verdict: Verdict };

export interface Reporter {
  event(event: SchedulerEvent): void;
  output(line: WrittenLine, at: number): void;
  notice(notice: Notice): void;
  /** Takes what the store knew of the tasks when the schedule began. */
  remember?(records: readonly TaskRecord[]): void;
  /** The schedule has another list of tasks now. */
  relist?(tasks: ScheduleFacts['tasks']): void;
  /** The last word is said; whatever was done to the terminal is undone. Called more than once it does nothing more. */
  close(): void;
}

/** What a reporter knows of the schedule before it begins. */
export interface ScheduleFacts {
  readonly tasks: ReadonlyArray<{
    readonly name: string;
    readonly cron: string;
    readonly policy?: StoredPolicy;
  }>;
  readonly store: string;
  readonly config: string;
  readonly timeZone: string;
  /** What becomes of the state when the process ends; `kept` if it is not said. */
  readonly afterwards?: 'kept' | 'forgotten';
  /** By which somebody can signal it from elsewhere. */
  readonly pid: number;
}

type EndOfRun = Extract<
  SchedulerEvent,
  { type: 'TaskRunCompleted' | 'TaskRunFailed' | 'TaskRunInterrupted' }
>;

/** Whether a run is over, however it ended. */
export const isEndOfRun = (event: SchedulerEvent): event is EndOfRun =>
  event.type === 'TaskRunCompleted' || event.type === 'TaskRunFailed' || event.type === 'TaskRunInterrupted';

/**
 * What a store that several schedulers share brings along for each of them (K1): what to do about the others, and the ends that users commit
 * in transactions of their own. It comes with the store, so that a program on one file does not carry it.
 */
import type { EndChange } from '../../core/changes.ts';
import type { CutOffRun } from '../../core/cut-off-run.ts';
import type { Reason, TaskRecord } from '../../core/record.ts';
import type { Clock } from '../../time/clock.ts';

/** What a heartbeat has found. */
export interface News {
  /** Instances have come or gone. */
  readonly members?: { readonly gone: number };
  /** Another `initialize` has changed records (K5). */
  readonly isStale?: true;
  /** By how much the store's clock is ahead of the host's, in milliseconds. */
  readonly aheadMs?: number;
}

/** Whom of its tasks a scheduler asks for, and when, as one of several (K7). It decides no start: the store does, by the claim. */
export interface ClusterView {
  /** Whether another instance is the first to start a task that is due. */
  isOthers(task: number): boolean;
  /** The list was edited: these tasks are others than before, and those are gone. */
  edited(changed: readonly number[], gone: readonly number[]): void;
  /** Looks after a grace whether a due was served. */
  lookLater(task: number): void;
  /** A change of an idle task was refused, and this is the record. */
  refused(task: number, record: TaskRecord | undefined): void;
  /** Resolves when the tasks are as the store has them; not at all if this view is over before. */
  refresh(names: readonly string[]): Promise<void>;
  news(news: News): void;
  /** Looks for what other instances have left: one of them may have given up a name whose retry it knew of alone. */
  lookForLeft(): void;
  /** Nothing is asked for any more. */
  stop(): void;
}

/** The tasks of a scheduler, by number, as far as a view needs them. */
export interface ViewedTasks {
  readonly count: number;
  /** The number of a task that the list has; -1 if there is none. */
  find(name: string): number;
  isListed(task: number): boolean;
  nameOf(task: number): string;
  isPaused(task: number): boolean;
  pause(task: number): void;
  resume(task: number): void;
  /** The version that a claim of an idle task is decided by; `NaN` for none (K2). */
  versionOf(task: number): number;
  setVersion(task: number, version: number): void;
  /** Whether a record has the configuration of the list. */
  hasConfigurationOf(task: number, record: TaskRecord): boolean;
  /** Through which instant its dues are served, as far as is known here. */
  cursorOf(task: number): number;
  /** Goes on from a record that another instance has changed. */
  follow(task: number, record: TaskRecord): void;
}

/** A scheduler, as far as a view needs it. */
export interface ViewedScheduler {
  readonly instanceId: string;
  readonly tasks: ViewedTasks;
  readonly clock: Clock;
  /** Whether a task is neither claimed nor running here. */
  isIdle(task: number): boolean;
  /** Whether a pause or a resume of a task that was asked for here is not durable yet. */
  isTurning(task: number): boolean;
  lastDue(task: number, now: number): number;
  isPending(task: number, now: number): boolean;
  /** The record of an idle task is another one: it may be pending. */
  look(task: number): void;
  /** An instance is gone; a run that was cut off may say so. */
  gone(gone: { readonly instance: string } | CutOffRun): void;
  /** A task is paused since an instant, and another instance was asked for that. */
  paused(name: string, since: number): void;
  warn(text: string): void;
}

/**
 * Where a statement is executed inside a transaction of yours: a client of `pg`, or a function that executes a statement there and answers
 * its rows, or an object that has them as `rows`.
 */
export type TransactionClient =
  | {
      query(config: {
        text: string;
        values: string[];
        types: { getTypeParser(): (value: unknown) => unknown };
      }): Promise<{ readonly rows: readonly unknown[] }>;
    }
  | ((text: string, values: readonly string[]) => PromiseLike<unknown>);

/** A run whose end is to be committed in a transaction of the user. */
export interface CompletedRun {
  readonly name: string;
  readonly key: string;
  readonly runId: string;
  readonly scheduledFor: Date;
  readonly attempt: number;
  readonly reason: Reason;
  /** Its callback has ended. */
  readonly isOver: boolean;
}

/** The runs of a scheduler whose ends are committed in transactions of the user (K8). */
export interface Completions {
  /** Writes the success of a run in the user's transaction. Rejects if the run is not current. */
  complete(task: number, run: CompletedRun, client: TransactionClient): Promise<void>;
  /**
   * The callback of a task is over. `undefined` if it completed nothing; otherwise resolves to the end of the run, if that was committed,
   * or to `undefined`.
   */
  settle(task: number): Promise<EndChange | undefined> | undefined;
  /** The store is not waited for any more. */
  stop(): void;
}

/** Its tasks, as far as its completions need them. */
export interface CompletingTasks {
  calledAt(task: number): number;
  /** Where the cursor of a task will be if its run ends at an instant. */
  servedByEnd(task: number, endedAt: number): number;
}

/** A scheduler, as far as its completions need it. */
export interface CompletingScheduler {
  readonly instanceId: string;
  readonly clock: Clock;
  readonly tasks: CompletingTasks;
  /** Chance, from 0 to 1, that waits are spread by. */
  spread(): number;
}

/**
 * The Store port: where task records live. A store that implements it and passes the conformance suite works with the
 * scheduler.
 *
 * A store is opened into a *session*, which owns the records until it is closed or the process dies: while it lasts, no
 * other session writes (E6). All writing is done in batches, each of them one transaction: all of it becomes durable, or nothing.
 *
 *     closed ──open──▶ owned ──commit, read──▶ owned ──close──▶ closed
 *        ▲                │
 *        └─ the process dies: the operating system lets go of the lock
 *
 * - `commit` resolves only when the batch is durable: it survives the death of the process and of the machine.
 * - `commit` is idempotent: the same batch again, whether or not it took effect the first time, leaves the same records (E9).
 * - If `commit` rejects, either nothing of the batch is durable or all of it that is not refused; `read` shows which.
 * - Commits of one session take effect in the order in which they were called.
 *
 * A change of a run can be refused, and the rest of its batch takes effect all the same. What a store must do:
 *
 *     change    is granted if                                              and again, with no effect, if
 *     end       its run is the current run of the task                     the record shows that end already
 *     unstart   its run is the current run of the task                     the record shows what it brings back
 *     move      the record shows the same run (or none) and last attempt   the record shows where it moves to
 *     start     the store grants it; the embedded stores always do         the record shows that run
 *
 * Everything else is refused: nothing of it is written, and the answer names it. So a scheduler that has lost a run, because another
 * one has taken the task over, cannot write over what the other did, however late its changes come. A refused change takes the
 * later changes of its task in that batch with it, since they were made on top of it.
 *
 * The embedded stores have one owner, who ends what it started; they refuse only if something else has changed their records.
 * A batch that is sent again gets the same answer, as long as it does not start a task that it also unstarts.
 */
import type {
  ConfigureChange,
  CutOffChange,
  EndChange,
  Many,
  MoveChange,
  StartChange,
  UnstartChange,
} from '../core/changes.ts';
import type { HistoryQuery, PastRun, Retention } from '../core/history.ts';
import type { TaskRecord } from '../core/record.ts';

export type {
  ConfigureChange,
  CutOffChange,
  EndChange,
  Many,
  MoveChange,
  StartChange,
  UnstartChange,
} from '../core/changes.ts';
export type { HistoryQuery, Outcome, PastRun, Retention, RunError } from '../core/history.ts';

/**
 * One transaction. It belongs to the caller, who may use its lists again once the commit is answered. The parts take effect in this order; a name may be in several of them, once in each. A move comes after the end or
 * the unstart that made its task idle.
 */
export interface Batch {
  /**
   * Runs whose instance is dead. Each leaves a row in the history, and its record remembers that, so that it leaves only one. If the
   * record shows another run, or remembers it already, there is nothing to do.
   */
  readonly cutOffs?: readonly CutOffChange[];
  readonly removes?: readonly string[];
  /** Whole records: inserted, or written over what is there. */
  readonly puts?: Many<TaskRecord>;
  readonly configures?: readonly ConfigureChange[];
  /** Each leaves a row in the history, unless it is refused or shows already. */
  readonly ends?: Many<EndChange>;
  readonly unstarts?: readonly UnstartChange[];
  readonly moves?: Many<MoveChange>;
  readonly starts?: Many<StartChange>;
}

/** A change that a store did not write: its run is not current, or, for a start, may not be. */
export interface Refusal {
  readonly change: 'end' | 'unstart' | 'move' | 'start';
  /** The task. */
  readonly name: string;
}

/** What a store answers to a batch that it has taken. */
export interface CommitResult {
  /** The changes that were refused, in any order. All others are durable. */
  readonly refused: readonly Refusal[];
}

/** A store that is open, and owned by the session until `close`. */
export interface StoreSession {
  /**
   * All records, or those of the given names (absent ones left out), as they are stored: not yet looked at, since a damaged
   * record is for the scheduler to report (E7).
   */
  read(names?: readonly string[]): Promise<readonly unknown[]>;
  /** All records, some at a time, for a store that has too many for one list; the same as `read()` otherwise. */
  readPages?(): AsyncIterable<readonly unknown[]>;
  /**
   * The tasks of this scheduler from now on, in the order of their numbers; all of them have a record. A store that knows its records
   * by numbers of its own can find them by these, where `starts` and `ends` are rows of numbers; a store that goes by names leaves it out.
   */
  enroll?(names: Many<string>): Promise<void>;
  /** Writes a batch as one, and resolves once it is durable. */
  commit(batch: Batch): Promise<CommitResult>;
  /** Lets go of everything, after the commits that were called before. Closing twice is harmless. */
  close(): Promise<void>;
}

/** How a store is to be opened. */
export interface OpenOptions {
  /** How long to wait for another owner to let go; 0 for not at all. */
  readonly waitMs: number;
  /** How much of the past to keep (J2); `false` for nothing. 30 days and a million runs by default. */
  readonly history?: Retention | false;
}

/** The port behind which records live. `storeConformance` has what a store must do. */
export interface Store {
  /** What to call it in messages: a file's path, or "memory". Never a password (G5). */
  readonly location: string;
  /** Takes the store over. Rejects if another session owns it and does not release it in time. */
  open(options: OpenOptions): Promise<StoreSession>;
  /** Reads without owning, and does not disturb the owner. A store that cannot do this leaves it out. */
  inspect?(): Promise<StoreSnapshot>;
  /** Runs of the past, the newest first, read without owning. A store that keeps none leaves it out. */
  history?(query: HistoryQuery): AsyncIterable<PastRun>;
}

/** What a store holds at one instant. */
export interface StoreSnapshot {
  readonly location: string;
  /** The version of the store's own format. */
  readonly version: number;
  /** The newest version that the store can write, if it has several. */
  readonly newestVersion?: number;
  /** Whether a session owns the store right now. */
  readonly owner: 'held' | 'free' | 'unknown';
  /** As they are stored: not yet looked at. */
  readonly records: readonly unknown[];
}

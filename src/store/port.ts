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
 * - `commit` is idempotent: the same batch of changes again, whether or not it took effect the first time, leaves the same records (E9). Only whole
 *   records and pauses are written again, and raise a version once more.
 * - If `commit` rejects, either nothing of the batch is durable or all of it that is not refused; `read` shows which.
 * - Commits of one session take effect in the order in which they were called.
 *
 * A change of a run can be refused, and the rest of its batch takes effect all the same. What a store must do:
 *
 *     change      is granted if                             and again, with no effect, if
 *     end         its run is the current run of the task    the record shows that end already
 *     unstart     its run is the current run of the task    the record shows what it brings back
 *     configure   the record has the version that it names  the record shows that configuration
 *     move        the record has the version that it names  the record has a later version, and shows where it moves to
 *     start       the record has the version that it names  the current run of the task is that run
 *
 * Each record has a *version* (K2). A store raises it by one with each change that it makes of the record, in the order of the parts of a batch: a
 * cut-off, an end, an unstart, a put over what is there, a configuration, a pause, a move and a start. What is granted again raises nothing. A name
 * that comes begins above every version that a forgotten name has had. So a scheduler knows what its batch has made of each version, and no
 * name has the same version twice.
 *
 * Everything else is refused: nothing of it is written, and the answer names it, with the record as it is after the batch. So is a change of a run whose record is not there, and the
 * answer says that it is missing: another program has deleted it, and that is the trouble of one task and not of all. So a scheduler that has lost a run, because another
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
  PauseChange,
  StartChange,
  UnstartChange,
} from '../core/changes.ts';
import type { ControlAnswer, ControlRequest, GivenAnswer } from '../core/control.ts';
import type { HistoryQuery, PastRun, Retention } from '../core/history.ts';
import type { TaskRecord } from '../core/record.ts';
import type { FirstRecords } from './first-records.ts';
import type { InspectOptions, StoreSnapshot } from './look.ts';
import type { MaintenanceOptions, StoreMaintenance } from './maintenance/port.ts';
import type { ClusterView, CompletingScheduler, Completions, News, ViewedScheduler } from './sharing/port.ts';

export type {
  ConfigureChange,
  CutOffChange,
  EndChange,
  Many,
  MoveChange,
  PauseChange,
  StartChange,
  UnstartChange,
} from '../core/changes.ts';
export type { ControlAnswer, ControlKind, ControlRequest, GivenAnswer } from '../core/control.ts';
export type { HistoryQuery, Outcome, PastRun, Retention, RunError } from '../core/history.ts';
export type { FirstRecords } from './first-records.ts';
export type * from './look.ts';
export type * from './sharing/port.ts';

/**
 * One transaction. It belongs to the caller, who may use its lists again once the commit is answered. The parts take effect in this order; a name may be in several of them, once in each. What
 * is over comes first: a run whose record goes or is written over in the same batch leaves its row in the history (J1). A move comes after the end or the unstart that made its task idle.
 */
export interface Batch {
  /** Of an `initialize`: the name of the zone in which it reads expressions, by which whoever reads the store goes from then on (B2). */
  readonly timeZone?: string;
  /**
   * Runs whose instance is dead. Each leaves a row in the history, and its record remembers that, so that it leaves only one. If the
   * record shows another run, or remembers it already, there is nothing to do.
   */
  readonly cutOffs?: readonly CutOffChange[];
  /** Each leaves a row in the history, unless it is refused or shows already. */
  readonly ends?: Many<EndChange>;
  readonly unstarts?: readonly UnstartChange[];
  readonly removes?: readonly string[];
  /** Whole records: inserted, or written over what is there. */
  readonly puts?: Many<TaskRecord>;
  readonly configures?: readonly ConfigureChange[];
  /** The pause of a name that has no record is no matter. */
  readonly pauses?: readonly PauseChange[];
  /** Answers to requests (I1). One to a request that is not there is no matter. */
  readonly answers?: readonly GivenAnswer[];
  readonly moves?: Many<MoveChange>;
  readonly starts?: Many<StartChange>;
}

/** A change that a store did not write: its run is not current, or, for a start, may not be; or its record is missing. */
export interface Refusal {
  readonly change: 'end' | 'unstart' | 'configure' | 'pause' | 'move' | 'start';
  /** The task. */
  readonly name: string;
  /** Given if there is no record of the task. */
  readonly missing?: true;
  /** What holds now, by which the scheduler goes on (K2). */
  readonly record?: TaskRecord;
}

/** What a store answers to a batch that it has taken. */
export interface CommitResult {
  /** The changes that were refused, in any order. All others are durable. */
  readonly refused: readonly Refusal[];
  /** The version of the records that the batch has put for names that were not there; a store that does not say is asked by the first start. */
  readonly firstVersion?: number;
  /** Names that were to be removed and stay, since another instance has or runs them (K5); a store that does not know leaves it out. */
  readonly held?: readonly string[];
  /** Of an `initialize`, where several instances share the store: its place among all that have changed records (K5). */
  readonly epoch?: number;
}

/** A store that is open, and owned by the session until `close`; or shared, if it says so. */
export interface StoreSession {
  /** Given if other schedulers have sessions of the same store at the same time (K1). */
  readonly sharing?: SharedSession;
  /** What whoever opened the store must hear of, though nothing has failed: a store that was here before is gone, say. */
  readonly warning?: string | undefined;
  /**
   * All records, or those of the given names (absent ones left out), as they are stored: not yet looked at, since a damaged
   * record is for the scheduler to report (E7).
   */
  read(names?: readonly string[]): Promise<readonly unknown[]>;
  /**
   * All records, some at a time, for a store that has too many for one list; the same as `read()` otherwise. `ownName` answers the
   * caller's own text for a name, so that a session which remembers names does not keep a second text of each.
   */
  readPages?(ownName?: (name: string) => string): AsyncIterable<readonly unknown[]>;
  /** The zone of the latest `initialize` that a batch has brought; `undefined` before the first. A store that keeps none leaves it out. */
  timeZone?(): Promise<string | undefined>;
  /**
   * The tasks of this scheduler from now on, in the order of their numbers; all of them have a record. A store that knows its records
   * by numbers of its own can find them by these, where `starts` and `ends` are rows of numbers; a store that goes by names leaves it out.
   * `changed` is given when a list was edited: those that have come or come anew. Then it does not fail, and holds for every later commit.
   */
  enroll?(names: Many<string>, changed?: ReadonlyMap<number, string>): Promise<void>;
  /** Writes a batch as one, and resolves once it is durable. */
  commit(batch: Batch): Promise<CommitResult>;
  /** Lets go of everything, after the commits that were called before. Closing twice is harmless. */
  close(): Promise<void>;
}

/**
 * What a session can do that shares its store with those of other schedulers. Such a session differs from one that owns its store in this:
 * - Its instance may be declared dead by the others. From then on everything that it is asked rejects with {@link StoreLostError} (K4).
 * - A start is refused also if another instance runs the task, or has paused it; the answer has the record (K2).
 * - Records change without it. `onNews` says when to look; a refused start is the other way to learn of it.
 */
export interface SharedSession {
  /** The store's clock, which all share, in epoch milliseconds (K6). */
  now(): number;
  /** The instances that are present, this one included, as far as this one knows. */
  readonly members: readonly string[];
  /**
   * Writes what an `initialize` has planned from the records that were read last, and makes these names the list of this instance (K5).
   * Answers `stale`, with nothing written, if another `initialize` has changed records since that read.
   */
  initialize(batch: Batch, names: readonly string[]): Promise<CommitResult | 'stale'>;
  /** Of these tasks, the records of those that still lack a start for their due: nobody has served it, and nobody runs the task. */
  unserved(
    dues: ReadonlyArray<{ readonly name: string; readonly dueAt: number }>,
  ): Promise<readonly unknown[]>;
  /** The records with a run that was cut off, or with a retry that waits: what an instance that is gone may have left. */
  leftBehind(): Promise<readonly unknown[]>;
  /** What a scheduler does about the others, for as long as it has these tasks. */
  view(scheduler: ViewedScheduler): ClusterView;
  /** Ends in transactions of the user (K8). A store whose database the user cannot reach leaves it out. */
  completions?(scheduler: CompletingScheduler): Completions;
}

/** A scheduler that wants to share a store. */
export interface Sharing {
  /** The instance whose runs it starts. */
  readonly instanceId: string;
  /** A clock that is never set, to tell the store's time by between two heartbeats. */
  monotonic(): number;
  /** The clock of the host, to say how far it is off. */
  now(): number;
  /** Called after a heartbeat that found something new. */
  onNews(news: News): void;
}

/** How a store is to be opened. */
export interface OpenOptions {
  /** Asks for a session that shares the store (K1). A store with one owner at a time leaves it alone. */
  readonly sharing?: Sharing | undefined;
  /** How long to wait for another owner to let go; 0 for not at all. */
  readonly waitMs: number;
  /** How much of the past to keep (J2); `false` for nothing. 30 days and a million runs by default. */
  readonly history?: Retention | false;
  /**
   * Called when the session finds trouble that it was not asked about: its thread has died, its file is gone. It goes on trying by
   * itself, and `read` answers again when the trouble is over; after a {@link StoreLostError} it never is. A store that has no such
   * trouble leaves it alone.
   */
  readonly onTrouble?: ((error: Error) => void) | undefined;
  /**
   * Called with the requests that are not answered (I1): at first, and at most 2 s after new ones have come. A request may come again until
   * its answer is durable. A store that takes no requests leaves it alone.
   */
  readonly onRequests?: ((requests: readonly ControlRequest[]) => void) | undefined;
}

/** A request that is durable, and the line on which its answer comes. */
export interface AskedRequest {
  /** Whether somebody owned the store when the request was made. */
  readonly owner: StoreSnapshot['owner'];
  /** What was answered; undefined while the request waits. */
  answer(): Promise<ControlAnswer | undefined>;
  /** Lets go of the line. The request stands. Closing twice is harmless. */
  close(): Promise<void>;
}

/** The port behind which records live. `storeConformance` has what a store must do. */
export interface Store {
  /** What to call it in messages: a file's path, or "memory". Never a password (G5). */
  readonly location: string;
  /** Takes the store over. Rejects if another session owns it and does not release it in time. */
  open(options: OpenOptions): Promise<StoreSession>;
  /** Reads without owning, and does not disturb the owner. A store that cannot do this leaves it out. */
  inspect?(options?: InspectOptions & FirstRecords): Promise<StoreSnapshot>;
  /** Makes a request durable, without owning the store (I1). Who asks closes what is answered. A store that takes none leaves it out. */
  ask?(request: ControlRequest): Promise<AskedRequest>;
  /** Takes the store over to repair it or to forget tasks. A store in a file leaves it out: `maintainStore` does that for its path. */
  maintain?(options?: MaintenanceOptions): Promise<StoreMaintenance>;
  /** Runs of the past, the newest first, read without owning. A store that keeps none leaves it out. */
  history?(query: HistoryQuery): AsyncIterable<PastRun>;
}

/** The shapes of the server's answers. Instants are epoch milliseconds. */

export type State = 'running' | 'owed' | 'retry' | 'waiting' | 'paused' | 'cut off' | 'interrupted';
export type Outcome =
  | 'success'
  | 'failure'
  | 'gave up'
  | 'timed out'
  | 'cancelled'
  | 'cut off'
  | 'interrupted';
export type Filter = State | 'all' | 'failing';
export type Kind = 'run' | 'pause' | 'resume' | 'cancel';

export interface SiteState {
  readonly revision: number;
  readonly at: number;
  /** The server has read only a first part of the tasks yet. */
  readonly isPartial: boolean;
  readonly title: string;
  readonly location: string;
  readonly timeZone: string;
  /** Who says so. If it is the host of the page, the scheduler may read expressions in another one. */
  readonly timeZoneFrom: 'option' | 'store' | 'host';
  readonly owner: 'held' | 'free' | 'unknown';
  readonly ownedBy: { readonly pid: number; readonly host: string; readonly since: number } | null;
  readonly counts: Readonly<Record<Filter, number>>;
  readonly damaged: readonly { readonly task: string; readonly reason: string }[];
  readonly trouble: string | null;
  readonly hasHistory: boolean;
  readonly hasPlan: boolean;
  readonly hasOutput: boolean;
  /** How many share the store; `null` if it is one's own. */
  readonly instances: number | null;
  readonly mayControl: boolean;
  /** What operators have asked for and no scheduler has answered. */
  readonly requests: readonly { readonly kind: string; readonly task: string; readonly askedAt: number }[];
  readonly verdict: Verdict | null;
}

export interface Verdict {
  readonly conformant: boolean;
  readonly blame: 'none' | 'scheduler' | 'environment' | 'outside';
  readonly held: number;
  readonly count: number;
  readonly axioms: readonly { readonly id: string; readonly status: string; readonly note: string }[];
  readonly violations: readonly {
    readonly axiom: string;
    readonly task: string | null;
    readonly at: number | null;
    readonly blame: string;
    readonly because: string;
    readonly events: readonly {
      readonly event: string;
      readonly at: number | null;
      readonly task: string | null;
    }[];
  }[];
}

export interface TaskRow {
  readonly name: string;
  readonly description: string | null;
  readonly state: State;
  readonly cron: string;
  readonly words: string;
  readonly timeZone: string;
  readonly next: number | null;
  readonly retryAt: number | null;
  readonly pausedAt: number | null;
  readonly owedSince: number | null;
  readonly runningSince: number | null;
  /** What becomes of what is due while it runs. */
  readonly whileRunning: 'remember' | 'skip' | 'replace';
  /** Of the latest run that is over. One that was cut off has no end. */
  readonly lastStartAt: number | null;
  readonly lastEndAt: number | null;
  readonly lastOutcome: Outcome | null;
  readonly lastDurationMs: number | null;
  /** From the first due instant that its run serves to the call: of the run that goes on, or of the latest that came due. */
  readonly lateMs: number | null;
  readonly failures: number;
  readonly failingSince: number | null;
  readonly lastError: { readonly name: string; readonly message: string } | null;
  /** How many of the latest runs a stop has interrupted, one after the other. */
  readonly interruptions: number;
  readonly trend: readonly (readonly [ms: number, outcome: Outcome])[];
}

export interface TaskPage {
  readonly at: number;
  readonly isPartial: boolean;
  readonly total: number;
  readonly matching: number;
  readonly offset: number;
  readonly rows: readonly TaskRow[];
}

export interface TaskDetails extends TaskRow {
  readonly at: number;
  readonly firstSeenAt: number;
  readonly lastSuccessAt: number | null;
  readonly lastFailureAt: number | null;
  readonly attempt: number | null;
  readonly sentence: string;
  readonly policy: readonly (readonly [string, string])[];
  readonly starts: readonly number[];
  readonly changes: readonly Change[];
}

export interface Change {
  readonly at: number;
  readonly text: string;
}

export interface Run {
  readonly runId: string;
  readonly key: string;
  readonly attempt: number;
  readonly reason: 'due' | 'retry' | 'orphaned' | 'manual';
  readonly scheduledFor: number;
  readonly calledAt: number;
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly instanceId: string;
  readonly error: { readonly name: string; readonly message: string; readonly text: string } | null;
}

export interface Runs {
  readonly isKept: boolean;
  readonly runs: readonly Run[];
  readonly hasMore: boolean;
}

export type Bar = readonly [from: number, to: number, outcome: Outcome, runs: number, attempt: number];

export interface Lane {
  readonly name: string;
  readonly state: State;
  readonly pausedAt: number | null;
  readonly timeZone: string;
  readonly bars: readonly Bar[];
  readonly runningSince: number | null;
  readonly retryAt: number | null;
  readonly next: number | null;
  readonly shared: readonly (readonly [due: number, servedAt: number | null])[];
  readonly dues: readonly number[];
  readonly isDense: boolean;
}

export interface Timeline {
  readonly at: number;
  readonly from: number;
  readonly to: number;
  readonly matching: number;
  readonly since: number | null;
  readonly changes: readonly Change[];
  readonly lanes: readonly Lane[];
}

export interface Load {
  readonly at: number;
  readonly from: number;
  readonly stepMs: number;
  readonly good: readonly number[];
  readonly bad: readonly number[];
  readonly late: readonly number[];
  readonly delayMs: readonly number[];
  readonly coming: readonly number[];
  readonly busiest: readonly {
    readonly at: number;
    readonly starts: number;
    readonly tasks: readonly string[];
  }[];
  readonly counted: number;
  readonly tasks: number;
  readonly since: number | null;
}

/** What a task is configured to do; the policy is a JSON text. */
export interface Configuration {
  readonly cron: string;
  readonly retryDelayMs: number;
  readonly policy: string | null;
}

export interface Plan {
  readonly at: number;
  readonly preserved: number;
  readonly counts: Readonly<Record<'added' | 'changed' | 'removed' | 'starts', number>>;
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly {
    readonly name: string;
    readonly before: Configuration;
    readonly after: Configuration;
  }[];
  readonly starts: readonly { readonly name: string; readonly reason: string }[];
}

export interface Output {
  readonly runs: readonly {
    readonly runId: string;
    readonly attempt: number;
    readonly reason: Run['reason'];
    readonly startedAt: number;
    readonly endedAt: number | null;
    readonly message: string | null;
    readonly lines: readonly OutputLine[];
  }[];
}

export type OutputLine =
  | { readonly at: number; readonly stream: 'stdout' | 'stderr'; readonly line: string }
  | { readonly leftOut: number };

export interface Instances {
  readonly at: number;
  readonly isShared: boolean;
  readonly count: number;
  readonly instances: readonly {
    readonly id: string;
    readonly host: string;
    readonly pid: number;
    readonly since: number;
    readonly leaseLeftMs: number;
    readonly aheadMs: number | null;
    readonly running: number;
  }[];
}

export interface ControlResult {
  readonly kind: Kind;
  readonly task: string;
  readonly state: 'applied' | 'refused' | 'waiting';
  readonly text: string;
}

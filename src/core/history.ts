/** What is kept of every run after its end (J1), and how much of it (J2). */
import type { Reason } from './record.ts';

/**
 * How a run ended. All but `success` and `interrupted` are failures. `gave up`: it was the last attempt that its policy allows (H2). `timed out`: it took
 * longer than its policy allows (H6). `cancelled`: somebody asked for that (I4). `cut off`: its process died, and an `initialize`
 * found that out. `interrupted`: a stop ended it, and it starts again (A13).
 */
export type Outcome =
  | 'success'
  | 'failure'
  | 'cut off'
  | 'gave up'
  | 'cancelled'
  | 'timed out'
  | 'interrupted';
/** How a callback ended. */
export type EndOutcome = Exclude<Outcome, 'cut off'>;

/** What a callback threw, as text. */
export interface RunError {
  readonly name: string;
  readonly message: string;
  /** The stack, and the causes with theirs; all of an error together is at most 4 KB. */
  readonly text: string;
}

/** A run that is over. Instants are epoch milliseconds. */
export interface PastRun {
  readonly task: string;
  readonly runId: string;
  readonly key: string;
  readonly attempt: number;
  readonly reason: Reason;
  readonly scheduledFor: number;
  /** When the callback was called; of a run that was cut off, when it was claimed. */
  readonly calledAt: number;
  /** When the callback ended; of a run that was cut off, when that was found out. */
  readonly endedAt: number;
  readonly outcome: Outcome;
  readonly instanceId: string;
  /** What a callback threw that failed; `null` otherwise. */
  readonly error: RunError | null;
}

/** Which runs of the past are asked for. */
export interface HistoryQuery {
  /** Only of this task. */
  readonly task?: string;
  /** Only runs that ended at this instant or later, in epoch milliseconds. */
  readonly since?: number;
  /** Only runs that ended like this, or in one of these ways. */
  readonly outcome?: Outcome | readonly Outcome[];
  /** At most so many, the newest. */
  readonly limit?: number;
}

/** The outcomes that a query asks for; undefined if it asks for all. */
export const outcomesOf = ({ outcome }: HistoryQuery): readonly Outcome[] | undefined =>
  typeof outcome === 'string' ? [outcome] : outcome;

/** How much of the past a store keeps. What is beyond either bound goes, the oldest first, some at a time. */
export interface Retention {
  readonly keepDays: number;
  readonly keepRuns: number;
}

export const RETENTION: Retention = { keepDays: 30, keepRuns: 1_000_000 };

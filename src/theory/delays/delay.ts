/** How long something was owed, and to whom. */
import type { Axiom } from '../axioms/axiom.ts';
import type { Call } from '../tasks/calls.ts';
import type { Compute } from './compute.ts';

/** What the trace has shown of a task, as far as sentences about the task need it. */
export interface ShownTask {
  readonly name: string;
  /** The last start and the last end; NaN where there was none. Line 0 is no line. */
  readonly startedAt: number;
  readonly startLine: number;
  readonly endedAt: number;
  readonly endLine: number;
  /** The event of its last end. */
  readonly endedBy: string;
}

/** How long something was owed. */
export interface Delay {
  readonly axiom: Axiom;
  readonly from: number;
  readonly to: number;
  /** The lag that is granted, and the compute beyond it. */
  readonly lagMs: number;
  readonly budget: number;
  /** When work could be done. */
  readonly compute: Compute;
  /** What was owed: a start of this task, or the end of this call. */
  readonly what: ShownTask | Call;
  /** Whether a start has ended it, and in which line; 0 where there are no lines. */
  readonly isStarted: boolean;
  readonly line: number;
  /** When hindsight ends: the ledger sets it. */
  judgeAt: number;
}

/** How much more of the time in which work could be done a delay took than its lag. */
const excessOf = ({ compute, from, to, lagMs }: Delay): number => compute.lagOf(from, to) - lagMs;

/** How bad some delays are: as bad as the worst of them. */
export const worstOf = (delays: readonly Delay[]): number => Math.max(...delays.map(excessOf));

/** So many delays of a past are kept. */
const MOST_DELAYS = 16;

/** The worst of some delays, if there are very many. */
export const longest = (delays: readonly Delay[]): readonly Delay[] =>
  delays.length <= MOST_DELAYS
    ? delays
    : delays.toSorted((a, b) => excessOf(b) - excessOf(a)).slice(0, MOST_DELAYS);

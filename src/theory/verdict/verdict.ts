/** What the checker says of a trace. */
import type { Cause, Witnesses } from '../delays/compute.ts';

/**
 * What a trace says of an axiom. Vacuous: nothing put it to the test. Undecided: something is owed and not yet late, or no
 * finite trace can decide it.
 */
export type Status = 'holds' | 'violated' | 'undecided' | 'vacuous';

/** One event of the trace, as evidence: a record, or a pulse that was derived. */
export interface Evidence {
  readonly event: string;
  /** Absent for what stands before the first record. */
  readonly at?: number;
  readonly task?: string;
  /** Where it stands in the file, counted from 1; absent for what is derived. */
  readonly line?: number;
}

/** Evidence of something that a record has told: its instant is known. */
export interface DatedEvidence extends Evidence {
  readonly at: number;
}

/** An axiom that broke: where, whose fault it was, and the proof. */
export interface Violation {
  readonly axiom: string;
  readonly task?: string;
  /** Absent for what stands before the first record, when no instant is known yet. */
  readonly at?: number;
  /** Whose fault it was. Outside: something happened that the theory has no word for. */
  readonly blame: 'scheduler' | 'environment' | 'outside';
  /** One sentence that an operator understands. */
  readonly because: string;
  /** The few events that prove it, in order. */
  readonly events: readonly Evidence[];
}

/** What a trace says of one axiom. */
export interface AxiomVerdict {
  readonly status: Status;
  /** The first ones; `count` says how many there were. */
  readonly violations: readonly Violation[];
  readonly count: number;
  /** What else there is to say: why it cannot break, who withheld the compute, what was accepted. */
  readonly notes: readonly string[];
}

/** What a trace says of the scheduler that left it. */
export interface Verdict {
  /** Nothing is violated that the scheduler is to blame for, and nothing has happened that is outside the model. */
  readonly conformant: boolean;
  readonly blame: 'none' | 'scheduler' | 'environment' | 'outside';
  readonly axioms: Readonly<Record<string, AxiomVerdict>>;
  /** As used for L1–L3. */
  readonly witnesses: Witnesses;
  /** The smallest lag that would make L1–L3 hold on this trace, with a = b = 0, which are not fitted: a certificate, and no proof. */
  readonly fitted: Witnesses;
  /** How many records, pulses, tasks and crashes were seen. */
  readonly counts: Readonly<Record<'records' | 'pulses' | 'tasks' | 'crashes' | 'problems', number>>;
  /** Status for one task: what its own slice says, by what the task itself has put to the test. */
  of(task: string): Readonly<Record<string, Status>>;
}

/** An instant, as people read it. */
export const iso = (at: number): string =>
  Math.abs(at) <= 8.64e15 ? new Date(at).toISOString() : String(at);

const words: Readonly<Record<Cause, string>> = {
  frozen: 'the machine was frozen',
  compute: 'the environment gave little compute',
  store: 'the store was in trouble',
  step: 'the clock was set',
  workers: 'every worker was busy',
};

export const inWords = (causes: readonly Cause[]): string =>
  causes.map((cause) => words[cause]).join(', and ');

/** One axiom of the theory: its formula, what it says in one plain sentence, and who is to blame when it breaks. */
import type { Formula } from '../logic/formula.ts';

/** Whose fault it is if an axiom breaks. */
export type Blame = 'scheduler' | 'environment';

/** One axiom of the theory: a formula, with what it says in words. */
export interface Axiom {
  readonly id: string;
  readonly name: string;
  /** Which part of the theory it belongs to: parts can be selected. */
  readonly part: 'scheduler' | 'environment' | 'assumptions' | 'theorems' | 'polling';
  /** What it is quantified over: each task name, each call of initialize or stop, or the trace as a whole. */
  readonly scope: 'task' | 'call' | 'trace';
  readonly blame: Blame;
  /** Where its conjuncts have different owners: the owner of each conjunct, in their order. */
  readonly blames?: readonly Blame[];
  /** One plain sentence. */
  readonly says: string;
  readonly formula: Formula;
  /** The same in a form that can be decided as the trace goes, where the formula is not. A test compares the two. */
  readonly monitored?: Formula;
  /** Why no finite trace can break it. */
  readonly unbreakable?: string;
}

/** What the rows of one table have in common, unless a row says otherwise. */
type Common = Pick<Axiom, 'part' | 'scope' | 'blame'>;
type Row = Omit<Axiom, keyof Common> & Partial<Common>;

/** The axioms of one table. */
export const table = (common: Common, rows: readonly Row[]): readonly Axiom[] =>
  rows.map((row) => ({ ...common, ...row }));

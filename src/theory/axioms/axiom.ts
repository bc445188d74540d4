/** One axiom of the theory: its formula, what it says in one plain sentence, and who is to blame when it breaks. */
import type { Formula } from '../formula.ts';

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
  /** Where its conjuncts are different people's: whose each of them is, in their order. */
  readonly blames?: readonly Blame[];
  /** One plain sentence. */
  readonly says: string;
  readonly formula: Formula;
  /** The same in a form that can be decided as the trace goes, where the formula is not. A test holds them against each other. */
  readonly monitored?: Formula;
  /** Why no finite trace can break it. */
  readonly unbreakable?: string;
  /** What was changed against the seed, and why. */
  readonly repaired?: string;
}

/** Every axiom, in the order in which verdicts list them. */
import type { Axiom } from './axiom.ts';
import { assumptions, ofEnvironment } from './environment.ts';
import { ofPolling } from './polling.ts';
import { ofScheduler } from './scheduler.ts';
import { theorems } from './theorems.ts';

export type { Axiom, Blame } from './axiom.ts';

/** The whole theory, every part of it. */
export const axioms: readonly Axiom[] = [
  ...ofScheduler,
  ...ofEnvironment,
  ...assumptions,
  ...theorems,
  ...ofPolling,
];

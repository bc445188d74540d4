/** Every axiom, in the order in which verdicts list them. */
import type { Axiom } from './axiom.ts';
import { assumptions, ofEnvironment } from './environment.ts';
import { ofPolling, theorems } from './properties.ts';
import { ofScheduler } from './scheduler.ts';

export type { Axiom, Blame } from './axiom.ts';

/** The whole theory, every part of it. */
export const axioms: readonly Axiom[] = [
  ...ofScheduler,
  ...ofEnvironment,
  ...assumptions,
  ...theorems,
  ...ofPolling,
];

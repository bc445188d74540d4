/** `obbligato/theory`: the theory as a program. It reads a trace and says which axiom broke, and whose fault it was. */
export { type Axiom, axioms, type Blame } from './axioms/index.ts';
export { checkTrace, createMonitor, type LiveMonitor, type TraceEvents } from './check.ts';
export type { Witnesses } from './delays/compute.ts';
export type { Formula } from './logic/formula.ts';
export type { MonitorOptions, Part } from './options.ts';
export type { AxiomVerdict, Evidence, SentencePart, Status, Verdict, Violation } from './verdict/verdict.ts';

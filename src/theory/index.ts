/** `obbligato/theory`: the theory as a program. Formulas, axioms, and an oracle that says which broke, and whose fault it was. */
export { type Axiom, axioms, type Blame } from './axioms/index.ts';
export { checkTrace, createMonitor, type LiveMonitor, type TraceEvents } from './check.ts';
export type { Witnesses } from './compute.ts';
export * from './formula.ts';
export * as literal from './literal.ts';
export { macroNames } from './macros.ts';
export type { MonitorOptions, Part } from './monitor.ts';
export { monitorable, NotMonitorableError } from './monitorable.ts';
export { NaiveEvaluator, type Truth } from './naive.ts';
export type { Position } from './position.ts';
export type { AxiomVerdict, Evidence, Status, Verdict, Violation } from './verdict.ts';

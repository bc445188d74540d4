/** Where task records live: the port, the embedded stores, a look inside, and the suite that every store must pass. */
export { type ConformanceCheck, type StoreUnderTest, storeConformance } from './conformance.ts';
export { type Control, type ControlOptions, type ControlResult, control } from './control.ts';
export * from './errors.ts';
export { history } from './history.ts';
export { type DamagedRecord, type Inspection, inspect, type LookOptions } from './inspect.ts';
export { maintainStore } from './maintenance/maintenance.ts';
export type * from './maintenance/port.ts';
export { memory } from './memory.ts';
export type * from './port.ts';
export type { RecordProblem } from './record-problem.ts';
export { type SqliteOptions, sqlite } from './sqlite.ts';

/** Where task records live: the port, the embedded stores, a look inside, and the suite that every store must pass. */
export { type ConformanceCheck, type StoreUnderTest, storeConformance } from './conformance.ts';
export { type Control, type ControlOptions, type ControlResult, control } from './control.ts';
export * from './errors.ts';
export { history } from './history.ts';
export { type DamagedRecord, type Inspection, inspect, type LookOptions } from './inspect.ts';
export type { Diagnosis } from './maintenance/diagnosis.ts';
export type { JournalProblem } from './maintenance/journal.ts';
export { type MaintenanceOptions, maintainStore, type StoreMaintenance } from './maintenance/maintenance.ts';
export type { RecordRepair } from './maintenance/repair-record.ts';
export { memory } from './memory.ts';
export type * from './port.ts';
export type { RecordProblem } from './record-problem.ts';
export { type SqliteOptions, sqlite } from './sqlite.ts';

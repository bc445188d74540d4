/** What a store says of its tasks, for programs: the state of each, and whether all is well. */
export { type Health, type HealthOptions, type HealthReason, type HealthTrouble, health } from './health.ts';
export {
  type StatusOptions,
  type TaskPhase,
  type TaskState,
  type TaskStatus,
  taskStatus,
} from './task-status.ts';

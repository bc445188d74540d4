/** `obbligato`: the scheduler, and what it needs around it: stores, traces, programs as tasks, durations, errors. */
export * from './command/index.ts';
export { type Config, checkTasks, defineConfig } from './config.ts';
export type { RunRecord, TaskRecord, WorkRecord } from './core/record.ts';
export {
  CronCalculationError,
  CronExpressionInvalidError,
  type Fault,
  FieldParseError,
  HostTimeZoneError,
  InvalidCronExpressionError,
  InvalidRegistrationError,
  NegativeRetryDelayError,
  ObbligatoError,
  RegistrationError,
  RegistrationShapeError,
  RegistrationsNotArrayError,
  ScheduleDuplicateTaskError,
  SchedulerAlreadyActiveError,
  ScheduleTaskError,
  StopSchedulerError,
  TaskInvalidStructureError,
  TaskInvalidTypeError,
  TaskInvalidValueError,
  TaskListMismatchError,
  TaskMissingFieldError,
  TaskTimeoutError,
  TaskTryDeserializeError,
  UnknownTimeZoneError,
} from './errors.ts';
export {
  type AttachedPorts,
  type Callback,
  createScheduler,
  type EventDetails,
  type EventName,
  type Lateness,
  type Logger,
  type Registration,
  type RunContext,
  type Scheduler,
  type SchedulerClock,
  type SchedulerEvent,
  type SchedulerOptions,
  type SchedulerPorts,
  withTimeout,
} from './scheduler/index.ts';
export * from './store/index.ts';
export type { Clock, Timer } from './time/clock.ts';
export { type Duration, days, hours, milliseconds, minutes, seconds } from './time/duration.ts';
export * from './trace/index.ts';

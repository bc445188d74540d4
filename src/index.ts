/** The public door of `obbligato`: nothing but exports. */
export * from './command/index.ts';
export { type Config, defineConfig } from './config.ts';
export type { TaskRecord } from './core/record.ts';
export {
  CronCalculationError,
  CronExpressionInvalidError,
  FieldParseError,
  HostTimeZoneError,
  InvalidCronExpressionError,
  InvalidRegistrationError,
  NegativeRetryDelayError,
  ObbligatoError,
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
  type Callback,
  createScheduler,
  type EventDetails,
  type EventName,
  type Lateness,
  type Logger,
  type Registration,
  type RunContext,
  type Scheduler,
  type SchedulerEvent,
  type SchedulerOptions,
  withTimeout,
} from './scheduler/index.ts';
export * from './store/index.ts';
export type { Clock, Timer } from './time/clock.ts';
export { type Duration, days, hours, milliseconds, minutes, seconds } from './time/duration.ts';
export * from './trace/index.ts';

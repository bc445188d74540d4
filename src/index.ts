/** `obbligato`: the scheduler, and what it needs around it: stores, traces, programs as tasks, durations, errors. */
export * from './command/index.ts';
export { type Config, checkTasks, defineConfig, dueInstants } from './config.ts';
export type { CutOffRun } from './core/cut-off-run.ts';
export type { EndOutcome } from './core/history.ts';
export type { Ping, PingAdapter, PingRequest, PingTarget } from './core/ping.ts';
export type { StoredPolicy } from './core/policy.ts';
export type { LastError, Reason, RunRecord, StartedRun, TaskRecord, WorkRecord } from './core/record.ts';
export type { Calendar } from './cron/calendar.ts';
export { type DayRule, everyNthWeek, lastDayOfMonth, nthWeekday } from './cron/day-rule.ts';
export {
  type ActiveState,
  CompletionError,
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
  RemovalsRefusedError,
  RunLostError,
  ScheduleDuplicateTaskError,
  SchedulerAlreadyActiveError,
  ScheduleTaskError,
  StopSchedulerError,
  TaskCancelledError,
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
  cron,
  type EventDetails,
  type EventName,
  type InitializePreview,
  type Lateness,
  type Logger,
  type PreviewOptions,
  plan,
  type Registration,
  type RequestEvent,
  type RetryPolicy,
  type RunContext,
  type Scheduler,
  type SchedulerClock,
  type SchedulerEvent,
  type SchedulerOptions,
  type SchedulerPorts,
  type StartEvent,
  type Task,
  type TaskConfiguration,
  type TaskEvent,
  type TaskFailure,
  type TaskOptions,
  task,
  withTimeout,
} from './scheduler/index.ts';
export * from './status/index.ts';
export * from './store/index.ts';
export type { Clock, Timer } from './time/clock.ts';
export { type Duration, days, hours, milliseconds, minutes, seconds } from './time/duration.ts';
export * from './trace/index.ts';

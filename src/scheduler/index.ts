/** The scheduler, as the rest of the library and the simulated world see it. */

export type { TracedRegistration, TraceRecord, TraceSink } from '../trace/record.ts';
export type { AttachedPorts, SchedulerClock, SchedulerPorts } from './attached.ts';
export {
  COMMIT_CHANNEL,
  type CommitMessage,
  EVENT_NAMES,
  type EventMessage,
  eventChannel,
  RUN_CHANNEL,
  type RunMessage,
} from './channels.ts';
export { isStop, type RunContext } from './context.ts';
export { cron } from './cron.ts';
export type {
  EventDetails,
  EventName,
  Lateness,
  RequestEvent,
  SchedulerEvent,
  StartEvent,
  TaskEvent,
} from './events.ts';
export type { Logger, TaskFailure } from './logger.ts';
export type { Callback, Registration, SchedulerOptions } from './options.ts';
export { type InitializePreview, type PreviewOptions, plan, type TaskConfiguration } from './plan-preview.ts';
export { createScheduler, createSizedScheduler, type Scheduler } from './scheduler.ts';
export type { SettledOptions } from './settled-options.ts';
export { SIZES, type Sizes } from './sizes.ts';
export { type RetryPolicy, type Task, type TaskOptions, task } from './task.ts';
export { withTimeout } from './with-timeout.ts';

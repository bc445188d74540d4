/** `obbligato/executor`: timers, subscribers and workers. */
export type { Clock } from './clock.ts';
export { ExecutorEndedError, ThreadError } from './errors.ts';
export { createExecutor, type Executor, type ExecutorOptions, type Outcome } from './executor.ts';
export { from, type Pullable, type WebStream } from './from.ts';
export type { ErrorInfo, OnError } from './report.ts';
export type { Attachment, Sink, Source } from './source.ts';
export {
  type Emitter,
  type EventOptions,
  type ManualSource,
  manual,
  onChannel,
  onEvent,
} from './subscribers.ts';
export type { Callback, Context, ManualTask, Task } from './task.ts';
export {
  inThread,
  type ThreadCallback,
  type ThreadContext,
  type ThreadLimits,
  type ThreadOptions,
} from './thread.ts';
export { at, every } from './timers.ts';

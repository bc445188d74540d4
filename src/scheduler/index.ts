/** The scheduler, as the rest of the library and the simulated world see it. */

export type { TracedRegistration, TraceRecord, TraceSink } from '../trace/record.ts';
export type { AttachedPorts, SchedulerClock, SchedulerPorts } from './attached.ts';
export type { RunContext } from './context.ts';
export type { EventDetails, EventName, Lateness, SchedulerEvent } from './events.ts';
export type { Callback, Logger, Registration, SchedulerOptions, SettledOptions } from './options.ts';
export { createScheduler, createSizedScheduler, type Scheduler } from './scheduler.ts';
export { SIZES, type Sizes } from './sizes.ts';
export { withTimeout } from './with-timeout.ts';

/** What `obbligato.config.ts` exports by default: the tasks, and what `createScheduler` takes besides them. */
import { checkRegistrations } from './core/registration.ts';
import type { Registration, SchedulerOptions, Task } from './scheduler/index.ts';

export { logFolderOf } from './command/command.ts';
export { type KeptLog, type LogEntry, readLogs } from './command/run-log.ts';
export { calendarFor, calendarKey, type Scheduled, type Timetable, timetableFor } from './core/calendars.ts';
export { dueInstants, type TaskFacts, taskFacts } from './core/facts.ts';
export { type Outlook, outlookOf } from './core/outlook.ts';
export { pingsOf, webAddress } from './core/ping.ts';
export type { StoredPolicy } from './core/policy.ts';
export { optionProblem, optionWay } from './scheduler/check-options.ts';
export { wrapCallbacks } from './scheduler/wrap-callbacks.ts';
export { type ZoneOfStore, zoneOfStore } from './status/zone-of-store.ts';

import type { Store } from './store/index.ts';

/** What an `obbligato.config.ts` exports: the tasks, where their state lives, and options of `createScheduler`. */
export interface Config
  extends Pick<
    SchedulerOptions,
    | 'timeZone'
    | 'workers'
    | 'onEvent'
    | 'trace'
    | 'logger'
    | 'lockWait'
    | 'finalWrite'
    | 'lateAfter'
    | 'history'
    | 'recordErrors'
    | 'guardRemovals'
  > {
  /** `[name, cron, callback, retryDelay]` or `task({ … })` each, as `initialize` takes them. */
  readonly tasks: ReadonlyArray<Registration | Task>;
  /** A store, or the path of a file, or `memory:`; by default the file `obbligato.db` next to the configuration. */
  readonly store?: Store | string;
}

/** Gives a configuration back as it is; it is here for the types, so that an editor can help. */
export const defineConfig = (config: Config): Config => config;

/** Checks a list of tasks as `initialize` does, and throws the same errors, but starts nothing: for a test of your configuration. */
export function checkTasks(tasks: unknown): asserts tasks is ReadonlyArray<Registration | Task> {
  checkRegistrations(tasks);
}

/** What `obbligato.config.ts` exports by default: the tasks, and what `createScheduler` takes beside them. */
import { checkRegistrations } from './core/registration.ts';
import type { Registration, SchedulerOptions } from './scheduler/index.ts';

export { optionProblem } from './scheduler/check-options.ts';

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
    | 'lockWaitMs'
    | 'finalWriteMs'
    | 'lateAfterMs'
    | 'history'
    | 'recordErrors'
  > {
  /** `[name, cron, callback, retryDelay]` each, as `initialize` takes them. */
  readonly tasks: readonly Registration[];
  /** A store, or the path of a file, or `memory:`; by default the file `obbligato.db` next to the configuration. */
  readonly store?: Store | string;
}

/** Gives a configuration back as it is; it is here for the types, so that an editor can help. */
export const defineConfig = (config: Config): Config => config;

/** Checks a list of tasks as `initialize` does, and throws the same errors, but starts nothing: for a test of your configuration. */
export function checkTasks(tasks: unknown): asserts tasks is readonly Registration[] {
  checkRegistrations(tasks);
}

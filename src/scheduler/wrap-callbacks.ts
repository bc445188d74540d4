/** Lists of tasks whose callbacks are wrapped into others. */
import { pingOf, setPing } from '../core/ping.ts';
import { TaskObject } from '../core/task-object.ts';
import type { Callback, Registration } from './options.ts';
import type { Task } from './task.ts';

/** The same tasks with other callbacks; `wrap` gets the callback of each, and its name. */
export function wrapCallbacks(
  tasks: ReadonlyArray<Registration | Task>,
  wrap: (run: Callback, name: string) => Callback,
): ReadonlyArray<Registration | Task> {
  return tasks.map((each) => {
    if (each instanceof TaskObject) {
      const wrapped = new TaskObject({ ...each, run: wrap(each.run as Callback, each.name) });
      setPing(wrapped, pingOf(each));
      return wrapped;
    }
    // What is no registration stays as it is, for `initialize` to refuse.
    if (!Array.isArray(each) || each.length !== 4 || typeof each[2] !== 'function') return each;
    const [name, cron, run, retryDelay]: Registration = each as unknown as Registration;
    return [name, cron, wrap(run, name), retryDelay];
  });
}

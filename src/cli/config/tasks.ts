/** What the command line wants to know of the tasks of a configuration. */
import { type Config, taskFacts, type TaskFacts as WholeFacts } from '../../config.ts';

export interface TaskFacts extends Pick<WholeFacts, 'name' | 'cron' | 'policy'> {
  /** The zone of the task itself; undefined for that of the scheduler. */
  readonly timeZone: string | undefined;
}

export function factsOf(task: Config['tasks'][number]): TaskFacts {
  const [{ name, cron, policy }] = taskFacts([task]);
  return { name, cron, policy, timeZone: policy.timeZone };
}

/** A planned task as `initialize` takes it: a tuple, or an object if it has policies (H1). */
import {
  type Callback,
  type Registration,
  type RetryPolicy,
  type Task,
  task,
} from '../../scheduler/index.ts';
import type { TaskPlan } from '../scenario/scenario.ts';

type Retry = NonNullable<NonNullable<TaskPlan['policy']>['retry']>;

export function registrationOf(plan: TaskPlan, run: Callback): Registration | Task {
  const { name, cron, retryDelayMs, policy } = plan;
  if (policy === undefined) return [name, cron, run, retryDelayMs];
  const { retry, startWithinMs, jitterMs, timeoutMs, abandonAfterMs, ...same } = policy;
  return task({
    name,
    cron,
    run,
    ...same,
    retry: retryDelayMs === 0 && isNever(retry) ? false : retryOf(retryDelayMs, retry),
    ...(startWithinMs !== undefined && { startWithin: startWithinMs }),
    ...(jitterMs !== undefined && { jitter: jitterMs }),
    ...(timeoutMs !== undefined && { timeout: timeoutMs }),
    ...(abandonAfterMs !== undefined && { abandonAfter: abandonAfterMs }),
  });
}

/** Whether `retry: false` says the same. */
const isNever = (retry: Retry | undefined): boolean => JSON.stringify(retry) === '{"max":1}';

function retryOf(delay: number, retry: Retry = {}): RetryPolicy {
  const { max, backoff, maxDelayMs } = retry;
  return {
    delay,
    ...(max !== undefined && { max }),
    ...(backoff !== undefined && { backoff }),
    ...(maxDelayMs !== undefined && { maxDelay: maxDelayMs }),
  };
}

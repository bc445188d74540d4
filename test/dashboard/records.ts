/** Records and stores that the tests of the dashboard make up. */
import { memory, type Store, type TaskRecord } from '../../src/index.ts';

/** A store that cannot be read. */
export function failing(): Store {
  return {
    ...memory(),
    location: 'elsewhere',
    open: () => Promise.reject(new Error()),
    inspect: () => Promise.reject(new Error('the disk is gone')),
  };
}

/** A record of a task that is not due for long; one in ten fails, and the seventh is paused. */
export function recordOf(name: string, index: number): TaskRecord {
  const since = Date.UTC(2027, 0, 1);
  return {
    name,
    cron: '0 0 1 1 *',
    retryDelayMs: 1000,
    policy: null,
    version: 1,
    pausedAt: index === 7 ? since : null,
    firstSeenAt: since,
    servedThrough: since,
    lastAttemptAt: since,
    lastSuccessAt: since,
    lastFailureAt: null,
    pendingRetryUntil: null,
    failures: index % 10 === 0 ? 3 : 0,
    failingSince: index % 10 === 0 ? since : null,
    lastError: null,
    lastDurationMs: index,
    work: null,
    run: null,
  };
}

/** A scheduler on the test clock, with its metrics. */
import type { SchedulerOptions } from '../../src/index.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/index.ts';
import { type Metrics, type MetricsOptions, metrics } from '../../src/telemetry/index.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import { Page } from './scraped.ts';

const START = '2026-01-01T12:00:30Z';

interface Stage {
  readonly clock: TestClock;
  readonly store: ReturnType<TestClock['store']>;
  readonly measured: Metrics;
  readonly scheduler: Scheduler;
  page(): Promise<Page>;
}

export function stage(options: MetricsOptions = {}, ofScheduler: SchedulerOptions = {}): Stage {
  const clock = createTestClock(START);
  const store = clock.store();
  const measured = metrics({ store, clock, timeZone: 'UTC', ...options });
  const scheduler = createScheduler({
    clock,
    store,
    timeZone: 'UTC',
    logger: false,
    onEvent: measured.onEvent,
    ...ofScheduler,
  });
  const page = async (): Promise<Page> => new Page(await measured.text());
  return { clock, store, measured, scheduler, page };
}

export const fails = (): never => {
  throw new Error('on purpose');
};

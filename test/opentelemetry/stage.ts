/** A scheduler on the test clock, with OpenTelemetry on it. */
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { Registration, Task } from '../../src/index.ts';
import { type OpenTelemetryOptions, opentelemetry } from '../../src/opentelemetry/index.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/index.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';

const START = '2026-01-01T12:00:30Z';

export const fails = (): never => {
  throw new TypeError('on purpose');
};

export const spans = new InMemorySpanExporter();
export const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });

interface Stage {
  readonly clock: TestClock;
  readonly scheduler: Scheduler;
  wrap(tasks: ReadonlyArray<Registration | Task>): ReadonlyArray<Registration | Task>;
  close(): void;
}

export function stage(options: OpenTelemetryOptions = {}): Stage {
  const clock = createTestClock(START);
  const store = clock.store();
  const told = opentelemetry({ store, clock, timeZone: 'UTC', tracerProvider, ...options });
  const scheduler = createScheduler({ clock, store, timeZone: 'UTC', logger: false, onEvent: told.onEvent });
  return { clock, scheduler, wrap: told.wrap, close: told.close };
}

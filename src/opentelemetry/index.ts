/**
 * `obbligato/opentelemetry`: a span per run, and the metrics of `obbligato/telemetry` as instruments. It needs `@opentelemetry/api`, an optional peer,
 * and an SDK that is registered with it or given.
 */
import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { taskFacts, wrapCallbacks } from '../config.ts';
import type { Registration, SchedulerEvent, Task } from '../index.ts';
import { type MetricsOptions, Sources } from '../telemetry/sources.ts';
import { Instruments } from './instruments.ts';
import { Spans } from './spans.ts';

export type { MetricsOptions } from '../telemetry/sources.ts';

/** What `opentelemetry` takes, all of it optional. */
export interface OpenTelemetryOptions extends Omit<MetricsOptions, 'listen'> {
  /** Where spans go; the global provider by default, which may be registered later. */
  readonly tracerProvider?: TracerProvider;
  /** Where metrics go; the global provider by default, which may be registered later. */
  readonly meterProvider?: MeterProvider;
  /** Whether spans have the text of what a callback threw; `false` leaves only the name of the error. */
  readonly recordErrors?: boolean;
}

/** OpenTelemetry for one scheduler. */
export interface OpenTelemetry {
  /** Goes into `createScheduler({ onEvent })`. */
  readonly onEvent: (event: SchedulerEvent) => void;
  /**
   * The same tasks, whose callbacks run in the context of their span, so that spans of their own are its children. It goes around the list
   * that `initialize` is given.
   */
  wrap(tasks: ReadonlyArray<Registration | Task>): ReadonlyArray<Registration | Task>;
  /** Lets go of what it listens to. */
  close(): void;
}

/** Creates spans and metrics: `onEvent` for the scheduler, `wrap` for its tasks. */
export function opentelemetry(options: OpenTelemetryOptions = {}): OpenTelemetry {
  const schedules = new Map<string, { readonly cron: string; readonly timeZone?: string | undefined }>();
  const spans = new Spans({
    provider: options.tracerProvider,
    recordErrors: options.recordErrors ?? true,
    factsOf: (task) => schedules.get(task),
  });
  const instruments = new Instruments(options.meterProvider, () => sources.findings());
  const sources = new Sources(options, instruments);
  return {
    onEvent(event) {
      spans.hear(event);
      sources.hear(event);
    },
    wrap(tasks) {
      if (!Array.isArray(tasks)) return tasks; // for `initialize` to refuse
      schedules.clear();
      for (const { name, cron, policy } of factsOf(tasks))
        schedules.set(name, { cron, timeZone: policy.timeZone });
      return wrapCallbacks(
        tasks,
        (run) => (context) => spans.during(context.runId, () => Reflect.apply(run, undefined, [context])),
      );
    },
    close() {
      instruments.close();
      sources.close();
    },
  };
}

/** A list that `initialize` will refuse has no facts; the error is for `initialize` to throw. */
function factsOf(tasks: unknown): ReturnType<typeof taskFacts> {
  try {
    return taskFacts(tasks);
  } catch {
    return [];
  }
}

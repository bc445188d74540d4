/**
 * `metrics`: what a monitoring system scrapes. Counters and histograms hang on the events of a scheduler in this process, gauges of
 * tasks on the store, so that these can be had from another process too.
 */
import type { SchedulerEvent } from '../index.ts';
import { METRICS, type Metric, seriesOf } from './catalogue.ts';
import { Counts, type Series } from './counts.ts';
import { expose, type Format } from './exposition.ts';
import { type MetricsHandler, scrapeHandler } from './scrape.ts';
import { type MetricsOptions, Sources } from './sources.ts';

/** Metrics of one scheduler. */
export interface Metrics {
  /** Goes into `createScheduler({ onEvent })`. In a process without a scheduler it is left alone. */
  readonly onEvent: (event: SchedulerEvent) => void;
  /** The page, in the format of Prometheus or in OpenMetrics. */
  text(format?: Format): Promise<string>;
  /** Answers a scraper. */
  readonly handler: MetricsHandler;
  /** Lets go of what it listens to. */
  close(): void;
}

const EVENTS = Object.values<Metric>(METRICS).filter(({ from }) => from === 'events');

/** Creates metrics: `onEvent` for the scheduler, `handler` for the one who scrapes. */
export function metrics(options: MetricsOptions = {}): Metrics {
  const counts = new Counts();
  const sources = new Sources(options, counts, (task) => counts.forget(task));
  const text = async (format: Format = 'prometheus'): Promise<string> => {
    const findings = await sources.findings();
    const tasks = sources.heardTasks;
    if (tasks !== undefined)
      for (const metric of EVENTS)
        for (const values of seriesOf(metric, tasks)) counts.expect(metric, values);
    const found = (metric: Metric): Iterable<Series> => findings.get(metric) ?? counts.of(metric);
    return expose(
      Object.values(METRICS).map((metric) => [metric, found(metric)]),
      format,
    );
  };
  return {
    onEvent: sources.hear,
    text,
    handler: scrapeHandler(text),
    close: () => sources.close(),
  };
}

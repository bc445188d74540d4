/** Metrics as the real SDK sees them, of a real scheduler on the test clock. It begins at 12:00:30. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { metrics as globalMetrics } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  type Histogram,
  InMemoryMetricExporter,
  MeterProvider,
  type MetricData,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { minutes, seconds } from '../../src/index.ts';
import { METRICS } from '../../src/telemetry/index.ts';
import { fails, stage } from './stage.ts';

describe('instruments', () => {
  async function collected(
    reader: PeriodicExportingMetricReader,
    exporter: InMemoryMetricExporter,
  ): Promise<MetricData[]> {
    exporter.reset();
    await reader.forceFlush();
    return exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics));
  }

  const metricsOf = (): {
    readonly meterProvider: MeterProvider;
    collect(): Promise<Map<string, MetricData>>;
  } => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
    const meterProvider = new MeterProvider({ readers: [reader] });
    const collect = async (): Promise<Map<string, MetricData>> =>
      new Map((await collected(reader, exporter)).map((data) => [data.descriptor.name, data]));
    return { meterProvider, collect };
  };

  const pointsOf = (data: MetricData | undefined): readonly (readonly [string, unknown])[] =>
    (data?.dataPoints ?? []).map(({ attributes, value }) => [
      Object.values(attributes).join(' '),
      data?.dataPointType === DataPointType.HISTOGRAM ? (value as { count: number }).count : value,
    ]);

  test('G4 counters, balances, histograms, and gauges of the store', async () => {
    const { meterProvider, collect } = metricsOf();
    const { clock, scheduler, wrap, close } = stage({ meterProvider });
    await scheduler.initialize(
      wrap([
        ['good', '* * * * *', () => clock.sleep(seconds(2)), 0],
        ['bad', '1 12 * * *', fails, minutes(60)],
      ]),
    );
    await clock.advance(seconds(91)); // 12:02:01: good runs for the third time
    const seen = await collect();
    assert.deepEqual(pointsOf(seen.get('obbligato.run.ends')), [
      ['success good', 2],
      ['failure bad', 1],
    ]);
    assert.deepEqual(pointsOf(seen.get('obbligato.run.active')), [['', 1]]);
    assert.deepEqual(pointsOf(seen.get('obbligato.scheduler.up')), [['', 1]]);
    assert.deepEqual(pointsOf(seen.get('obbligato.run.duration')), [
      ['success', 2],
      ['failure', 1],
    ]);
    assert.deepEqual(pointsOf(seen.get('obbligato.task.consecutive_failures')), [
      ['good', 0],
      ['bad', 1],
    ]);
    const duration = seen.get('obbligato.run.duration')?.descriptor;
    const first = seen.get('obbligato.run.duration')?.dataPoints[0]?.value as Histogram | undefined;
    assert.deepEqual(first?.buckets.boundaries, METRICS.duration.buckets);
    assert.equal(duration?.unit, 's');
    const known = new Set<string>(Object.values(METRICS).map(({ otel }) => otel));
    assert.deepEqual(
      [...seen.keys()].filter((name) => !known.has(name)),
      [],
    );
    const stopped = scheduler.stop();
    await clock.advance(seconds(2));
    await stopped;
    assert.deepEqual(pointsOf((await collect()).get('obbligato.run.active')), [['', 0]]);
    close();
    await meterProvider.shutdown();
  });

  test('an SDK that is registered after the scheduler was made hears everything from then on, and balances as they are', async () => {
    const { clock, scheduler, wrap, close } = stage();
    await scheduler.initialize(wrap([['a', '* * * * *', () => clock.sleep(seconds(90)), 0]]));
    await clock.advance(seconds(10)); // it runs
    const { meterProvider, collect } = metricsOf();
    globalMetrics.setGlobalMeterProvider(meterProvider);
    try {
      await clock.advance(minutes(2)); // it ends at 12:02:00, and runs again
      const seen = await collect();
      assert.deepEqual(pointsOf(seen.get('obbligato.run.active')), [['', 1]]);
      assert.deepEqual(pointsOf(seen.get('obbligato.scheduler.up')), [['', 1]]);
      assert.deepEqual(pointsOf(seen.get('obbligato.run.ends')), [['success a', 1]]);
      assert.equal(pointsOf(seen.get('obbligato.task.overdue')).length, 1);
    } finally {
      globalMetrics.disable();
    }
    await clock.crash();
    close();
    await meterProvider.shutdown();
  });
});

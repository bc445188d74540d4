/**
 * The metrics of the catalogue as instruments of OpenTelemetry.
 *
 * Where no provider is given, the global one is asked for at each use: a program may register its SDK after it has made its scheduler,
 * and an instrument of the provider before that would stay silent for ever. When another provider is found, instruments are made anew,
 * and what balances have come to is added to the new ones.
 */
import {
  type Attributes,
  type BatchObservableResult,
  type Meter,
  type MeterProvider,
  metrics,
  type Observable,
} from '@opentelemetry/api';
import { METRICS, type Metric } from '../telemetry/catalogue.ts';
import type { Sink } from '../telemetry/counts.ts';
import type { Findings } from '../telemetry/survey.ts';

/** Labels, as attributes. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  task: 'obbligato.task.name',
  cron: 'obbligato.task.cron',
  time_zone: 'obbligato.task.time_zone',
  state: 'obbligato.task.state',
  reason: 'obbligato.run.reason',
  outcome: 'obbligato.run.outcome',
  cause: 'obbligato.late.cause',
  why: 'obbligato.skip.why',
  change: 'obbligato.store.change',
  direction: 'obbligato.clock.direction',
  instance_id: 'obbligato.instance.id',
  result: 'obbligato.initialization.result',
  percentile: 'obbligato.percentile',
  version: 'obbligato.version',
  node: 'process.runtime.version',
};

const attributesOf = ({ labels }: Metric, values: readonly string[]): Attributes =>
  Object.fromEntries(labels.map((label, place) => [ATTRIBUTES[label] ?? label, values[place] ?? '']));

type Recording = (value: number, attributes: Attributes) => void;

/** The instruments of one provider. */
interface Made {
  readonly provider: MeterProvider;
  readonly records: ReadonlyMap<Metric, Recording>;
  close(): void;
}

export class Instruments implements Sink {
  readonly #given: MeterProvider | undefined;
  readonly #findings: () => Promise<Findings>;
  /** What balances have come to. None of them has attributes. */
  readonly #balances = new Map<Metric, number>();
  #made: Made | undefined;

  constructor(provider: MeterProvider | undefined, findings: () => Promise<Findings>) {
    this.#given = provider;
    this.#findings = findings;
  }

  add(metric: Metric, values: readonly string[], by: number): void {
    // Before the balance changes, so that new instruments begin with what it was.
    const record = this.#current().records.get(metric);
    if (metric.kind === 'balance') this.#balances.set(metric, (this.#balances.get(metric) ?? 0) + by);
    record?.(by, attributesOf(metric, values));
  }

  observe(metric: Metric, values: readonly string[], value: number): void {
    this.#current().records.get(metric)?.(value, attributesOf(metric, values));
  }

  close(): void {
    this.#made?.close();
  }

  #current(): Made {
    const provider = this.#given ?? metrics.getMeterProvider();
    if (this.#made?.provider === provider) return this.#made;
    this.#made?.close();
    const made = make(provider, this.#findings);
    for (const [metric, balance] of this.#balances) made.records.get(metric)?.(balance, {});
    this.#made = made;
    return made;
  }
}

function make(provider: MeterProvider, findings: () => Promise<Findings>): Made {
  const meter = provider.getMeter('obbligato');
  const records = new Map<Metric, Recording>();
  const observables = new Map<Metric, Observable>();
  for (const metric of Object.values<Metric>(METRICS)) {
    if (metric.from === 'events') records.set(metric, recordOf(meter, metric));
    else observables.set(metric, meter.createObservableGauge(metric.otel, described(metric)));
  }
  const observe = async (result: BatchObservableResult): Promise<void> => {
    for (const [metric, series] of await findings()) {
      const observable = observables.get(metric);
      if (observable === undefined) continue;
      for (const { values, point } of series)
        if (typeof point === 'number') result.observe(observable, point, attributesOf(metric, values));
    }
  };
  const all = [...observables.values()];
  meter.addBatchObservableCallback(observe, all);
  return { provider, records, close: () => meter.removeBatchObservableCallback(observe, all) };
}

const described = ({ help, unit }: Metric): { description: string; unit: string } => ({
  description: help,
  unit,
});

function recordOf(meter: Meter, metric: Metric): Recording {
  const options = described(metric);
  if (metric.kind === 'histogram') {
    const advice = { explicitBucketBoundaries: [...(metric.buckets ?? [])] };
    const histogram = meter.createHistogram(metric.otel, { ...options, advice });
    return (value, attributes) => histogram.record(value, attributes);
  }
  const counter =
    metric.kind === 'counter'
      ? meter.createCounter(metric.otel, options)
      : meter.createUpDownCounter(metric.otel, options);
  return (value, attributes) => counter.add(value, attributes);
}

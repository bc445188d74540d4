/** The values of counters, balances and histograms, as they add up from events. */
import type { Metric } from './catalogue.ts';

/** Where the values of events go: into the counts of a text page, or into instruments. */
export interface Sink {
  /** Adds to a counter or a balance. `values` are those of the metric's labels, in their order. */
  add(metric: Metric, values: readonly string[], by: number): void;
  /** Takes a value into a histogram. */
  observe(metric: Metric, values: readonly string[], value: number): void;
}

/** One series of a histogram. `counts` has one more place than there are bounds. */
export interface Distribution {
  readonly counts: number[];
  sum: number;
}

/** One series: the values of its labels, and what it has come to. */
export interface Series {
  readonly values: readonly string[];
  point: number | Distribution;
}

export class Counts implements Sink {
  readonly #series = new Map<Metric, Map<string, Series>>();

  add(metric: Metric, values: readonly string[], by: number): void {
    const series = this.#of(metric, values, () => 0);
    if (typeof series.point === 'number') series.point += by;
  }

  observe(metric: Metric, values: readonly string[], value: number): void {
    const bounds = metric.buckets ?? [];
    const { point } = this.#of(metric, values, emptyOf(metric));
    if (typeof point === 'number') return;
    const place = bounds.findIndex((bound) => value <= bound);
    point.counts[place === -1 ? bounds.length : place]++;
    point.sum += value;
  }

  /** The series is there from now on, at 0 if nothing has been counted: a rate needs a value from before the first event. */
  expect(metric: Metric, values: readonly string[]): void {
    this.#of(metric, values, metric.kind === 'histogram' ? emptyOf(metric) : () => 0);
  }

  of(metric: Metric): Iterable<Series> {
    return this.#series.get(metric)?.values() ?? [];
  }

  /** A task is removed: so are its series. `task` is the last label. */
  forget(task: string): void {
    for (const [{ labels }, all] of this.#series) {
      if (labels.at(-1) !== 'task') continue;
      for (const [key, { values }] of all) if (values.at(-1) === task) all.delete(key);
    }
  }

  #of(metric: Metric, values: readonly string[], empty: () => Series['point']): Series {
    const all = this.#series.get(metric) ?? new Map<string, Series>();
    this.#series.set(metric, all);
    // Only the last value is free text, so no two lists of values have the same key.
    const key = values.join('\0');
    const series = all.get(key) ?? { values, point: empty() };
    all.set(key, series);
    return series;
  }
}

const emptyOf =
  ({ buckets = [] }: Metric) =>
  (): Distribution => ({ counts: new Array(buckets.length + 1).fill(0), sum: 0 });

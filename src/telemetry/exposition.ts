/** The text that Prometheus reads: its own format, version 0.0.4, and OpenMetrics, version 1.0.0. */
import type { Metric } from './catalogue.ts';
import type { Distribution, Series } from './counts.ts';

/** The two formats. */
export type Format = 'prometheus' | 'openmetrics';

export const CONTENT_TYPES: Readonly<Record<Format, string>> = {
  prometheus: 'text/plain; version=0.0.4; charset=utf-8',
  openmetrics: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

export function expose(all: Iterable<readonly [Metric, Iterable<Series>]>, format: Format): string {
  const lines: string[] = [];
  for (const [metric, series] of all) {
    const samples = [...series].flatMap((each) => samplesOf(metric, each));
    if (samples.length > 0) lines.push(...headOf(metric, format), ...samples);
  }
  return `${[...lines, ...(format === 'openmetrics' ? ['# EOF'] : [])].join('\n')}\n`;
}

function headOf({ name, kind, help }: Metric, format: Format): readonly string[] {
  // In OpenMetrics the family of a counter has no suffix; its sample has.
  const family = format === 'openmetrics' && kind === 'counter' ? name.replace(/_total$/, '') : name;
  const type = kind === 'balance' ? 'gauge' : kind;
  const head = [`# HELP ${family} ${escaped(help)}`, `# TYPE ${family} ${type}`];
  return format === 'openmetrics' && family.endsWith('_seconds')
    ? [...head, `# UNIT ${family} seconds`]
    : head;
}

function samplesOf(metric: Metric, { values, point }: Series): readonly string[] {
  const labels = metric.labels.map((label, place) => `${label}="${escaped(values[place] ?? '')}"`);
  if (typeof point === 'number') return [sample(metric.name, labels, point)];
  return bucketsOf(metric, labels, point);
}

function bucketsOf(
  { name, buckets = [] }: Metric,
  labels: readonly string[],
  { counts, sum }: Distribution,
): readonly string[] {
  let upTo = 0;
  const bounds = [...buckets.map(String), '+Inf'];
  const lines = bounds.map((bound, place) => {
    upTo += counts[place] ?? 0;
    return sample(`${name}_bucket`, [...labels, `le="${bound}"`], upTo);
  });
  return [...lines, sample(`${name}_sum`, labels, sum), sample(`${name}_count`, labels, upTo)];
}

const sample = (name: string, labels: readonly string[], value: number): string =>
  `${name}${labels.length === 0 ? '' : `{${labels.join(',')}}`} ${value}`;

/** Names of tasks may have anything in them. */
const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

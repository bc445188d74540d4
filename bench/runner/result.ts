/** What a run has found out about a scenario: the form of `--json`, of the files in docs/benchmarks, and of tables and charts. */
import { cpus, loadavg, totalmem } from 'node:os';
import {
  type Bound,
  type Contender,
  FASTEST_PEER,
  type Figures,
  type Metric,
  type Scenario,
} from './scenario.ts';
import { ratio, type Summary, summarize } from './statistics.ts';
import { shown } from './units.ts';

/** Where and when it was measured. */
export interface Environment {
  readonly date: string;
  readonly node: string;
  readonly platform: string;
  readonly cores: number;
  readonly processor: string;
  readonly memoryBytes: number;
  /** How many processes wanted a core, on average, in the minute before the run. */
  readonly load: number;
}

export interface MeasuredFigure extends Summary {
  /** Multiples of the median of the limit, and of ours, in the same run. */
  readonly toLimit?: number;
  readonly toOurs?: number;
}

export interface ContenderResult {
  readonly name: string;
  readonly role: Contender['role'];
  readonly tasks?: number;
  /** Why it was not measured. */
  readonly notRun?: string;
  /** By the key of the metric; what this contender does not measure is absent. */
  readonly figures: Readonly<Record<string, MeasuredFigure>>;
  /** What its processes died of, one per run that failed. */
  readonly failures: readonly string[];
}

export interface BoundResult {
  readonly says: string;
  readonly isMet: boolean;
}

export interface ScenarioResult {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly environment: Environment;
  readonly isQuick: boolean;
  readonly isInterrupted: boolean;
  /** How many rounds were asked for. */
  readonly runs: number;
  readonly metrics: readonly Metric[];
  readonly contenders: readonly ContenderResult[];
  readonly bounds: readonly BoundResult[];
}

export function environmentOf(at: Date): Environment {
  const processors = cpus();
  return {
    date: at.toISOString().slice(0, 10),
    node: process.versions.node,
    platform: `${process.platform} ${process.arch}`,
    cores: processors.length,
    processor: processors[0]?.model.trim() ?? 'unknown',
    memoryBytes: totalmem(),
    load: Number(loadavg()[0].toFixed(1)),
  };
}

export function environmentLine(environment: Environment): string {
  const { date, node, platform, cores, processor, memoryBytes, load } = environment;
  const memory = `${shown(memoryBytes, 'B')} of memory`;
  return `${date}, Node ${node}, ${platform}, ${cores} × ${processor}, ${memory}, load ${load.toFixed(1)} before the run`;
}

/** What was measured of one contender, run by run. */
export interface Samples {
  readonly figures: readonly Figures[];
  readonly failures: readonly string[];
}

export interface RunFacts {
  readonly environment: Environment;
  readonly isQuick: boolean;
  readonly isInterrupted: boolean;
  readonly runs: number;
}

/** Puts the samples of all contenders together, in the order of the scenario. */
export function resultOf(scenario: Scenario, samples: readonly Samples[], facts: RunFacts): ScenarioResult {
  const { name, title, about, metrics } = scenario;
  const summaries = samples.map((each) => summariesOf(each, metrics));
  const contenders = scenario.contenders.map((contender, index): ContenderResult => {
    const of = (role: Contender['role'], key: string): Summary | undefined => {
      const other = scenario.contenders.findIndex(
        (each) =>
          each.role === role && each.tasks === contender.tasks && each.instances === contender.instances,
      );
      return summaries[other]?.[key];
    };
    const figures = Object.entries(summaries[index]).map(([key, summary]) => {
      const [toLimit, toOurs] = (['limit', 'ours'] as const).map((role) => ratio(summary, of(role, key)));
      return [key, { ...summary, ...(toLimit && { toLimit }), ...(toOurs && { toOurs }) }] as const;
    });
    return {
      name: contender.name,
      role: contender.role,
      ...(contender.tasks !== undefined && { tasks: contender.tasks }),
      ...(contender.notRun !== undefined && { notRun: contender.notRun }),
      figures: Object.fromEntries(figures),
      failures: samples[index].failures,
    };
  });
  const bounds = (scenario.bounds ?? []).flatMap((bound) => boundResult(bound, metrics, contenders) ?? []);
  return { name, title, about, ...facts, metrics, contenders, bounds };
}

function summariesOf({ figures }: Samples, metrics: readonly Metric[]): Record<string, Summary> {
  const found: Record<string, Summary> = {};
  for (const { key } of metrics) {
    const values = figures.map((each) => each[key]).filter((value) => value !== undefined);
    if (values.length > 0) found[key] = summarize(values);
  }
  return found;
}

/** Undefined if one of the two sides was not measured: then nothing is known. */
function boundResult(
  { metric, contender, atMost, times }: Bound,
  metrics: readonly Metric[],
  contenders: readonly ContenderResult[],
): BoundResult | undefined {
  const medianOf = (name: string): number | undefined =>
    contenders.find((each) => each.name === name)?.figures[metric]?.median;
  const found = metrics.find(({ key }) => key === metric);
  const median = medianOf(contender);
  const peers = contenders
    .filter(({ role }) => role === 'peer')
    .flatMap(({ figures }) => figures[metric]?.median ?? []);
  const other = times === FASTEST_PEER ? Math.min(...peers) : times === undefined ? 1 : medianOf(times);
  if (found === undefined || median === undefined || other === undefined || !Number.isFinite(other))
    return undefined;
  const most =
    times === undefined
      ? shown(atMost, found.unit)
      : `${atMost < 1 ? `1/${Math.round(1 / atMost)}` : `${atMost} times that`} of ${times === FASTEST_PEER ? 'the fastest peer' : `"${times}"`}, ${shown(atMost * other, found.unit)}`;
  return {
    says: `${contender}, ${found.title}: ${shown(median, found.unit)} (at most ${most})`,
    isMet: median <= atMost * other,
  };
}

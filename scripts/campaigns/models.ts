/** What is explored or compared whole, or by seeds, in threads: the models, the theory, the cron engine. */
import { availableParallelism } from 'node:os';
import { type Graph, summary, type Violation } from '../../test/executor/model/explorer.ts';
import { LARGE } from '../../test/executor/model/large.ts';
import { check as checkExecutor } from '../../test/executor/model/shipped-check.ts';
import { checkZone } from '../../test/oracle/transition-check.ts';
import type { Outcome } from '../../test/outcome.ts';
import { LONG, SHORT } from '../../test/store/cluster/model/bounds.ts';
import { check as checkCluster } from '../../test/store/cluster/model/check.ts';
import { examined, titles } from '../../test/theory/contradictions/instances.ts';
import { Campaign as ReferenceCampaign } from '../../test/theory/independent/campaign.ts';
import { origins } from '../../test/theory/independent/traces.ts';
import { explore } from '../../test/theory/proof/explore.ts';
import { large, sizeInWords } from '../../test/theory/proof/instances.ts';
import { type Campaign, named } from './campaign.ts';
import { type Examine, inThreads } from './threads.ts';

const threaded = (campaign: Omit<Campaign, 'play'>, examine: Examine, threads = 1): Campaign => ({
  ...campaign,
  play: inThreads(import.meta.url, campaign.name, examine, threads),
});

const refutationOf = (violation: Pick<Violation, 'property' | 'trace'> | undefined): readonly string[] =>
  violation === undefined ? [] : [[violation.property, ...violation.trace].join('\n    ')];

interface Proof<S> {
  readonly graph: Graph<S>;
  readonly violation: Violation | undefined;
  readonly elapsedMs: number;
}

const proved = <S>({ graph, violation, elapsedMs }: Proof<S>): Outcome => ({
  figures: { explored: summary(graph), 'with liveness': `${Math.round(elapsedMs)} ms` },
  violations: refutationOf(violation),
});

export const executorModel = threaded(
  {
    name: 'executor-model',
    what: 'states of the executor that break a property, on instances too large for the suite',
    unit: 'instances',
    whole: named(Object.keys(LARGE)),
    portion: 1,
    takes: 'two minutes, a gigabyte of memory',
  },
  (name) => proved(checkExecutor(LARGE[name])),
);

const BOUNDS = { ...SHORT, ...LONG };

export const clusterModel = threaded(
  {
    name: 'cluster-model',
    what: 'states of a cluster that break a property, within these bounds',
    unit: 'bounds',
    whole: named(Object.keys(BOUNDS)),
    portion: 1,
    takes: 'some minutes, a gigabyte of memory',
  },
  (name) => proved(checkCluster(BOUNDS[name])),
);

export const contradictions = threaded(
  {
    name: 'contradictions',
    what: 'positions in which the theory leaves no scheduler a way to go on',
    unit: 'theories',
    whole: named(titles),
    portion: 1,
    takes: 'some minutes, two gigabytes of memory',
  },
  examined,
);

export const exploration = threaded(
  {
    name: 'exploration',
    what: "states in which the theory's obligation and what the scheduler has pending differ",
    unit: 'small worlds',
    whole: named(large.map(({ name }) => name)),
    portion: 1,
    takes: 'some minutes, some gigabytes of memory',
  },
  (name, at) => {
    const { instance, expected } = large.find((one) => one.name === name) ?? large[0];
    const report = explore(instance, { onProgress: (states) => at(states / expected) });
    return { figures: { explored: sizeInWords(report) }, violations: refutationOf(report.refutation) };
  },
);

const shownDisagreements = new ReferenceCampaign();

export const reference = threaded(
  {
    name: 'reference',
    what: 'random traces that the oracle and the independent checker judge differently',
    unit: 'traces',
    whole: 100_000,
    portion: 5000,
    takes: 'some minutes',
  },
  (seed) => shownDisagreements.play(Number(seed), origins[(Number(seed) + 3) % origins.length]),
  availableParallelism(),
);

export const transitions = threaded(
  {
    name: 'transitions',
    what: 'differences to an oracle that looks at every minute, around every clock change of every zone',
    unit: 'zones',
    whole: named(Intl.supportedValuesOf('timeZone')),
    portion: 50,
    takes: 'some minutes',
  },
  checkZone,
  availableParallelism(),
);

/** The kinds of worlds: one scheduler on a machine of its own, or several instances over one database. */
import {
  type ClusterScenario,
  clusterRegressionTest,
  createClusterWorld,
  createWorld,
  describeClusterScenario,
  describeScenario,
  type FaultCounts,
  regressionTest,
  runClusterTwice,
  runTwice,
  type Scenario,
  shrink,
  shrinkCluster,
  type Violation,
} from '../../simulation/index.ts';

export type Kind = 'one scheduler' | 'cluster';

/** What every world has to tell. */
interface Report {
  readonly violations: readonly Violation[];
  readonly counts: FaultCounts;
  readonly starts: number;
  readonly events: number;
  readonly simulatedMs: number;
}

/** A scenario, for people and for programs. */
export interface ShownScenario {
  readonly scenario: Scenario | ClusterScenario;
  readonly words: string;
  readonly test: string;
}

export const playTwice = (kind: Kind, seed: number): Promise<Report> =>
  kind === 'cluster' ? runClusterTwice(createClusterWorld({ seed })) : runTwice(createWorld({ seed }));

const titleOf = (seed: number, rule: string): string => `${rule} seed ${seed}`;

const ofOne = (scenario: Scenario, title: string): ShownScenario => ({
  scenario,
  words: describeScenario(scenario),
  test: regressionTest(scenario, title),
});

const ofCluster = (scenario: ClusterScenario, title: string): ShownScenario => ({
  scenario,
  words: describeClusterScenario(scenario),
  test: clusterRegressionTest(scenario, title),
});

/** The scenario of a seed as it was drawn. */
export function whole(kind: Kind, seed: number, rule: string): ShownScenario {
  const title = titleOf(seed, rule);
  return kind === 'cluster'
    ? ofCluster(createClusterWorld({ seed }).scenario, title)
    : ofOne(createWorld({ seed }).scenario, title);
}

/** The scenario of a seed, cut down to what still breaks the rule. */
export async function smallest(kind: Kind, seed: number, rule: string): Promise<ShownScenario> {
  const title = titleOf(seed, rule);
  return kind === 'cluster'
    ? ofCluster(await shrinkCluster(createClusterWorld({ seed }).scenario, rule), title)
    : ofOne(await shrink(createWorld({ seed }).scenario, rule), title);
}

/**
 * What a benchmark in processes of its own is made of. A *scenario* says what is measured. Its *contenders* say who is measured, each
 * as the modules that run in child processes. To add a row, add a contender to a file of `bench/scenarios`; to add a table, add a
 * file there and name it in `bench/benchmarks.ts`.
 */

/** What a child process posts: figures by the keys of the scenario's metrics, and others that later processes need. */
export type Figures = Readonly<Record<string, number>>;

export type Unit = 'ms' | 'B' | 'count' | '/s';

/** One figure of a scenario. Less is better, except of a rate (`/s`). */
export interface Metric {
  readonly key: string;
  readonly title: string;
  readonly unit: Unit;
  /** It explains the other figures, so it is in the table and not in the chart. */
  readonly isDetail?: boolean;
}

/** What was measured so far in one round, for contenders that repeat what another one has done. */
export interface Round {
  /** The figures of a contender in this round. Throws if it has failed. */
  figuresOf(contender: string): Figures;
}

/** One process of a contender. */
export interface Step {
  /** The path of a module that calls `contend`. */
  readonly module: string;
  params(round: Round): object;
}

export interface Contender {
  readonly name: string;
  /** The limit does the least that any contender has to do: the same calls in a bare loop, the same bytes with the same syncs. */
  readonly role: 'ours' | 'peer' | 'limit';
  /** Where it is on the horizontal axis, in a scenario about growth: the number of tasks. */
  readonly tasks?: number;
  /** How many instances it has, in a scenario about that: it is compared with others that have as many. */
  readonly instances?: number;
  /** Why it cannot run on this machine. Then its row says so, and nothing of it is measured. */
  readonly notRun?: string;
  /** Processes that run one after the other, in one folder. Their figures are put together. */
  readonly steps: readonly Step[];
}

/** What has to hold in a run: one contender's median is at most a number, or a multiple of another's. */
export interface Bound {
  readonly metric: string;
  readonly contender: string;
  readonly atMost: number;
  /** The name of a contender, or the smallest median of all peers. Without it, `atMost` is in the unit of the metric. */
  readonly times?: string | typeof FASTEST_PEER;
}

export const FASTEST_PEER = Symbol('the fastest peer');

export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** How it is measured, in plain sentences. */
  readonly about: string;
  /** How many rounds there are unless the command line says otherwise. */
  readonly runs: number;
  /** All contenders run at the same time. Only where no figure is a time, and a turn takes long. */
  readonly areTogether?: true;
  /** A process that takes longer is ended, and the contender has failed; 20 minutes unless given. */
  readonly longestMs?: number;
  readonly metrics: readonly Metric[];
  readonly contenders: readonly Contender[];
  readonly bounds?: readonly Bound[];
}

/** What every process is given in addition to its own parameters. */
export interface GivenParams {
  /** An empty folder for the files of the contender; the runner removes it. */
  readonly folder: string;
  /** Nothing waits for the beginning of a minute. */
  readonly isQuick: boolean;
}

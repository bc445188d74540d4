/** What happens to a cluster, as data: everything that its processes, its network, its database and its operators do to it. */
import type { ControlKind } from '../../core/control.ts';
import type { TaskPolicy } from '../scenario/scenario.ts';

/** A task of a list. */
export interface ClusterTask {
  readonly name: string;
  /** `*`, or minutes. */
  readonly minutes: readonly number[] | '*';
  readonly retryDelayMs: number;
  /** What a task object says (H); a task without it is a tuple. */
  readonly policy?: TaskPolicy;
}

/** Something that happens to a host, or to the database. */
export type ClusterAction = HostAction | { readonly kind: 'outage'; readonly ms: number };

/** Something that happens to a host. */
export type HostAction = { readonly host: number } & (
  | /** A process begins with a list, or one that runs gets another. */ {
      readonly kind: 'start';
      readonly tasks: readonly ClusterTask[];
    }
  | { readonly kind: 'stop' }
  | { readonly kind: 'crash' }
  /** The process stands still; its messages travel on. */
  | { readonly kind: 'pause'; readonly ms: number }
  /** Messages of the host are lost: what it asks for, or what is answered. */
  | { readonly kind: 'cut'; readonly ms: number; readonly lost: 'requests' | 'answers' }
  /** Messages of the host take long, and requests that it has given up arrive all the same. */
  | { readonly kind: 'slow'; readonly ms: number }
  /** An operator asks for something from this host (I1), whether a process runs there or not. */
  | {
      readonly kind: 'ask';
      readonly control: ControlKind;
      readonly task: string;
      /** Of a resume. */
      readonly catchUp?: boolean;
    }
);

/** Everything that happens to a cluster, as data. */
export interface ClusterScenario {
  readonly seed: number;
  readonly start: string;
  readonly leaseMs: number;
  /** By how much the clock of each host is off. */
  readonly skewsMs: readonly number[];
  readonly latencyMs: number;
  /** How many messages of a thousand are lost anyway. */
  readonly lostPerMille: number;
  /** How many callbacks of a hundred fail, and how many take long. */
  readonly failing: number;
  readonly long: number;
  /** How many callbacks of a hundred end soon when their signal is aborted; by default none. */
  readonly heeding?: number;
  readonly events: ReadonlyArray<readonly [atMs: number, action: ClusterAction]>;
}

/** As a user types it. */
export const cronOf = ({ minutes }: ClusterTask): string =>
  `${minutes === '*' ? '*' : minutes.join()} * * * *`;

/** A test file that replays the scenario, ready to be pasted and run. */
export const clusterRegressionTest = (scenario: ClusterScenario, title: string): string =>
  `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createClusterWorld } from 'obbligato/simulation';

test(${JSON.stringify(title)}, async () => {
  const { violations } = await createClusterWorld({ scenario: ${JSON.stringify(scenario)} }).run();
  assert.deepEqual(violations, []);
});`;

/** One readable line per event. */
export function describeClusterScenario(scenario: ClusterScenario): string {
  const { start, leaseMs, skewsMs, latencyMs, lostPerMille, failing, long, heeding = 0, events } = scenario;
  const words = ([atMs, action]: (typeof events)[number]): string => {
    const where = action.kind === 'outage' ? 'database' : `host ${action.host}`;
    return `  +${atMs} ms ${where}: ${action.kind} ${detailsOf(action)}`.trimEnd();
  };
  return [
    `${skewsMs.length} hosts from ${start}, lease ${leaseMs} ms, clocks off by ${skewsMs.join(', ')} ms, latency ${latencyMs} ms, ${lostPerMille} ‰ of messages lost, ${failing} % of callbacks fail, ${long} % take long, ${heeding} % heed their signal`,
    ...events.map(words),
  ].join('\n');
}

function detailsOf(action: ClusterAction): string {
  switch (action.kind) {
    case 'start':
      return action.tasks.map(describeTask).join('; ');
    case 'cut':
      return `${action.lost} lost for ${action.ms} ms`;
    case 'ask':
      return `${action.control} ${action.task}${action.catchUp ? ', catching up' : ''}`;
    default:
      return 'ms' in action ? `${action.ms} ms` : '';
  }
}

const describeTask = (task: ClusterTask): string =>
  `${task.name} (${cronOf(task)}, retry ${task.retryDelayMs} ms${task.policy === undefined ? '' : `, ${JSON.stringify(task.policy)}`})`;

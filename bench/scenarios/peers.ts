/** Our scheduler and the schedulers that people use, which keep nothing. */
import type { PeerName, PeerParams } from '../contenders/peer.ts';
import packageFile from '../package.json' with { type: 'json' };
import { type Contender, FASTEST_PEER, type Scenario } from '../runner/scenario.ts';
import {
  HOW_DUE,
  initializeLimit,
  limitOf,
  metrics,
  minuteLimit,
  minuteStep,
  modulePath,
  OURS,
} from './ours.ts';

const { devDependencies } = packageFile;
const TASKS = 20_000;

/** With its version: a figure of another one would be another figure. */
const titleOf = (name: PeerName): string => `${name} ${devDependencies[name]}`;

const peer = (name: PeerName): Contender => ({
  name: titleOf(name),
  role: 'peer',
  steps: [
    { module: modulePath('peer.ts'), params: () => ({ peer: name, tasks: TASKS }) satisfies PeerParams },
  ],
});

export const peers: Scenario = {
  name: 'scheduler-peers',
  title: '20,000 tasks due at once, and other schedulers',
  about: `Ours is durable on a real SQLite file; the others keep nothing. Memory is heap and typed arrays after a collection, without the user's own strings and functions; a quick run leaves ours out. ${HOW_DUE} The others know seconds, so theirs is the beginning of a second. Tasks that are not called within 15 seconds of the last call are counted as not called. The limit makes the same calls, and appends as many bytes with as many syncs as ours did.`,
  runs: 3,
  metrics: [
    { ...metrics.initializeMs, title: 'all registered' },
    metrics.heapBytes,
    { ...metrics.lastStartMs, title: 'last start, after the instant' },
    { key: 'missed', title: 'tasks that were not called', unit: 'count', isDetail: true },
  ],
  contenders: [
    { name: OURS, role: 'ours', steps: [minuteStep({ tasks: TASKS, dueEvery: 1 })] },
    peer('croner'),
    peer('node-cron'),
    peer('cron'),
    peer('node-schedule'),
    limitOf(OURS, (figures) => ({ ...initializeLimit(figures), ...minuteLimit(TASKS)(figures) })),
  ],
  bounds: [
    { metric: 'initializeMs', contender: OURS, atMost: 1 / 20, times: FASTEST_PEER },
    { metric: 'heapBytes', contender: OURS, atMost: 1 / 10, times: FASTEST_PEER },
    { metric: 'lastStartMs', contender: OURS, atMost: 1 / 3, times: titleOf('croner') },
  ],
};

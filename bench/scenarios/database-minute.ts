/** The minute in which everything is due, on one database, with one and more instances. */
import { FASTEST_PEER, type Metric, type Scenario } from '../runner/scenario.ts';
import { BARE, contenderOf, HOW_SET_UP, OURS_ON_POSTGRES, PEER_KINDS } from './databases.ts';
import { HOW_DUE } from './ours.ts';

const metrics: readonly Metric[] = [
  { key: 'lastStartMs', title: 'last start, after the minute began', unit: 'ms' },
  { key: 'endsDurableMs', title: 'all ends durable, after the minute began', unit: 'ms' },
  { key: 'pairsPerSecond', title: 'starts with their ends', unit: '/s' },
  { key: 'logBytesPerRun', title: 'written to the log of changes, per run', unit: 'B' },
  { key: 'statements', title: 'statements or commands of the minute', unit: 'count', isDetail: true },
  { key: 'missed', title: 'tasks that were not called within 110 s', unit: 'count', isDetail: true },
];

const HOW_LIMITED =
  'The limit is the two statements that any scheduler of this kind needs, a claim and an end of up to 5,000 tasks each, without cron, history, leases, retries and events.';

const minute = (tasks: number, counts: readonly number[], bounds: Scenario['bounds']): Scenario => {
  const all = (['obbligato', 'statements', ...PEER_KINDS] as const).flatMap((kind) =>
    counts.map((instances) => contenderOf(kind, 'minute.ts', { tasks }, instances)),
  );
  const shown = tasks.toLocaleString('en');
  return {
    name: `postgres-${tasks}`,
    title: `${shown} tasks due at once, on one database`,
    about: `${HOW_SET_UP} ${HOW_DUE} The callbacks do nothing. Instances are processes of their own, on the machine of the database. ${HOW_LIMITED}`,
    runs: 3,
    metrics,
    contenders: all,
    ...(bounds && { bounds }),
  };
};

const withinTwice = { metric: 'lastStartMs', contender: OURS_ON_POSTGRES, atMost: 2, times: BARE } as const;

export const minuteOf1000 = minute(1000, [1], [withinTwice]);
export const minuteOf10000 = minute(
  10_000,
  [1, 2, 4],
  [withinTwice, { metric: 'lastStartMs', contender: OURS_ON_POSTGRES, atMost: 1 / 25, times: FASTEST_PEER }],
);
export const minuteOf100000 = minute(100_000, [1], [withinTwice]);

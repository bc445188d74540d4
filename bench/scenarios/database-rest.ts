/** Databases when nothing is due, after many minutes, and as queues. */
import type { DatabaseIdleParams } from '../contenders/databases/idle.ts';
import type { QueueParams } from '../contenders/databases/queue.ts';
import type { DatabaseSizeParams } from '../contenders/databases/size.ts';
import type { Contender, Scenario } from '../runner/scenario.ts';
import { contenderOf, HOW_SET_UP, OURS_ON_POSTGRES, PEER_KINDS } from './databases.ts';

const IDLE = { tasks: 10_000 } satisfies Omit<DatabaseIdleParams, 'kind' | 'instances'>;
/** The registrations of the others would take many minutes. */
const OURS_WITH_MORE: Contender = {
  ...contenderOf('obbligato', 'idle.ts', { tasks: 100_000 }),
  name: `${OURS_ON_POSTGRES}, 100,000 tasks`,
};
/** Ours renews its lease every two seconds, with at most two statements. */
const MOST_IDLE_STATEMENTS = 60;

export const databaseIdle: Scenario = {
  name: 'postgres-idle',
  title: 'an idle minute of the database',
  about: `One instance with 10,000 tasks, and nothing is due for half a year. The CPU time is that of all processes of the server, over a minute that begins 20 seconds after the registrations. ${HOW_SET_UP}`,
  runs: 3,
  metrics: [
    { key: 'idleCpuMs', title: 'CPU time of the database', unit: 'ms' },
    { key: 'idleStatements', title: 'statements or commands', unit: 'count' },
    { key: 'sizeBytes', title: 'size of the tables and indexes, or of the keys', unit: 'B', isDetail: true },
  ],
  contenders: [
    contenderOf('obbligato', 'idle.ts', IDLE),
    OURS_WITH_MORE,
    ...PEER_KINDS.map((kind) => contenderOf(kind, 'idle.ts', IDLE)),
  ],
  bounds: [OURS_ON_POSTGRES, OURS_WITH_MORE.name].map((contender) => ({
    metric: 'idleStatements',
    contender,
    atMost: MOST_IDLE_STATEMENTS,
  })),
};

const SIZE = { tasks: 1000, minutes: 100 } satisfies Omit<DatabaseSizeParams, 'kind' | 'instances'>;

export const databaseSize: Scenario = {
  name: 'postgres-size',
  title: 'size of the database, 1,000 tasks due in each of 100 minutes',
  about: `One instance. The schedulers run at the same time, each with a database of its own, since no figure is a time. Ours keeps a row of history per run for 30 days, and pg-boss a completed job for a week; graphile-worker deletes a job that is complete; BullMQ keeps all until it is set up otherwise. So the size has to be read with the growth per run. A scheduler that does not keep up has fewer runs. ${HOW_SET_UP}`,
  runs: 1,
  areTogether: true,
  longestMs: (SIZE.minutes + 20) * 60_000,
  metrics: [
    { key: 'firstBytes', title: 'size after the first minute', unit: 'B' },
    { key: 'tenthBytes', title: 'size after ten minutes', unit: 'B' },
    { key: 'lastBytes', title: 'size after 100 minutes', unit: 'B' },
    { key: 'bytesPerRun', title: 'growth per run, after ten minutes', unit: 'B' },
    { key: 'runs', title: 'runs', unit: 'count', isDetail: true },
  ],
  contenders: (['obbligato', ...PEER_KINDS] as const).map((kind) => contenderOf(kind, 'size.ts', SIZE)),
};

const QUEUE = { jobs: 20_000 } satisfies Omit<QueueParams, 'kind'>;

export const databaseQueue: Scenario = {
  name: 'postgres-queue',
  title: '20,000 jobs through a queue, which ours is not',
  about: `What the others are made for: jobs that a program adds, a thousand at a time, while a worker handles them. Ours has no queue and no row here. ${HOW_SET_UP}`,
  runs: 3,
  metrics: [
    { key: 'jobsPerSecond', title: 'jobs added, handled and completed', unit: '/s' },
    { key: 'addedMs', title: 'all jobs added', unit: 'ms' },
    { key: 'lastCallMs', title: 'last job handled', unit: 'ms' },
    { key: 'logBytesPerJob', title: 'written to the log of changes, per job', unit: 'B' },
  ],
  contenders: PEER_KINDS.map((kind) => contenderOf(kind, 'queue.ts', QUEUE)),
};

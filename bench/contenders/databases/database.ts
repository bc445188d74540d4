/** The database of a contender, fresh for each turn, and what can be read off it: how much it was asked, wrote, keeps and works. */
import { type Server, startServer } from '../../../test/store/postgres/server.ts';
import { startRedis } from '../../servers/redis.ts';
import { driverOf, type Kind } from './driver.ts';
import { treeCpuMs } from './tree-cpu.ts';

/** What has come together since the server started. */
export interface Gauges {
  /** Statements, or commands, that it has executed. */
  statements(): Promise<number>;
  /** Bytes of its log of changes. */
  logBytes(): Promise<number>;
  /** What it keeps: tables, indexes and what belongs to them; or the memory of all keys. */
  sizeBytes(): Promise<number>;
  /** CPU time of the server, all its processes; undefined where it cannot be seen. */
  cpuMs(): Promise<number | undefined>;
  /** How many runs of due tasks have ended durably, at least since `since`. */
  ends(since: number): Promise<number>;
}

export interface Database extends Gauges {
  readonly url: string;
  stop(): Promise<void>;
}

/** As it comes, and durable; the extension counts statements, for all contenders alike. */
const SETTINGS = ['shared_preload_libraries=pg_stat_statements', 'pg_stat_statements.max=10000'];
/** What BullMQ's guide asks for in production. */
const REDIS_SETTINGS = ['appendonly', 'yes', 'maxmemory-policy', 'noeviction'];

const ENDS: Readonly<Record<Exclude<Kind, 'bullmq'>, string>> = {
  obbligato: 'SELECT count(*) FROM obbligato.state WHERE run_instance = 0 AND last_success_at >= $1',
  statements: 'SELECT count(*) FROM state WHERE run = 0 AND last_success_at >= $1',
  // A job that is complete is deleted; n_tup_del of statistics lags behind, so this is how many of all were taken out again.
  'graphile-worker': `SELECT max(coalesce(last_value, 0)) - (SELECT count(*) FROM graphile_worker._private_jobs)
    FROM pg_sequences WHERE schemaname = 'graphile_worker' AND sequencename LIKE '%jobs_id_seq%' AND $1::bigint > 0`,
  'pg-boss': `SELECT count(*) FROM pgboss.job WHERE name = 'tick' AND state = 'completed' AND $1::bigint > 0`,
};

export async function openDatabase(kind: Kind): Promise<Database> {
  if (kind !== 'bullmq') return postgresGauges(await startServer(SETTINGS), ENDS[kind]);
  const { gaugesOf } = await driverOf(kind);
  if (gaugesOf === undefined) throw new Error(`${kind} has no gauges for its Redis`);
  const redis = await startRedis(REDIS_SETTINGS);
  const { close, ...gauges } = await gaugesOf(redis.port);
  return {
    ...gauges,
    url: `redis://127.0.0.1:${redis.port}`,
    async stop() {
      await close();
      await redis.stop();
    },
  };
}

/** Stands in every statement of the measuring process, which does not count. */
const MARK = '/* gauge */';

async function postgresGauges(server: Server, ends: string): Promise<Database> {
  const number = async (text: string, values: readonly unknown[] = []): Promise<number> => {
    const marked = text.replace('SELECT', `SELECT ${MARK}`);
    const { rows } = await server.pool.query({ text: marked, values: [...values], rowMode: 'array' });
    return Number(rows[0][0]);
  };
  await server.pool.query('CREATE EXTENSION pg_stat_statements');
  const { rows } = await server.pool.query(`SELECT ${MARK} current_setting('data_directory') AS folder`);
  return {
    url: server.url,
    statements: () =>
      number(`SELECT coalesce(sum(calls), 0) FROM pg_stat_statements WHERE query NOT LIKE '%${MARK}%'`),
    logBytes: () => number("SELECT pg_current_wal_lsn() - '0/0'::pg_lsn"),
    sizeBytes: () =>
      number(`SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'm') AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg_toast%'`),
    cpuMs: async () => treeCpuMs(rows[0].folder),
    ends: (since) => number(ends, [since]),
    stop: () => server.stop(),
  };
}

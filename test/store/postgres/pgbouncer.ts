/**
 * The PostgreSQL store through a real PgBouncer in transaction mode: the conformance suite, then three schedulers that share a list, one of
 * which completes its runs in transactions of its own (K8). `npm run campaign -- pgbouncer` plays it. It installs nothing: `pgbouncer` must
 * be on the PATH, or be named by the variable PGBOUNCER.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { createScheduler, history, type RunContext } from '../../../src/index.ts';
import { postgres } from '../../../src/postgres.ts';
import { storeConformance } from '../../../src/store/conformance.ts';
import type { Outcome } from '../../outcome.ts';
import { freshSchema, type Server, startServer } from './server.ts';

const program = process.env.PGBOUNCER ?? 'pgbouncer';
/** So few that statements of one client must change connections. */
const SERVER_CONNECTIONS = 3;
const TASKS = 200;

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

/** Starts PgBouncer in front of the server. */
async function startPooler(server: Server, home: string): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort();
  const { username, password, pathname } = new URL(server.url);
  const file = join(home, 'pgbouncer.ini');
  writeFileSync(join(home, 'users.txt'), `"${username}" "${password}"\n`);
  writeFileSync(
    file,
    `[databases]
${pathname.slice(1)} = host=127.0.0.1 port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${join(home, 'users.txt')}
pool_mode = transaction
default_pool_size = ${SERVER_CONNECTIONS}
max_client_conn = 500
`,
  );
  for (const name of ['users.txt', 'pgbouncer.ini']) chmodSync(join(home, name), 0o644);
  // It refuses to run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
  const child = spawn(program, [...asUser, file], { stdio: ['ignore', 'ignore', 'pipe'] });
  const url = server.url.replace(`:${server.port}/`, `:${port}/`);
  await answers(url, child);
  return { child, url };
}

/** Resolves once the pooler takes connections. */
async function answers(url: string, child: ChildProcess): Promise<void> {
  const said: string[] = [];
  child.stderr?.on('data', (text) => said.push(String(text)));
  for (;;) {
    const client = new pg.Client(url);
    const isUp = await client.connect().then(
      () => true,
      () => false,
    );
    if (isUp) {
      await client.end();
      return;
    }
    if (child.exitCode !== null) throw new Error(`pgbouncer ended:\n${said.join('')}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The conformance suite; returns how many checks it has. */
async function playConformance(url: string): Promise<number> {
  const checks = storeConformance(async () => {
    const schema = freshSchema();
    return {
      store: postgres(url, { schema }),
      again: () => postgres(url, { schema }),
      cleanup: async () => {},
    };
  });
  for (const { name, run } of checks) {
    await run().catch((error: unknown) => {
      throw new Error(`conformance: ${name}`, { cause: error });
    });
  }
  return checks.length;
}

/** Three schedulers with one list; each due is started once. Returns how many runs there were. */
async function playCluster(url: string): Promise<number> {
  const schema = freshSchema();
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  const starts: string[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const count = ({ name, scheduledFor }: RunContext): void => {
    starts.push(`${name} ${scheduledFor.getTime()}`);
    if (new Set(starts.map((start) => start.split(' ')[0])).size === TASKS) resolve();
  };
  const work = async (context: RunContext): Promise<void> => {
    if (!context.name.endsWith('0')) return count(context);
    const client = await pool.connect();
    await client.query('BEGIN');
    await context.complete(client);
    await client.query('COMMIT');
    client.release();
    count(context);
  };
  const schedulers = Array.from({ length: 3 }, () =>
    createScheduler({ store: postgres(url, { schema }), logger: false }),
  );
  const list = Array.from({ length: TASKS }, (_, place) => [`t${place}`, '* * * * *', work, 60_000] as const);
  for (const scheduler of schedulers) await scheduler.initialize(list);
  await all;
  await Promise.all(schedulers.map((scheduler) => scheduler.stop()));
  await pool.end();
  if (new Set(starts).size !== starts.length) throw new Error('a due was started twice');
  let runs = 0;
  for await (const { outcome } of history(postgres(url, { schema }))) {
    runs++;
    if (outcome !== 'success') throw new Error(`a run has the outcome ${outcome}`);
  }
  if (runs !== starts.length) throw new Error(`${starts.length} starts, and ${runs} runs in the history`);
  return runs;
}

/** Why this machine cannot play it, if so. */
export const noPgbouncer = (): string | undefined =>
  spawnSync(program, ['--version']).status === 0
    ? undefined
    : `"${program}" is not there; install it ("apt-get install pgbouncer"), or name it: PGBOUNCER=/path`;

export async function playPgbouncer(): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'obbligato-pgbouncer-'));
  chmodSync(home, 0o755);
  const server = await startServer();
  let pooler: ChildProcess | undefined;
  try {
    const { child, url } = await startPooler(server, home);
    pooler = child;
    const figures = { checks: await playConformance(url), runs: await playCluster(url) };
    return { figures, violations: [] };
  } finally {
    pooler?.kill();
    await server.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

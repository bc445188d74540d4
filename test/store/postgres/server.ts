/** A PostgreSQL for the tests of one file, and databases in it. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { bounded } from '../../patience.ts';
import { answers, copyAsStandby } from './standby.ts';

export interface Server {
  readonly port: number;
  /** With its password. */
  readonly url: string;
  /** For what a test does behind the store's back. */
  readonly pool: pg.Pool;
  /** Ends the server as a crash does. */
  kill(): Promise<void>;
  /** Ends it as an operator does: every connection is told so. */
  shutDown(): Promise<void>;
  start(): Promise<void>;
  /** Starts a server that follows this one; answers its port. */
  standby(): Promise<number>;
  stop(): Promise<void>;
}

/** Durability of the machine is not what the tests are about, and a busy disk would slow them down. */
const FOR_TESTS = ['fsync=off'];

/** The environment has a server under this name if tests of several processes share one. It cannot be killed. */
export const SHARED_SERVER = 'OBBLIGATO_TEST_SERVER';

/**
 * A pool of a test. Its server is killed now and then, and tells every connection when it stops, also those that are just being closed. Without a
 * listener that would end the process.
 */
export const poolOn = (connectionString: string, options: pg.PoolConfig = {}): pg.Pool =>
  new pg.Pool({ connectionString, ...options }).on('error', () => {});

function sharedServer(url: string): Server {
  const pool = poolOn(url, { max: 4 });
  const refuse = (): Promise<never> => Promise.reject(new Error('others use this server too'));
  return {
    port: Number(new URL(url).port),
    url,
    pool,
    kill: refuse,
    shutDown: refuse,
    start: refuse,
    standby: refuse,
    stop: () => pool.end(),
  };
}

/**
 * Starts a server with these settings. It stops with `stop`, or when this process ends, in whatever way. For a root user it runs as another one
 * (`fixtures/for-others.ts`).
 */
export async function startServer(settings: readonly string[] = FOR_TESTS): Promise<Server> {
  const shared = process.env[SHARED_SERVER];
  if (shared !== undefined) return sharedServer(shared);
  const host = spawn(
    process.execPath,
    [fileURLToPath(new URL('./fixtures/server-host.ts', import.meta.url)), ...settings],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    },
  );
  const lines = createInterface({ input: host.stdout })[Symbol.asyncIterator]();
  const answer = async (what: string): Promise<string> =>
    String((await bounded(what, lines.next())).value ?? '');
  const first = await answer('a PostgreSQL server');
  if (!first.startsWith('ready ')) throw new Error(`no PostgreSQL: ${first}`);
  const port = Number(first.slice('ready '.length));
  const url = `postgres://postgres:secret-word@127.0.0.1:${port}/postgres`;
  const pool = poolOn(url, { max: 4 });
  const ask = async (line: string): Promise<string> => {
    host.stdin.write(`${line}\n`);
    return answer(line);
  };
  return {
    port,
    url,
    pool,
    kill: async () => void (await ask('kill')),
    shutDown: async () => void (await ask('shutdown')),
    start: async () => void (await ask('start')),
    async standby() {
      await copyAsStandby(url);
      const at = Number((await ask('standby')).split(' ')[1]);
      await bounded('a standby', answers(url.replace(`:${port}/`, `:${at}/`)));
      return at;
    },
    async stop() {
      await pool.end();
      const ended = new Promise((resolve) => host.once('exit', resolve));
      host.stdin.end();
      await bounded('the end of the server', ended);
    },
  };
}

let schemas = 0;
/** The name of a schema that no other test has. */
export const freshSchema = (): string => `test_${process.pid}_${++schemas}`;

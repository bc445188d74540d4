/** Real servers for the schedulers that need one, each started when it is first asked for. */
import { NO_REDIS, type RedisServer, redisProgram, startRedis } from '../../bench/servers/redis.ts';
import { type Server, startServer } from '../../test/store/postgres/server.ts';

export type ServerKind = 'postgres' | 'redis';

/** `now()` is a table that the simulated process writes: along this path, a function of that name is found before the built-in one. */
const SIMULATED_NOW = `CREATE SCHEMA simulated;
  CREATE TABLE simulated.clock (at timestamptz NOT NULL);
  INSERT INTO simulated.clock VALUES (pg_catalog.now());
  CREATE FUNCTION simulated.now() RETURNS timestamptz LANGUAGE sql STABLE AS 'SELECT at FROM simulated.clock'`;

export class Servers {
  #postgres: Promise<Server> | undefined;
  #redis: Promise<RedisServer> | undefined;
  #places = 0;

  /** Why this machine has no such server; undefined if it has one. */
  static missing(kind: ServerKind): string | undefined {
    return kind === 'redis' && redisProgram() === undefined ? NO_REDIS : undefined;
  }

  /** The address of an empty database. */
  async place(kind: ServerKind): Promise<string> {
    const place = this.#places++;
    if (kind === 'redis') {
      this.#redis ??= startRedis(['databases', '1000']);
      return `redis://127.0.0.1:${(await this.#redis).port}/${place}`;
    }
    this.#postgres ??= startServer();
    const { pool, url } = await this.#postgres;
    const name = `place_${place}`;
    await pool.query(`CREATE DATABASE ${name}`);
    await pool.query(`ALTER DATABASE ${name} SET search_path = simulated, pg_catalog, public`);
    const own = new URL(url);
    own.pathname = `/${name}`;
    const { default: pg } = await import('pg');
    const client = new pg.Client(own.href);
    await client.connect();
    await client.query(SIMULATED_NOW);
    await client.end();
    return own.href;
  }

  /** "PostgreSQL 18.4"; only of a server that was asked for. */
  async version(kind: ServerKind): Promise<string> {
    if (kind === 'redis') {
      const { Redis } = await import('ioredis');
      const redis = new Redis(await this.place('redis'));
      const info = await redis.info('server');
      await redis.quit();
      return `Redis ${/^redis_version:(\S+)/m.exec(info)?.[1]}`;
    }
    this.#postgres ??= startServer();
    const { rows } = await (await this.#postgres).pool.query('SHOW server_version');
    return `PostgreSQL ${rows[0].server_version}`;
  }

  async stop(): Promise<void> {
    await (await this.#postgres)?.stop();
    await (await this.#redis)?.stop();
  }
}

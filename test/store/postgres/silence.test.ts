/** Connections that go silent, are cut or half closed: the session goes on over others, and its lease is kept. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { newRecord } from '../../../src/store/conformance-kit.ts';
import { Database } from '../../../src/store/postgres/database.ts';
import type { Pool, QueryConfig } from '../../../src/store/postgres/driver.ts';
import { postgres } from '../../../src/store/postgres/store.ts';
import { targetOf } from '../../../src/store/postgres/target.ts';
import { bounded } from '../../patience.ts';
import { FaultyProxy } from './proxy.ts';
import { freshSchema, poolOn, type Server, startServer } from './server.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

for (const how of ['silence', 'cut', 'halfCloseNear', 'halfCloseFar'] as const) {
  test(`K3 ${how}: the lease is renewed over another connection, and so is everything else`, async (t) => {
    const proxy = await FaultyProxy.to(t, server.port);
    const schema = freshSchema();
    const url = server.url.replace(`:${server.port}/`, `:${proxy.port}/`);
    const session = await postgres(url, { schema, lease: 6000 }).open({ waitMs: 0 });
    t.after(() => session.close());
    const leaseUntil = async (): Promise<number> => {
      const { rows } = await server.pool.query(
        `SELECT extract(epoch FROM lease_until)::float8 AS at FROM ${schema}.member`,
      );
      return rows[0].at;
    };
    proxy[how]();
    const before = await leaseUntil();
    let isOver = false;
    const renewed = async (): Promise<void> => {
      while (!isOver && (await leaseUntil()) <= before)
        await new Promise((resolve) => setTimeout(resolve, 50));
    };
    await bounded('a renewal', renewed()).finally(() => {
      isOver = true;
    });
    await session.commit({ puts: [newRecord('a')] });
    assert.equal((await session.read()).length, 1);
    await session.close();
  });
}

test('K3 a process that stands still in the middle of its transaction is cut off from it, and the others go on', async (t) => {
  const schema = freshSchema();
  const store = postgres(server.url, { schema });
  await (await store.open({ waitMs: 0 })).close();
  const database = new Database(targetOf(server.url, schema));
  const release = database.use();
  const stands = Promise.withResolvers<void>();
  const holds = Promise.withResolvers<void>();
  const still = database.transaction(async (ask) => {
    await ask(`SELECT epoch FROM ${schema}.meta FOR UPDATE`);
    holds.resolve();
    await stands.promise;
  });
  t.after(async () => {
    stands.resolve();
    await still.catch(() => {});
    await release();
  });
  await holds.promise;
  const session = await bounded('a session', store.open({ waitMs: 0 }));
  await session.close();
  stands.resolve();
  await assert.rejects(still, { name: 'PostgresUnreachableError' });
});

/** A pool of the user that waits for ever, by itself. Every limit that a statement brings along is divided. */
function patientPool(connectionString: string, limit: { divisor: number }): Pool {
  const pool = poolOn(connectionString);
  const sooner = (config: QueryConfig): QueryConfig => {
    assert.ok(Number(config.query_timeout) > 0, `no limit: ${config.text}`);
    return { ...config, query_timeout: Number(config.query_timeout) / limit.divisor };
  };
  return {
    query: (config) => pool.query(sooner(config)),
    connect: async () => {
      const client = await pool.connect();
      return {
        query: (config) => client.query(sooner(config)),
        release: (destroy) => client.release(destroy),
        on: (event, listener) => client.on(event, listener),
        off: (event, listener) => client.off(event, listener),
      };
    },
    end: () => pool.end(),
    on: (event, listener) => pool.on(event, listener),
  };
}

test('E8 a pool that sets no limits: a statement on a connection that has gone silent fails in the end, and the next one is answered', async (t) => {
  const proxy = await FaultyProxy.to(t, server.port);
  const limit = { divisor: 1 };
  const pool = patientPool(server.url.replace(`:${server.port}/`, `:${proxy.port}/`), limit);
  t.after(() => pool.end());
  const session = await postgres(pool, { schema: freshSchema(), lease: 60_000 }).open({ waitMs: 0 });
  t.after(() => session.close());
  proxy.silence();
  limit.divisor = 100;
  await assert.rejects(bounded('a failure', session.read()), { name: 'PostgresUnreachableError' });
  limit.divisor = 1;
  assert.deepEqual(await session.read(), []);
});

test('E8 connections of a pool that nobody listens to may break, and the process goes on', async (t) => {
  const proxy = await FaultyProxy.to(t, server.port);
  const pool = new pg.Pool({ connectionString: server.url.replace(`:${server.port}/`, `:${proxy.port}/`) });
  t.after(() => pool.end());
  const session = await postgres(pool, { schema: freshSchema() }).open({ waitMs: 0 });
  t.after(() => session.close());
  const broken = new Promise((resolve) => pool.once('remove', resolve));
  assert.equal(pool.listenerCount('error'), 1);
  proxy.cut();
  await bounded('the end of a connection', broken);
  assert.deepEqual(await session.read(), []);
});

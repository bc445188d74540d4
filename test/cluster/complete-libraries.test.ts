/** K8: a run is completed in transactions of Kysely and Drizzle, as docs/cluster.md shows. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type SQL, sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import type pg from 'pg';
import type { RunContext } from '../../src/scheduler/context.ts';
import { poolOn, type Server, startServer } from '../store/postgres/server.ts';
import { Scene } from './completion-scene.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** Inserts a row and completes the run, in a transaction of a library. `end` throws if it is to be rolled back. */
type Work = (context: RunContext, table: string, end: () => void) => Promise<void>;

/** A statement with its values, as Drizzle takes it. */
const statement = (text: string, values: readonly string[]): SQL =>
  sql.join(
    text
      .split(/\$(\d+)/)
      .map((part, index) => (index % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
  );

const LIBRARIES: Readonly<Record<string, (pool: pg.Pool) => Work>> = {
  Kysely: (pool) => {
    const db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
    return (context, table, end) =>
      db.transaction().execute(async (trx) => {
        await trx.executeQuery(CompiledQuery.raw(`INSERT INTO ${table} VALUES ($1)`, [context.runId]));
        await context.complete((text, values) => trx.executeQuery(CompiledQuery.raw(text, [...values])));
        end();
      });
  },
  'Drizzle, by tx.execute': (pool) => {
    const db = drizzle(pool);
    return (context, table, end) =>
      db.transaction(async (tx) => {
        await tx.execute(sql`INSERT INTO ${sql.raw(table)} VALUES (${context.runId})`);
        await context.complete(async (text, values) => tx.execute(statement(text, values)));
        end();
      });
  },
  'Drizzle, on a client of pg': (pool) => async (context, table, end) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await drizzle(client).execute(sql`INSERT INTO ${sql.raw(table)} VALUES (${context.runId})`);
      await context.complete(client);
      end();
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  },
};

for (const [library, workOf] of Object.entries(LIBRARIES)) {
  describe(`K8 ${library}`, () => {
    test('a transaction that is committed is the end of the run, whatever the callback does after it', async (t) => {
      const scene = new Scene(t, server);
      const pool = poolOn(server.url);
      t.after(() => pool.end());
      const work = workOf(pool);
      const scheduler = await scene.begin(async (context) => {
        await work(context, `${scene.schema}.work`, () => {});
        throw new Error('too late');
      });
      await scene.run();
      assert.equal((await scene.ended()).type, 'TaskRunCompleted');
      await scheduler.stop();
      assert.deepEqual(await scene.left(), [1, 'success']);
    });

    test('a transaction that is rolled back leaves the run to its callback', async (t) => {
      const scene = new Scene(t, server);
      const pool = poolOn(server.url);
      t.after(() => pool.end());
      const work = workOf(pool);
      const scheduler = await scene.begin(
        (context) =>
          work(context, `${scene.schema}.work`, () => {
            throw new Error('no');
          }),
        3_600_000,
      );
      await scene.run();
      assert.equal((await scene.ended()).type, 'TaskRunFailed');
      await scheduler.stop();
      assert.deepEqual(await scene.left(), [0, 'failure']);
    });
  });
}

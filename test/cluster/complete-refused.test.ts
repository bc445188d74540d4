/** K8: what cannot be completed in a transaction of the user is refused, with the way out. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import pg from 'pg';
import type { RunContext } from '../../src/scheduler/context.ts';
import { createScheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/port.ts';
import { postgres } from '../../src/store/postgres/store.ts';
import { bounded } from '../patience.ts';
import { type Server, startServer } from '../store/postgres/server.ts';
import { Scene } from './completion-scene.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** How a completion was refused. */
const refusalOf = (completion: Promise<void>): Promise<Error> =>
  completion.then(
    () => new Error('it was not refused'),
    (error: Error) => error,
  );

describe('K8 what cannot be completed is refused', () => {
  test('K4 a zombie: its transaction is told, and rolls back with its work', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const { promise, resolve } = Promise.withResolvers<Error>();
    const scheduler = await scene.begin(async (context) => {
      if (context.reason === 'orphaned') return;
      // As another instance does that has seen the lease run out.
      await server.pool.query(
        `UPDATE ${scene.schema}.state SET run_cut_off_at = run_started_at; DELETE FROM ${scene.schema}.member`,
      );
      const refusal = await refusalOf(scene.transaction(context, client, 'COMMIT'));
      resolve(refusal);
      throw refusal;
    });
    await scene.run();
    const refusal = await bounded('a refusal', promise);
    assert.equal(refusal.name, 'RunLostError');
    await scene.conditions.find('a start of the orphaned run', () =>
      scene.events.find(({ type }) => type === 'TaskRunCompleted'),
    );
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [0, 'success']);
  });

  test('a client of another database, a pool, no transaction, nonsense; and the run goes on', async (t) => {
    const scene = new Scene(t, server);
    const [elsewhere, alike] = [`${scene.schema}_a`, `${scene.schema}_b`];
    for (const name of [elsewhere, alike]) await server.pool.query(`CREATE DATABASE ${name}`);
    const clients: pg.Client[] = [];
    const connected = async (database: string): Promise<pg.Client> => {
      const client = new pg.Client(server.url.replace(/\/postgres$/, `/${database}`));
      await client.connect();
      clients.push(client);
      return client;
    };
    t.after(() => Promise.all(clients.map((client) => client.end())));
    const other = await connected(elsewhere);
    const twin = await connected(alike);
    // The same schema, with a run that has the same numbers.
    const there = createScheduler({
      store: postgres(server.url.replace(/\/postgres$/, `/${alike}`), { schema: scene.schema }),
      logger: false,
    });
    t.after(() => there.stop());
    await there.initialize([['t', '0 0 1 1 *', () => {}, 0]]);
    const refusals: Error[] = [];
    const here = await scene.client();
    const scheduler = await scene.begin(async (context) => {
      await twin.query(
        `UPDATE ${scene.schema}.state SET run_label = 1, run_count = 1, run_instance = 1, run_started_at = 1`,
      );
      for (const client of [other, twin]) {
        await client.query('BEGIN');
        refusals.push(await refusalOf(context.complete(client)));
        await client.query('ROLLBACK');
      }
      for (const wrong of [server.pool, here, {}, null, async () => 7])
        refusals.push(await refusalOf(context.complete(wrong as pg.Client)));
      await scene.transaction(context, here, 'COMMIT');
    });
    await scene.run();
    await scene.ended();
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [1, 'success']);
    assert.deepEqual(new Set(refusals.map(({ name }) => name)), new Set(['CompletionError']));
    const reasons = refusals.map(({ message }) => message.slice(message.indexOf(': ') + 2));
    assert.deepEqual(
      reasons.map((reason) => reason.split(' ').slice(0, 5).join(' ')),
      [
        'the client is connected to',
        'the client is connected to',
        'the client is not inside',
        'the client is not inside',
        'what was given is neither',
        'what was given is neither',
        'the client did not answer',
      ],
    );
    const { rows } = await twin.query(`SELECT run_label FROM ${scene.schema}.state`);
    assert.deepEqual(rows, [{ run_label: 1 }], 'the run of the other database is as it was');
  });

  test('a function that executes a statement is a client', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const scheduler = await scene.begin(async ({ complete }) => {
      await client.query('BEGIN');
      await complete(async (text, values) => (await client.query(text, [...values])).rows);
      await client.query('COMMIT');
    });
    await scene.run();
    await scene.ended();
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [0, 'success']);
  });

  test('a run that is over', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const { promise, resolve } = Promise.withResolvers<RunContext>();
    const scheduler = await scene.begin(resolve);
    await scene.run();
    await scene.ended();
    await client.query('BEGIN');
    const refusal = await refusalOf((await promise).complete(client));
    assert.equal(refusal.name, 'RunLostError');
    await scheduler.stop();
  });

  test('a store that is no PostgreSQL, and it says what to use', async (t) => {
    const refusals: Error[] = [];
    const store: Store = memory();
    const { promise, resolve } = Promise.withResolvers<void>();
    const scheduler = createScheduler({ store, logger: false });
    t.after(() => scheduler.stop());
    const work = async ({ complete }: RunContext): Promise<void> => {
      refusals.push(await refusalOf(complete(server.pool)));
      resolve();
    };
    await scheduler.initialize([['t', '* * * * *', work, 0]]);
    await bounded('a refusal', promise);
    assert.match(
      refusals[0].message,
      /^Task "t" cannot be completed in a transaction: store "memory" .* use postgres\(\) of "obbligato\/postgres"/,
    );
  });
});

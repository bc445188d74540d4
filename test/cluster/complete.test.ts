/** K8: the success of a run is a part of the user's own transaction. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inspect } from '../../src/store/inspect.ts';
import { bounded } from '../patience.ts';
import { type Server, startServer } from '../store/postgres/server.ts';
import { oneRow, Scene } from './completion-scene.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

describe('K8 a transaction that is committed', () => {
  test('is the end of the run, once, and the end of the callback adds nothing', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const scheduler = await scene.begin((context) => scene.transaction(context, client, 'COMMIT'));
    await scene.run();
    assert.equal((await scene.ended()).type, 'TaskRunCompleted');
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [1, 'success']);
    const [record] = (await inspect(scene.store)).records;
    assert.deepEqual([record.run, record.failures, record.pendingRetryUntil], [null, 0, null]);
    assert.ok(scene.lines.every((line) => !line.includes('refused')));
  });

  test('is a success even if the callback fails after it', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const scheduler = await scene.begin(async (context) => {
      await scene.transaction(context, client, 'COMMIT');
      throw new Error('too late');
    });
    await scene.run();
    assert.equal((await scene.ended()).type, 'TaskRunCompleted');
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [1, 'success']);
    assert.ok(scene.lines.some((line) => /failed after its run was completed.*too late/.test(line)));
  });

  test('A13 is a success even if a stop aborts the callback after it', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const completed = Promise.withResolvers<void>();
    const scheduler = await scene.begin(async (context) => {
      await scene.transaction(context, client, 'COMMIT');
      completed.resolve();
      await new Promise((_, reject) =>
        context.signal.addEventListener('abort', () => reject(context.signal.reason)),
      );
    });
    await scene.run();
    await bounded('the transaction', completed.promise);
    await scheduler.stop();
    assert.equal((await scene.ended()).type, 'TaskRunCompleted');
    assert.deepEqual(await scene.left(), [1, 'success']);
    assert.equal((await inspect(scene.store)).records[0].run, null);
  });

  test('E9 may complete twice', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const scheduler = await scene.begin(async (context) => {
      await scene.transaction(context, client, 'COMMIT', 2);
      await scene.transaction(context, client, 'COMMIT');
    });
    await scene.run();
    assert.equal((await scene.ended()).type, 'TaskRunCompleted');
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [2, 'success']);
  });

  test('may be so after the callback has returned: the run lasts until then, and the lease with it', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const { promise: returned, resolve } = Promise.withResolvers<void>();
    const scheduler = await scene.begin(async (context) => {
      await client.query('BEGIN');
      await context.complete(client);
      resolve();
    });
    await scene.run();
    await bounded('the return of the callback', returned);
    // Three leases: the heartbeat waits for nobody.
    const { rows } = await server.pool.query('SELECT clock_timestamp() AS now');
    await oneRow(
      server,
      'beats',
      `SELECT FROM ${scene.schema}.member WHERE lease_until > $1::timestamptz + interval '3 s'`,
      [rows[0].now],
    );
    assert.ok(scene.events.every(({ type }) => type !== 'TaskRunCompleted'));
    await client.query('COMMIT');
    await scene.ended();
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [0, 'success']);
  });

  test('survives the death of the process before the callback returns: nothing is started again', async (t) => {
    const scene = new Scene(t, server);
    const starts: string[] = [];
    // The schema and the table are made, and the list is known.
    await (await scene.begin(() => {})).stop();
    const child = spawn(
      process.execPath,
      [fileURLToPath(new URL('./fixtures/completing.ts', import.meta.url)), server.url, scene.schema],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    t.after(() => child.kill('SIGKILL'));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    assert.equal((await bounded('a ready instance', lines.next())).value, 'ready');
    const [asked, committed] = await Promise.all([scene.run(), bounded('a COMMIT', lines.next())]);
    assert.deepEqual([Object(asked).state, committed.value], ['applied', 'committed']);
    child.kill('SIGKILL');
    const other = await scene.begin(({ runId }) => void starts.push(runId));
    await oneRow(server, 'the death of the first', `SELECT FROM ${scene.schema}.member`);
    const [record] = (await inspect(scene.store)).records;
    assert.equal(record.run, null);
    await other.stop();
    assert.deepEqual(starts, []);
    assert.deepEqual(await scene.left(), [1, 'success']);
  });
});

describe('K8 a transaction that is rolled back', () => {
  test('leaves the run to its callback: one that returns has succeeded', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const scheduler = await scene.begin((context) => scene.transaction(context, client, 'ROLLBACK'));
    await scene.run();
    assert.equal((await scene.ended()).type, 'TaskRunCompleted');
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [0, 'success']);
  });

  test('leaves the run to its callback: one that throws has failed', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const scheduler = await scene.begin(async (context) => {
      await scene.transaction(context, client, 'ROLLBACK');
      throw new Error('no');
    }, 3_600_000);
    await scene.run();
    assert.equal((await scene.ended()).type, 'TaskRunFailed');
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [0, 'failure']);
  });

  test('to a savepoint is rolled back too, and another one may be committed', async (t) => {
    const scene = new Scene(t, server);
    const client = await scene.client();
    const scheduler = await scene.begin(async (context) => {
      await client.query('BEGIN; SAVEPOINT before');
      await context.complete(client);
      await client.query('ROLLBACK TO SAVEPOINT before; COMMIT');
      if (context.attempt > 1) await scene.transaction(context, client, 'COMMIT');
      throw new Error('no');
    }, 1);
    await scene.run();
    await scene.conditions.find('a success', () =>
      scene.events.find(({ type }) => type === 'TaskRunCompleted'),
    );
    await scheduler.stop();
    assert.deepEqual(await scene.left(), [1, 'success', 'failure']);
  });
});

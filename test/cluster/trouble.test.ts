/**
 * E8 and E9 on a real PostgreSQL: whatever the database answers, starts wait, ends are kept and written later, trouble is told once and so
 * is its end, and nothing is asked in a hot loop.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { type Server, startServer } from '../store/postgres/server.ts';
import { endure, MEETINGS } from './endure.ts';
import { TroubleScene } from './trouble-scene.ts';
import { TROUBLES } from './troubles.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

describe('E8 trouble that lasts', () => {
  for (const trouble of TROUBLES) {
    test(`E8 ${trouble.name}: starts wait, an end is kept, it is told once, and tried again after pauses`, async (t) => {
      await endure(await TroubleScene.on(t, server), trouble);
    });
  }

  test('E8 while nothing is due: it is told once all the same, also if the store can be read and not written', async (t) => {
    const scene = await TroubleScene.on(t, server);
    const scheduler = await scene.begin({ cron: '0 0 1 1 *', leaseMs: 5000 });
    const readOnly = TROUBLES.find(({ name }) => name.includes('25006'));
    assert.ok(readOnly !== undefined);
    scene.finally(() => readOnly.lift(scene));
    await readOnly.inflict(scene);
    await scene.event('StoreTroubleStarted');
    const before = readOnly.met(scene);
    await scene.find('meetings', () => (readOnly.met(scene) >= before + MEETINGS ? true : undefined));
    await readOnly.lift(scene);
    await scene.event('StoreTroubleEnded');
    await scheduler.stop();
    assert.equal(scene.troubles.length, 4, scene.troubles.join());
    assert.deepEqual(scene.starts, []);
  });
});

describe('E9 answers and connections that get lost', () => {
  test('E9 the answer to a commit gets lost, again and again: what was written counts, and nothing is done twice', async (t) => {
    const scene = await TroubleScene.on(t, server);
    const scheduler = await scene.begin();
    await scene.isUnderWay();
    for (let losses = 1; losses <= 12; losses++) {
      scene.proxy.loseAnswerTo('last_sent');
      await scene.find('a loss', () => (scene.proxy.lost === losses ? true : undefined));
      await scene.moreStarts(1);
    }
    scene.release();
    await scheduler.stop();
    scene.assertCounted();
    for (const start of scene.starts.slice(0, 12)) assert.equal(await scene.ends(start), 1, start.runId);
  });

  test('E9 an administrator ends every connection, again and again (57P01)', async (t) => {
    const scene = await TroubleScene.on(t, server);
    const scheduler = await scene.begin();
    await scene.isUnderWay();
    for (let blows = 0; blows < 8; blows++) {
      await scene.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'jobs'`);
      await scene.moreStarts(2);
    }
    scene.release();
    await scheduler.stop();
    scene.assertCounted();
    const [started, ended] = ['StoreTroubleStarted', 'StoreTroubleEnded'].map(
      (type) => scene.events.filter((event) => event.type === type).length,
    );
    assert.equal(started, ended);
  });
});

describe('E9 what the database takes back for the sake of others is asked again, and is no trouble', () => {
  test('E9 a deadlock (40P01)', async (t) => {
    const scene = await TroubleScene.on(t, server);
    const scheduler = await scene.begin();
    await scene.isUnderWay();
    while (scene.proxy.errors('40P01') === 0) {
      // The store holds the row of its instance and waits for that of a task; then this one wants the row of the instance.
      await scene.lock(`SET LOCAL deadlock_timeout = '10s'; SELECT FROM ${scene.schema}.state FOR UPDATE`);
      await scene.someoneWaits();
      await scene.lock(`UPDATE ${scene.schema}.member SET host = host`).catch(() => {});
      await scene.unlock();
    }
    await scene.moreStarts(3);
    scene.release();
    await scheduler.stop();
    scene.assertCounted();
    assert.deepEqual(scene.troubles, []);
  });

  test('E9 K1 a database whose transactions are serializable by default (40001)', async (t) => {
    const scene = await TroubleScene.on(t, server);
    scene.finally(() => scene.query('ALTER ROLE jobs RESET default_transaction_isolation'));
    await scene.query(`ALTER ROLE jobs SET default_transaction_isolation = 'serializable'`);
    const scheduler = await scene.begin();
    await scene.isUnderWay();
    for (let failures = 1; failures <= 3; failures++) {
      // What waits for this has a view of the row that is too old when it gets it.
      await scene.lock(`UPDATE ${scene.schema}.member SET host = host`);
      await scene.someoneWaits();
      await scene.unlock();
      await scene.find('a failure', () => (scene.proxy.errors('40001') >= failures ? true : undefined));
    }
    await scene.moreStarts(3);
    scene.release();
    await scheduler.stop();
    scene.assertCounted();
    assert.deepEqual(scene.troubles, []);
  });
});

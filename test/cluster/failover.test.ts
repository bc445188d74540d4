/** E8, K1: the primary server is lost, and a standby takes its place: read-only at first, and then promoted. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { bounded } from '../patience.ts';
import { type Server, startServer } from '../store/postgres/server.ts';
import { TroubleScene } from './trouble-scene.ts';

let server: Server;
before(async () => {
  server = await startServer();
});
after(() => server.stop());

/** From now on nothing is committed that the standby does not have. */
async function beSynchronous(): Promise<void> {
  await server.pool.query(`ALTER SYSTEM SET synchronous_standby_names = '*'`);
  await server.pool.query('SELECT pg_reload_conf()');
  let isOver = false;
  const asking = async (): Promise<void> => {
    const query = `SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`;
    while (!isOver && (await server.pool.query(query)).rowCount === 0)
      await new Promise((resolve) => setTimeout(resolve, 20));
  };
  await bounded('a synchronous standby', asking()).finally(() => {
    isOver = true;
  });
}

test('E8 K1 a failover to a synchronous standby: nothing is claimed while that is read-only, and nothing is lost or repeated', async (t) => {
  const scene = await TroubleScene.on(t, server);
  const scheduler = await scene.begin();
  const held = await scene.isUnderWay();
  const port = await server.standby();
  await beSynchronous();
  await scene.moreStarts(3);
  await server.kill();
  scene.proxy.cut();
  scene.proxy.target = port;
  await scene.find('a server that is read-only', () => (scene.proxy.errors('25006') > 0 ? true : undefined));
  const started = scene.starts.length;
  scene.release();
  await scene.find('more of that', () => (scene.proxy.errors('25006') > 4 ? true : undefined));
  // What the primary had granted, and the standby knows of, is called: one start per task at most.
  assert.ok(scene.starts.length <= started + 2, `${scene.starts.length - started} starts`);
  const standby = new pg.Client(server.url.replace(`:${server.port}/`, `:${port}/`));
  standby.on('error', () => {});
  await standby.connect();
  t.after(() => standby.end());
  await standby.query('SELECT pg_promote()');
  await scene.event('StoreTroubleEnded');
  await scene.moreStarts(3);
  await scheduler.stop();
  assert.equal(await scene.ends(held, port), 1);
  scene.assertCounted();
  // If the standby shows what was on its way, that trouble is over, and the next write finds another one.
  assert.match(scene.troubles.join(), /^(StoreTroubleStarted,StoreTroubleEnded,)+the/);
});

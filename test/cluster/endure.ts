/** A scheduler that endures a trouble of its database: what must hold before, while it lasts, and after it. */
import assert from 'node:assert/strict';
import type { TroubleScene } from './trouble-scene.ts';
import type { Trouble } from './troubles.ts';

/** So often the store meets a trouble before that is lifted. */
export const MEETINGS = 5;
/** The heartbeat meets it too, so four of them are of the writer. It pauses for 25, 50 and 100 ms at least between them. */
const LEAST_MS = 25 + 50 + 100;

export async function endure(scene: TroubleScene, trouble: Trouble): Promise<void> {
  const { error, met, tries = 1 } = trouble;
  const scheduler = await scene.begin();
  const held = await scene.isUnderWay();
  scene.finally(() => trouble.lift(scene));
  await trouble.inflict(scene);
  const told = await scene.event('StoreTroubleStarted');
  assert.match(Object(told.error).name, error);
  const [toldAt, before, started] = [performance.now(), met(scene), scene.starts.length];
  scene.release();
  await scene.find('meetings', () => (met(scene) >= before + MEETINGS * tries ? true : undefined));
  const tookMs = performance.now() - toldAt;
  assert.ok(tookMs >= LEAST_MS, `it was met ${met(scene) - before} times in ${tookMs} ms`);
  assert.equal(scene.starts.length, started, 'starts wait');
  assert.ok(scene.pool.waitingCount <= 4, `${scene.pool.waitingCount} statements wait for a connection`);
  await trouble.lift(scene);
  await scene.event('StoreTroubleEnded');
  await scene.moreStarts(3);
  await scheduler.stop();
  assert.equal(await scene.ends(held), 1, 'the end was kept');
  scene.assertCounted();
  assert.deepEqual(scene.troubles, [
    'StoreTroubleStarted',
    'StoreTroubleEnded',
    'the store is in trouble',
    'the store works again',
  ]);
}

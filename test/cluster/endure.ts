/** A scheduler that endures a trouble of its database: what must hold before, while it lasts, and after it. */
import assert from 'node:assert/strict';
import type { TroubleScene } from './trouble-scene.ts';
import type { Trouble } from './troubles.ts';

/** So often the store meets a trouble before that is lifted. */
export const MEETINGS = 5;
/** At least so long, and at most twice as long, are the pauses of the writer. The heartbeat meets the trouble too, at times of its own. */
const PAUSES_MS = [25, 50, 100];

export async function endure(scene: TroubleScene, trouble: Trouble): Promise<void> {
  const { error, met, tries = 1 } = trouble;
  const scheduler = await scene.begin();
  const held = await scene.isUnderWay();
  scene.finally(() => trouble.lift(scene));
  const timers = scene.timers.length;
  await trouble.inflict(scene);
  const told = await scene.event('StoreTroubleStarted');
  assert.match(Object(told.error).name, error);
  const [before, started] = [met(scene), scene.starts.length];
  scene.release();
  await scene.find('pauses between meetings', () => {
    const meetings = (met(scene) - before) / tries;
    if (meetings >= MEETINGS && havePausesGrown(scene.timers.slice(timers))) return true;
    assert.ok(meetings < 10 * MEETINGS, `met without pauses that grow: ${scene.timers.slice(timers)}`);
    return undefined;
  });
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

/** The writer has paused for longer and longer, whatever else timers were set for. */
function havePausesGrown(timers: readonly number[]): boolean {
  let from = 0;
  return PAUSES_MS.every((leastMs) => {
    from = timers.findIndex((ms, index) => index >= from && ms >= leastMs && ms <= 2 * leastMs) + 1;
    return from > 0;
  });
}

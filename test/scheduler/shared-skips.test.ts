/** Dues that came while a task ran, on a store that several instances share (H9, K1): who says that they are skipped, and when. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, SECOND } from './scenario.ts';
import { every, Scene } from './shared-scene.ts';
import { heldCallback } from './world.ts';

test('H9 I5 a due during a run of the list before is skipped with the end of the run: no other instance can start for it', async () => {
  const scene = new Scene();
  const { callback, runs } = heldCallback();
  const scheduler = scene.instance();
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'skip')]));
  await scene.clock.settle();
  await scene.clock.until(scheduler.initialize([every(callback, 2, 'skip')]));
  await scene.clock.advance(MINUTE);
  assert.deepEqual(scene.skipped, ['12:01']);
  runs[0].succeed();
  await scene.clock.settle();
  assert.deepEqual(scene.database.servedAtEnds, ['12:01']);
  assert.equal(runs.length, 1, 'what was skipped is not started for');
  await scene.clock.until(scheduler.stop());
});

test('H9 I5 a due that came before the list which skips it is skipped with the end of the run, too', async () => {
  const scene = new Scene();
  const { callback, runs } = heldCallback();
  const scheduler = scene.instance();
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'remember')]));
  await scene.clock.settle();
  await scene.clock.until(scheduler.initialize([every(callback, 2, 'remember')]));
  await scene.clock.advance(MINUTE);
  await scene.clock.until(scheduler.initialize([every(callback, 3, 'skip')]));
  assert.deepEqual(scene.skipped, []);
  runs[0].succeed();
  await scene.clock.settle();
  assert.deepEqual([scene.skipped, scene.database.servedAtEnds], [['12:01'], ['12:01']]);
  assert.equal(runs.length, 1, 'what was skipped is not started for');
  await scene.clock.until(scheduler.stop());
});

test('H9 I5 a due during a run of a name that its instance has dropped is skipped, since the others have the name', async () => {
  const scene = new Scene();
  const [mine, theirs] = [heldCallback(), heldCallback()];
  const [one, other] = [scene.instance(), scene.instance()];
  await scene.clock.until(one.initialize([every(mine.callback, 1, 'skip')]));
  await scene.clock.settle();
  await scene.clock.until(other.initialize([every(theirs.callback, 1, 'skip')]));
  await scene.clock.until(one.initialize([]));
  await scene.clock.advance(MINUTE + 30 * SECOND);
  mine.runs[0].succeed();
  await scene.clock.advance(20 * SECOND);
  assert.deepEqual([mine.runs.length, theirs.runs.length], [1, 0]);
  assert.deepEqual(scene.skipped, ['12:01']);
  await scene.clock.advance(20 * SECOND);
  assert.equal(theirs.runs.length, 1, 'the next due is started for');
  theirs.runs[0].succeed();
  await scene.clock.until(Promise.all([one.stop(), other.stop()]));
});

test('H9 I5 nothing is skipped of a name that its instance has dropped and brought back: the list in force decides', async () => {
  const scene = new Scene();
  const { callback, runs } = heldCallback();
  const scheduler = scene.instance();
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'skip')]));
  await scene.clock.settle();
  await scene.clock.until(scheduler.initialize([]));
  await scene.clock.until(scheduler.initialize([every(callback, 1, 'remember')]));
  await scene.clock.advance(MINUTE);
  runs[0].succeed();
  await scene.clock.settle();
  assert.deepEqual(scene.skipped, []);
  assert.equal(runs.length, 2, 'what was remembered is started for');
  runs[1].succeed();
  await scene.clock.until(scheduler.stop());
});

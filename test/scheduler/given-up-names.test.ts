/** Names that an instance gives up while others have them (K5): what it leaves is theirs. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SECOND } from './scenario.ts';
import { every, Scene } from './shared-scene.ts';
import { heldCallback } from './world.ts';

const RETRY_MS = 10 * SECOND;

/** One instance runs the task, and another one has it too. */
async function running() {
  const scene = new Scene();
  const [mine, theirs] = [heldCallback(), heldCallback()];
  const [one, other] = [scene.instance(), scene.instance()];
  await scene.clock.until(one.initialize([every(mine.callback, RETRY_MS, 'remember')]));
  await scene.clock.settle();
  await scene.clock.until(other.initialize([every(theirs.callback, RETRY_MS, 'remember')]));
  const end = async (): Promise<void> => {
    theirs.runs[0]?.succeed();
    await scene.clock.until(Promise.all([one.stop(), other.stop()]));
  };
  return { scene, mine, theirs, one, end };
}

test('K5 A6 a retry that waits when its instance gives the name up is made in time by another one that has the name', async () => {
  const { scene, mine, theirs, one, end } = await running();
  // An instance that has joined looks at everything once more after four seconds.
  await scene.clock.advance(5 * SECOND);
  mine.runs[0].fail();
  await scene.clock.settle();
  await scene.clock.until(one.initialize([]));
  await scene.clock.advance(RETRY_MS + SECOND);
  assert.deepEqual([mine.runs.length, theirs.runs.length], [1, 1]);
  await end();
});

test('K5 I5 A6 the retry of a run that fails after its instance has given the name up is made in time by another one', async () => {
  const { scene, mine, theirs, one, end } = await running();
  await scene.clock.until(one.initialize([]));
  await scene.clock.advance(5 * SECOND);
  mine.runs[0].fail();
  await scene.clock.advance(RETRY_MS + SECOND);
  assert.deepEqual([mine.runs.length, theirs.runs.length], [1, 1]);
  await end();
});

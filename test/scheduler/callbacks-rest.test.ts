/** A stopped scheduler is at rest (F5). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MINUTE, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

test('F5 a due that came during the last run leaves nothing turning after stop', async () => {
  const stage = new Stage('2026-03-02T12:00:00Z');
  const { callback, runs } = heldCallback();
  await stage.initialize(['each', '* * * * *', callback, 0]);
  await stage.clock.advance(MINUTE);
  const stopped = stage.stop();
  runs[0].succeed();
  await stopped;
  let deferred = 0;
  stage.clock.defer = () => {
    deferred++;
  };
  await stage.clock.settle();
  assert.equal(deferred, 0);
  assert.equal(runs.length, 1);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hours, minutes } from '../../src/time/duration.ts';
import { createWorld } from './world.ts';

test('A7 of hundreds of retries that a due overtook only the last is left, and it comes to the millisecond', async () => {
  const world = createWorld('2026-01-01T12:00:00Z');
  const calls: { at: string; reason: string }[] = [];
  await world.scheduler.initialize([
    [
      'failing',
      '* 12-16 * * *',
      ({ reason }) => {
        calls.push({ at: new Date(world.clock.now()).toISOString(), reason });
        throw new Error('always');
      },
      hours(3),
    ],
  ]);
  await world.clock.advance(hours(7) + minutes(58));
  assert.equal(calls.length, 300, 'every minute from 12:00 to 16:59');
  assert.ok(calls.every(({ reason }) => reason === 'due'));
  await world.clock.advance(minutes(1));
  assert.deepEqual(calls.slice(300), [{ at: '2026-01-01T19:59:00.000Z', reason: 'retry' }]);
  await world.scheduler.stop();
});

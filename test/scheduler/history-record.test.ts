/** J3: what the record of a task says of failures and of the last run. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { at, type TroubledStore } from './fixtures/troubled-store.ts';
import { MINUTE, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';

/** What the record of a task says of failures and of its last run. */
async function health(store: TroubledStore, name: string): Promise<object> {
  const { failures, failingSince, lastError, lastDurationMs } = await store.record(name);
  return { failures, failingSince, lastError, lastDurationMs };
}

describe('J3 failures in the record', () => {
  test('J3 failures in a row, since when, the last error and the last duration, through a restart', async () => {
    const stage = new Stage(NOON);
    const held = heldCallback();
    const hourly: Registration = ['hourly', '0 * * * *', held.callback, 30 * MINUTE];
    await stage.initialize(hourly);
    const none = { failures: 0, failingSince: null, lastError: null, lastDurationMs: null };
    assert.deepEqual(await health(stage.disk, 'hourly'), none);
    await stage.clock.advance(2 * SECOND);
    held.runs[0].fail(new RangeError('too large'));
    await stage.clock.settle();
    const failingSince = at(NOON) + 2 * SECOND;
    assert.deepEqual(await health(stage.disk, 'hourly'), {
      failures: 1,
      failingSince,
      lastError: { name: 'RangeError', message: 'too large' },
      lastDurationMs: 2 * SECOND,
    });
    await stage.stop();
    await stage.initialize(hourly);
    await stage.clock.advance(30 * MINUTE);
    held.runs[1].fail('a text');
    await stage.clock.settle();
    const { lastError } = await stage.disk.record('hourly');
    assert.equal(lastError?.message, 'a text');
    const twice = { failures: 2, failingSince, lastError, lastDurationMs: 0 };
    assert.deepEqual(await health(stage.disk, 'hourly'), twice);
    await stage.clock.advance(30 * MINUTE + SECOND);
    held.runs[2].succeed();
    await stage.clock.settle();
    const well = { failures: 0, failingSince: null, lastError, lastDurationMs: 3 * SECOND };
    assert.deepEqual(await health(stage.disk, 'hourly'), well);
    await stage.stop();
  });

  test('J3 a crash is no failure of the callback, and no success either', async () => {
    const stage = new Stage(NOON);
    const held = heldCallback();
    const list: Registration = ['hourly', '0 * * * *', held.callback, 30 * MINUTE];
    await stage.initialize(list);
    held.runs[0].fail();
    await stage.clock.advance(60 * MINUTE);
    const before = await health(stage.disk, 'hourly');
    await stage.crash();
    await stage.initialize(list);
    assert.deepEqual(await health(stage.disk, 'hourly'), before);
    await stage.crash();
  });

  test('J3 a duration is never negative, whatever is done to the clock (B5)', async () => {
    const stage = new Stage(NOON);
    const held = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', held.callback, 0]);
    stage.clock.step(-60 * MINUTE);
    held.runs[0].succeed();
    await stage.clock.settle();
    assert.equal((await stage.disk.record('noon')).lastDurationMs, 0);
    await stage.stop();
  });
});

/** Timers beyond what the host can hold, and work after a correction of the clock (B6, F4). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hostClock } from '../../src/time/host-clock.ts';
import { DAY, HOUR, noop, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

describe('beyond the clock', () => {
  test('B6 a delay that no timer can hold does not make the host clock ring at once', async (t) => {
    const warnings: string[] = [];
    const listener = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', listener);
    t.after(() => process.off('warning', listener));
    for (const delayMs of [2 ** 31 - 1, 2 ** 31, Number.POSITIVE_INFINITY])
      hostClock.setTimer(noop, delayMs).cancel();
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(warnings, []);
  });

  test('F4 after a correction of the clock a due is new work, whatever the failed work was scheduled for', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['hourly', '0 * * * *', callback, 10 * DAY]);
    stage.clock.step(-5 * HOUR);
    runs[0].fail();
    await stage.clock.advance(HOUR);
    const { scheduledFor, attempt, key } = runs[1].context;
    assert.deepEqual([scheduledFor.toISOString(), attempt], ['2026-03-02T08:00:00.000Z', 1]);
    assert.notEqual(key, runs[0].context.key);
    runs[1].succeed();
    await stage.stop();
  });
});

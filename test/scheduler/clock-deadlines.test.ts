/** Deadlines that were moved once, and deadlines beyond any clock (B5, A6). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, fail, fileStore, HOUR, MINUTE, noop, Stage } from './scenario.ts';

describe('deadlines', () => {
  test('B5 a deadline that a step has moved is not moved again by the next life', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['fails', '0 12 * * *', fail, 2 * HOUR]);
    stage.clock.step(-HOUR);
    await stage.clock.advance(MINUTE); // seen at 11:01
    await stage.stop();
    await stage.initialize(['fails', '0 12 * * *', fail, 2 * HOUR]);
    await stage.clock.advance(2 * HOUR - 1);
    assert.equal(stage.starts().length, 1);
    await stage.clock.advance(1);
    assert.equal(stage.starts().at(-1), 'fails 13:01 retry');
    await stage.stop();
  });

  test('B5 a deadline that two steps have moved is the whole delay away from the second', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['fails', '0 12 * * *', fail, 2 * HOUR]);
    stage.clock.step(-HOUR);
    await stage.clock.advance(MINUTE);
    stage.clock.step(-30 * MINUTE);
    await stage.clock.advance(MINUTE); // seen at 10:32
    await stage.stop();
    assert.equal((await stage.disk.record('fails')).pendingRetryUntil, stage.clock.now() + 2 * HOUR);
  });

  for (const where of ['in memory', 'on a file'] as const) {
    test(`A6 a delay beyond the end of time waits for ever, and the state stays readable, ${where}`, async (t) => {
      const stage = new Stage('2026-03-02T12:00:00Z', where === 'on a file' ? { store: fileStore(t) } : {});
      await stage.initialize(['noon', '0 12 * * *', fail, Number.MAX_SAFE_INTEGER]);
      await stage.stop();
      await stage.initialize(['noon', '0 12 * * *', noop, 0]);
      assert.equal(stage.starts().length, 1);
      stage.clock.burn(DAY);
      await stage.clock.advance(0);
      assert.equal(stage.starts().length, 2);
      await stage.stop();
    });
  }
});

/** Failure and what follows from it (A6, A7, A8). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '../../src/testing/index.ts';
import { fail, fileStore, HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

describe('retry', () => {
  test('A6 a success is kept through later failures, and a failure through later successes', async (t) => {
    const stage = new Stage('2026-03-02T12:00:00Z', { store: fileStore(t) });
    const { callback, runs } = heldCallback();
    const noon = stage.clock.now();
    await stage.initialize(['each', '* * * * *', callback, HOUR]);
    await stage.clock.advance(7);
    runs[0].succeed();
    await stage.clock.advance(MINUTE);
    runs[1].fail();
    await stage.clock.settle();
    const failed = await stage.disk.record('each');
    assert.equal(failed.lastSuccessAt, noon + 7);
    assert.equal(failed.lastFailureAt, noon + MINUTE + 7);
    assert.equal(failed.lastAttemptAt, noon + MINUTE);
    assert.equal(failed.pendingRetryUntil, noon + MINUTE + 7 + HOUR);
    await stage.clock.advance(MINUTE);
    runs[2].succeed();
    await stage.stop();
    const succeeded = await stage.disk.record('each');
    assert.equal(succeeded.lastSuccessAt, noon + 2 * MINUTE + 7);
    assert.equal(succeeded.lastFailureAt, noon + MINUTE + 7);
    assert.equal(succeeded.lastAttemptAt, noon + 2 * MINUTE);
    assert.equal(succeeded.pendingRetryUntil, null);
  });

  test('A13 a rejection because of the abort at stop is no failure, and waits for no retry', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize([
      'noon',
      '0 12 * * *',
      ({ signal }) =>
        until(new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))),
      MINUTE,
    ]);
    await stage.stop();
    const { lastFailureAt, pendingRetryUntil } = await stage.disk.record('noon');
    assert.deepEqual([lastFailureAt, pendingRetryUntil], [null, null]);
    await stage.clock.advance(SECOND);
    await stage.initialize(['noon', '0 12 * * *', noop, MINUTE]);
    assert.deepEqual(stage.starts(), ['noon 12:00 due', 'noon 12:00:01 orphaned']);
    await stage.stop();
  });

  test('A6 the delay is that of the registration under which the run failed', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['noon', '0 12 * * *', fail, 10 * MINUTE]);
    await stage.stop();
    await stage.initialize(['noon', '0 12 * * *', fail, SECOND]);
    await stage.clock.advance(10 * MINUTE - 1);
    assert.deepEqual(stage.starts(), ['noon 12:00 due']);
    await stage.clock.advance(1);
    assert.deepEqual(stage.starts(), ['noon 12:00 due', 'noon 12:10 retry']);
    await stage.clock.advance(SECOND);
    assert.equal(stage.starts().at(-1), 'noon 12:10:01 retry');
    await stage.stop();
  });

  test('A7 a retry is at the millisecond, counted from the end of the run', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, 1234]);
    await stage.clock.advance(5 * SECOND);
    runs[0].fail();
    await stage.clock.advance(1233);
    assert.equal(runs.length, 1);
    await stage.clock.advance(1);
    assert.deepEqual(stage.starts(), ['noon 12:00 due', 'noon 12:00:06.234 retry']);
    runs[1].succeed();
    await stage.stop();
  });

  test('A7 only the latest failure counts, and any start discards it', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    let calls = 0;
    const failTwice = (): void => {
      if (++calls <= 2) fail();
    };
    // Fails at 12:00 (retry 12:50) and at 12:30 (retry 13:20), succeeds at 13:00.
    await stage.initialize(['half', '0,30 * * * *', failTwice, 50 * MINUTE]);
    await stage.clock.advance(90 * MINUTE - 1);
    assert.deepEqual(stage.starts(), ['half 12:00 due', 'half 12:30 due', 'half 13:00 due']);
    await stage.stop();
  });

  test('A7 the failure of a retry owes another retry, as long as it takes', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['noon', '0 12 * * *', fail, 20 * SECOND]);
    await stage.clock.advance(MINUTE);
    assert.deepEqual(stage.starts(), [
      'noon 12:00 due',
      'noon 12:00:20 retry',
      'noon 12:00:40 retry',
      'noon 12:01 retry',
    ]);
    await stage.stop();
  });

  test('A7 a delay of 0 starves neither timers, nor I/O, nor other tasks', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    let hopeless = 0;
    let healthy = 0;
    await stage.initialize(
      ['hopeless', '0 12 * * *', () => Promise.reject(++hopeless), 0],
      ['hopeless at once', '0 12 * * *', fail, 0],
      ['healthy', '* * * * *', () => healthy++, 0],
    );
    await new Promise((resolve) => setTimeout(resolve, 0)); // a real timer has its turn
    await import('node:fs/promises').then(({ stat }) => stat(import.meta.filename)); // and so has real I/O
    await stage.clock.advance(10 * MINUTE);
    assert.equal(healthy, 11);
    assert.ok(hopeless > 20);
    await stage.stop();
  });

  test('A7 a delay of 0 waits for a fresh macrotask', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    let inThisMacrotask = 0;
    let most = 0;
    await stage.initialize([
      'hopeless',
      '0 12 * * *',
      () => {
        most = Math.max(most, ++inThisMacrotask);
        setImmediate(() => {
          inThisMacrotask = 0;
        });
        fail();
      },
      0,
    ]);
    await stage.clock.settle();
    assert.equal(most, 1);
    await stage.stop();
  });

  test('A8 a due starts the task at once while its retry waits, and is told as such', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    let calls = 0;
    await stage.initialize([
      'half',
      '0,30 * * * *',
      () => {
        if (++calls === 1) fail();
      },
      45 * MINUTE,
    ]);
    await stage.clock.advance(30 * MINUTE);
    assert.deepEqual(stage.world.told().slice(-3), [
      'TaskRetryPreempted half',
      'TaskRunStarted half',
      'TaskRunCompleted half',
    ]);
    await stage.clock.advance(20 * MINUTE); // past the retry that was overtaken
    assert.equal(calls, 2);
    await stage.stop();
  });

  test('A8 a retry before the next due is told as a retry, and delays no due', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    await stage.initialize(['half', '0,30 * * * *', fail, 25 * MINUTE]);
    await stage.clock.advance(30 * MINUTE);
    assert.deepEqual(stage.starts(), ['half 12:00 due', 'half 12:25 retry', 'half 12:30 due']);
    assert.equal(stage.world.told().includes('TaskRetryStarted half'), true);
    await stage.stop();
  });
});

/** `withTimeout`: the signal is aborted, then the run fails. Real timers of a few milliseconds; what is awaited is the event. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TaskTimeoutError } from '../../src/errors.ts';
import type { Callback } from '../../src/scheduler/options.ts';
import { withTimeout } from '../../src/scheduler/with-timeout.ts';
import { hours, milliseconds, minutes } from '../../src/time/duration.ts';
import { Stage } from './scenario.ts';

const NOON = '2026-03-02T12:00:00Z';
const never = (): Promise<never> => new Promise(() => {});

async function failureOf(callback: Callback): Promise<unknown> {
  const stage = new Stage(NOON);
  const failed = stage.world.next('TaskRunFailed');
  await stage.world.scheduler.initialize([['noon', '0 12 * * *', callback, minutes(5)]]);
  const { error } = await failed;
  await stage.stop();
  assert.equal((await stage.disk.record('noon')).pendingRetryUntil, stage.time.wall + minutes(5));
  return error;
}

describe('withTimeout', () => {
  test('A6 a run that takes too long fails, and owes a retry like any other failure', async () => {
    const error = await failureOf(withTimeout(never, milliseconds(3)));
    assert.ok(error instanceof TaskTimeoutError);
    assert.equal(error.name, 'TaskTimeoutError');
    assert.equal(error.message, 'Task "noon" took longer than 3 ms');
  });

  test('D10 its signal is aborted with the same error, before the run fails', async () => {
    const reasons: unknown[] = [];
    const callback = withTimeout(({ signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return never();
    }, 3);
    const error = await failureOf(callback);
    assert.deepEqual(reasons, [error]);
  });

  test('F1 what fails by itself in time fails with its own error', async () => {
    const own = new Error('its own');
    const thrown = await failureOf(
      withTimeout(() => {
        throw own;
      }, hours(1)),
    );
    const rejected = await failureOf(withTimeout(() => Promise.reject(own), hours(1)));
    assert.deepEqual([thrown, rejected], [own, own]);
  });

  test('F1 a rejection after the limit reaches nobody', async (t) => {
    const strays: unknown[] = [];
    const listener = (reason: unknown): void => void strays.push(reason);
    process.on('unhandledRejection', listener);
    t.after(() => process.off('unhandledRejection', listener));
    const { promise, reject } = Promise.withResolvers<void>();
    const error = await failureOf(withTimeout(() => promise, 3));
    assert.ok(error instanceof TaskTimeoutError);
    reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(strays, []);
  });
});

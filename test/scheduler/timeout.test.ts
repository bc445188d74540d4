/** `withTimeout`: at the limit, by the clock of the scheduler, the signal is aborted and the run fails. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TaskTimeoutError } from '../../src/errors.ts';
import { createScheduler, memory, type SchedulerEvent } from '../../src/index.ts';
import type { Callback } from '../../src/scheduler/options.ts';
import { withTimeout } from '../../src/scheduler/with-timeout.ts';
import { createTestClock, until } from '../../src/testing/index.ts';
import { LONGEST_TIMER_MS } from '../../src/time/clock.ts';
import { days, hours, minutes } from '../../src/time/duration.ts';
import { PATIENT } from '../testing/moved-clock.ts';
import { Stage } from './scenario.ts';

const NOON = '2026-03-02T12:00:00Z';
const never = (): Promise<never> => until(new Promise(() => {}));

/** The error of the first run, once a time has passed. */
async function failureAfter(passedMs: number, callback: Callback): Promise<unknown> {
  const stage = new Stage(NOON);
  await stage.initialize(['noon', '0 12 * * *', callback, minutes(5)]);
  await stage.clock.advance(passedMs);
  const failed = stage.world.events.find(({ type }) => type === 'TaskRunFailed');
  assert.ok(failed?.type === 'TaskRunFailed', 'the run has failed');
  assert.equal(failed.at, stage.clock.now());
  await stage.stop();
  assert.equal((await stage.disk.record('noon')).pendingRetryUntil, stage.clock.now() + minutes(5));
  return failed.error;
}

describe('withTimeout', () => {
  test('A6 a run that takes too long fails, and owes a retry like any other failure', async () => {
    const error = await failureAfter(minutes(10), withTimeout(never, minutes(10)));
    assert.ok(error instanceof TaskTimeoutError);
    assert.equal(error.name, 'TaskTimeoutError');
    assert.equal(error.message, 'Task "noon" took longer than 600000 ms');
  });

  test('D10 its signal is aborted with the same error, before the run fails', async () => {
    const reasons: unknown[] = [];
    const callback = withTimeout(({ signal }) => {
      signal.addEventListener('abort', () => reasons.push(signal.reason));
      return never();
    }, minutes(10));
    const error = await failureAfter(minutes(10), callback);
    assert.deepEqual(reasons, [error]);
  });

  test('F1 what fails by itself in time fails with its own error', async () => {
    const own = new Error('its own');
    const thrown = await failureAfter(
      0,
      withTimeout(() => {
        throw own;
      }, hours(1)),
    );
    const rejected = await failureAfter(
      0,
      withTimeout(() => Promise.reject(own), hours(1)),
    );
    assert.deepEqual([thrown, rejected], [own, own]);
  });

  test('F1 a rejection after the limit reaches nobody', async (t) => {
    const strays: unknown[] = [];
    const listener = (reason: unknown): void => void strays.push(reason);
    process.on('unhandledRejection', listener);
    t.after(() => process.off('unhandledRejection', listener));
    const { promise, reject } = Promise.withResolvers<void>();
    const error = await failureAfter(
      3,
      withTimeout(() => until(promise), 3),
    );
    assert.ok(error instanceof TaskTimeoutError);
    reject(new Error('too late'));
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(strays, []);
  });

  test('B6 a limit beyond the longest timer is kept to the millisecond', async () => {
    const stage = new Stage(NOON);
    const failures = (): number => stage.world.events.filter(({ type }) => type === 'TaskRunFailed').length;
    await stage.initialize(['noon', '0 12 2 3 *', withTimeout(never, days(40)), hours(1)]);
    for (const passedMs of [LONGEST_TIMER_MS, days(40) - LONGEST_TIMER_MS - 1]) {
      stage.clock.burn(passedMs);
      await stage.clock.advance(0);
      assert.equal(failures(), 0);
    }
    await stage.clock.advance(1);
    assert.equal(failures(), 1);
    await stage.stop();
  });

  test('the shipped test clock moves it: ten minutes are up after ten minutes by that clock, in and under another limit', async () => {
    for (const limited of [
      (work: Callback) => withTimeout(work, minutes(10)),
      (work: Callback) => withTimeout(withTimeout(work, minutes(10)), minutes(30)),
      (work: Callback) => withTimeout(withTimeout(work, minutes(30)), minutes(10)),
    ]) {
      const clock = createTestClock(NOON, PATIENT);
      const events: SchedulerEvent[] = [];
      const scheduler = createScheduler({
        clock,
        store: memory(),
        timeZone: 'UTC',
        onEvent: (event) => events.push(event),
      });
      const seen: string[] = [];
      const work: Callback = async ({ signal }) => {
        signal.addEventListener('abort', () => seen.push(`aborted ${new Date(clock.now()).toISOString()}`));
        await clock.sleep(hours(1));
      };
      await scheduler.initialize([['noon', '0 12 * * *', limited(work), hours(5)]]);
      await clock.advance(hours(2));
      for (const event of events) {
        if (event.type === 'TaskRunCompleted') seen.push('completed');
        if (event.type === 'TaskRunFailed') seen.push(`failed ${new Date(event.at).toISOString()}`);
      }
      assert.deepEqual(seen, ['aborted 2026-03-02T12:10:00.000Z', 'failed 2026-03-02T12:10:00.000Z']);
      await scheduler.stop();
    }
  });

  test('a callback that is called without a scheduler has its limit in real time', async () => {
    const context = {
      name: 'by hand',
      key: '',
      runId: '',
      scheduledFor: new Date(NOON),
      attempt: 1,
      reason: 'due',
      signal: new AbortController().signal,
      complete: async () => {},
    } as const;
    await assert.rejects(async () => withTimeout(never, 3)(context), TaskTimeoutError);
  });
});

/** D7, D9, D10: nothing starts after the call of stop, what runs is waited for, and its end is durable. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { until } from '../../src/testing/index.ts';
import { at, deadRun, gate, record, TroubledStore } from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';

describe('D7 nothing starts', () => {
  test('D7 a start that is on its way when stop is called is never called, and is taken back durably (A4)', async () => {
    const store = new TroubledStore();
    const orphan = record('orphan', {
      work: { key: 'key', scheduledFor: 5, attempt: 3 },
      run: deadRun(6),
    });
    await store.put(orphan);
    const world = createWorld(NOON, { store });
    const called: string[] = [];
    await world.scheduler.initialize([
      ['new', '* * * * *', () => called.push('new'), 0],
      ['orphan', orphan.cron, () => called.push('orphan'), orphan.retryDelayMs],
    ]);
    // A start and its unstart are two writes.
    const before = (await store.records()).map((each) => ({ ...each, version: each.version + 2 }));
    const slow = gate();
    store.commits = slow.commits;
    await turns();
    assert.equal(store.batches.at(-1)?.starts?.length, 2, 'both starts are on their way');
    const stopped = world.scheduler.stop();
    slow.open();
    await stopped;
    assert.deepEqual(called, []);
    assert.deepEqual(await store.records(), before, 'as if nothing had been tried');
    const run = { ...deadRun(6), cutOffAt: at(NOON) };
    assert.deepEqual(await store.record('orphan'), { ...orphan, version: orphan.version + 3, run });
  });

  test('D7 starts that are durable but not yet called are taken back: `void stop()` in the first of ten (A4)', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const called: string[] = [];
    let stopped: Promise<void> | undefined;
    const list = Array.from({ length: 10 }, (_, index): Registration => {
      const stop = (): void => {
        called.push(`task ${index}`);
        stopped = world.scheduler.stop();
      };
      return [`task ${index}`, '* * * * *', stop, 0];
    });
    await world.scheduler.initialize(list);
    await world.next('SchedulerStopped');
    await stopped;
    assert.equal(called.length, 1);
    for (const { name, lastAttemptAt, work, run } of await store.records()) {
      const wasCalled = called.includes(name);
      assert.deepEqual(
        { lastAttemptAt, work, run },
        { lastAttemptAt: wasCalled ? at(NOON) : null, work: null, run: null },
      );
    }
    await world.scheduler.initialize(list.map(([name, cron]) => [name, cron, () => called.push(name), 0]));
    await turns();
    assert.equal(new Set(called).size, 10);
    assert.equal(called.length, 10, 'each of them exactly once');
    await world.scheduler.stop();
  });

  test('D7 no due minute, no retry and no remembered due starts anything after the call of stop', async () => {
    const world = createWorld(NOON);
    const held = heldCallback();
    let failures = 0;
    const fails = (): never => {
      failures++;
      throw new Error('on purpose');
    };
    await world.scheduler.initialize([
      ['held', '* * * * *', held.callback, 0],
      ['fails', '0 12 * * *', fails, 60_000],
    ]);
    await world.clock.advance(30_000);
    const stopped = world.scheduler.stop();
    await world.clock.advance(10 * 60_000);
    held.runs[0].fail();
    await stopped;
    await world.clock.advance(10 * 60_000);
    assert.equal(held.runs.length, 1);
    assert.equal(failures, 1);
  });
});

describe('D7 what runs is waited for', () => {
  test('D7 stop resolves after every running callback, and after their ends are durable', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const [first, second] = [heldCallback(), heldCallback()];
    await world.scheduler.initialize([
      ['succeeds', '* * * * *', first.callback, 0],
      ['fails', '* * * * *', second.callback, 90_000],
    ]);
    await turns();
    let isStopped = false;
    const stopped = world.scheduler.stop().then(() => {
      isStopped = true;
    });
    const slow = gate();
    store.commits = slow.commits;
    first.runs[0].succeed();
    await world.clock.advance(1_000);
    second.runs[0].fail();
    await turns();
    assert.equal(isStopped, false, 'the ends are not durable yet');
    slow.open();
    await stopped;
    const succeeded = await store.record('succeeds');
    assert.equal(succeeded.lastSuccessAt, at(NOON));
    assert.equal(succeeded.run, null);
    const failed = await store.record('fails');
    assert.equal(failed.lastFailureAt, at(NOON) + 1_000);
    assert.equal(failed.pendingRetryUntil, at(NOON) + 91_000);
    assert.equal(failed.run, null);
  });

  test('D7 stop never rejects because a callback failed, before it or after', async () => {
    const world = createWorld(NOON);
    const held = heldCallback();
    await world.scheduler.initialize([
      ['throws', '* * * * *', () => Promise.reject(new Error('on purpose')), 60_000],
      ['held', '* * * * *', held.callback, 0],
    ]);
    await turns();
    const stops = [world.scheduler.stop(), world.scheduler.stop()];
    held.runs[0].fail(undefined);
    await Promise.all([...stops, world.scheduler.stop()]);
    await world.scheduler.stop();
  });

  test('D7 concurrent stops all wait for the same end', async () => {
    const world = createWorld(NOON);
    const held = heldCallback();
    await world.scheduler.initialize([['held', '* * * * *', held.callback, 0]]);
    await turns();
    let resolved = 0;
    const stops: Promise<number>[] = [];
    for (let call = 0; call < 4; call++) {
      stops.push(world.scheduler.stop().then(() => ++resolved));
      await turns(2);
    }
    assert.equal(resolved, 0);
    held.runs[0].succeed();
    await Promise.all(stops);
    assert.equal(resolved, 4);
  });
});

test('D9 `void stop()` inside a callback works: the callback ends, then the scheduler', async () => {
  const store = new TroubledStore();
  const world = createWorld(NOON, { store });
  await world.scheduler.initialize([
    [
      'last',
      '* * * * *',
      async () => {
        void world.scheduler.stop();
        await turns(3);
      },
      0,
    ],
  ]);
  await world.next('SchedulerStopped');
  assert.equal((await store.record('last')).lastSuccessAt, at(NOON));
  assert.deepEqual(world.told().slice(-4), [
    'PollingStopRequested',
    'TaskRunCompleted last',
    'PollingStopped',
    'SchedulerStopped',
  ]);
});

test('D9 `await stop()` inside a callback waits for itself, until the callback is let go', async () => {
  const world = createWorld(NOON);
  const letGo = Promise.withResolvers<string>();
  const isStopped = (): boolean => world.told().includes('SchedulerStopped');
  await world.scheduler.initialize([
    ['waits', '* * * * *', () => until(Promise.race([world.scheduler.stop(), letGo.promise])), 0],
  ]);
  await world.clock.advance(3_600_000);
  assert.equal(isStopped(), false);
  letGo.resolve('done');
  await world.next('SchedulerStopped');
});

describe('D10 the signal', () => {
  test('D10 it is aborted in the calling tick of stop, whether it was asked for before or after', async () => {
    const world = createWorld(NOON);
    const [early, late] = [heldCallback(), heldCallback()];
    await world.scheduler.initialize([
      ['early', '* * * * *', early.callback, 0],
      ['late', '* * * * *', late.callback, 0],
    ]);
    await turns();
    const { signal } = early.runs[0].context;
    assert.equal(signal.aborted, false);
    const stopped = world.scheduler.stop();
    assert.equal(signal.aborted, true);
    assert.equal(late.runs[0].context.signal.aborted, true);
    assert.equal(signal.reason.name, 'AbortError');
    early.runs[0].succeed();
    late.runs[0].succeed();
    await stopped;
  });

  test('D10 A13 a willing callback ends early, and rejecting because of it is no failure', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    await world.scheduler.initialize([
      [
        'willing',
        '* * * * *',
        ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
        5_000,
      ],
    ]);
    await turns();
    await world.scheduler.stop();
    const { lastFailureAt, pendingRetryUntil, run } = await store.record('willing');
    assert.deepEqual([lastFailureAt, pendingRetryUntil, run?.cutOffAt], [null, null, at(NOON)]);
  });

  test('D10 the signal of a run that is over is left alone', async () => {
    const world = createWorld(NOON);
    const signals: AbortSignal[] = [];
    await world.scheduler.initialize([['a', '* * * * *', ({ signal }) => signals.push(signal), 0]]);
    await turns();
    await world.scheduler.stop();
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false],
    );
  });
});

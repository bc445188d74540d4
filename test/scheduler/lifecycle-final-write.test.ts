/** D7: the last write is tried for a bounded time; what did not become durable goes into the next initialize. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { StopSchedulerError } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import {
  at,
  DISK_ON_FIRE,
  failsBefore,
  neverAnswers,
  neverAnswersAfter,
  TroubledStore,
  through,
} from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns, type World } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const FINAL_WRITE_MS = 10_000;

/** A world in which `held` runs since noon, about to end at 12:00:05 with a store that behaves as given. */
async function stoppingWorld(
  commits: TroubledStore['commits'],
  options: { finalWrite?: number } = {},
): Promise<{ world: World; store: TroubledStore; stopped: Promise<void>; list: Registration[] }> {
  const store = new TroubledStore();
  const world = createWorld(NOON, { store, ...options });
  const held = heldCallback();
  const list: Registration[] = [['held', '0 12 * * *', held.callback, 3_600_000]];
  await world.scheduler.initialize(list);
  await world.clock.advance(5_000);
  store.commits = commits;
  const stopped = world.scheduler.stop();
  stopped.catch(() => {});
  held.runs[0].fail();
  await turns();
  return { world, store, stopped, list };
}

/** The record that the failed run of `stoppingWorld` is to leave. */
async function assertEndIsStored(store: TroubledStore): Promise<void> {
  const { servedThrough, lastAttemptAt, lastFailureAt, pendingRetryUntil, run } = await store.record('held');
  assert.deepEqual(
    { servedThrough, lastAttemptAt, lastFailureAt, pendingRetryUntil, run },
    {
      servedThrough: at(NOON),
      lastAttemptAt: at(NOON),
      lastFailureAt: at(NOON) + 5_000,
      pendingRetryUntil: at(NOON) + 3_605_000,
      run: null,
    },
  );
}

describe('D7 the final write', () => {
  for (const [what, commits] of Object.entries({ neverAnswers, neverAnswersAfter, failsBefore })) {
    test(`D7 a store that ${what}: stop rejects after finalWrite, not before, and lets go of everything`, async () => {
      const { world, store, stopped } = await stoppingWorld(commits);
      let outcome = 'pending';
      stopped.catch(() => {
        outcome = 'rejected';
      });
      await world.clock.advance(FINAL_WRITE_MS - 1);
      assert.equal(outcome, 'pending');
      await world.clock.advance(1);
      await assert.rejects(stopped, (error: unknown) => {
        assert.ok(error instanceof StopSchedulerError);
        assert.ok(error.cause instanceof Error);
        assert.equal(error.details.cause, error.cause);
        assert.equal(error.message, `Failed to stop scheduler: ${error.cause.message}`);
        return true;
      });
      assert.equal((await store.inspect()).owner, 'free');
      const calls = store.calls.length;
      await world.clock.advance(24 * 3_600_000);
      assert.equal(store.calls.length, calls, 'nothing is tried any more');
      assert.equal(world.told().at(-1), 'SchedulerStopped');
    });
  }

  test('D7 what the store said is the cause', async () => {
    const { world, stopped } = await stoppingWorld(failsBefore);
    await world.clock.advance(FINAL_WRITE_MS);
    await assert.rejects(stopped, { name: 'StopSchedulerError', cause: DISK_ON_FIRE });
  });

  test('D7 the time is an option, and counts from the last end, not from the call of stop', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store, finalWrite: 300 });
    const held = heldCallback();
    await world.scheduler.initialize([['held', '* * * * *', held.callback, 0]]);
    await turns();
    let outcome = 'pending';
    world.scheduler.stop().catch(() => {
      outcome = 'rejected';
    });
    await world.clock.advance(3_600_000);
    store.commits = neverAnswers;
    held.runs[0].succeed();
    await world.clock.advance(299);
    assert.equal(outcome, 'pending');
    await world.clock.advance(1);
    assert.equal(outcome, 'rejected');
  });

  test('D7 a store that recovers in time: stop resolves, and the end is durable', async () => {
    const { world, store, stopped } = await stoppingWorld(failsBefore);
    await world.clock.advance(5_000);
    store.commits = through;
    await world.clock.advance(FINAL_WRITE_MS - 5_001);
    await stopped;
    await assertEndIsStored(store);
    assert.equal(world.clock.timers, 0, 'F5 nothing keeps the process alive');
  });
});

describe('D7 ends that were not durable', () => {
  for (const [what, commits] of Object.entries({ neverAnswers, neverAnswersAfter, failsBefore })) {
    test(`D7 ${what}: they go into the transaction of the next initialize, and the run is not repeated`, async () => {
      const { world, store, stopped, list } = await stoppingWorld(commits);
      await world.clock.advance(FINAL_WRITE_MS);
      await assert.rejects(stopped, StopSchedulerError);
      store.commits = through;
      const batches = store.batches.length;
      await world.scheduler.initialize(list);
      assert.ok(store.batches.length - batches <= 1, 'one transaction at the most');
      await assertEndIsStored(store);
      await turns();
      assert.equal(world.trace.filter(({ event }) => event === 'RunStart').length, 1);
      await world.scheduler.stop();
    });
  }

  test('D7 they are kept through initializes that fail', async () => {
    const { world, store, stopped, list } = await stoppingWorld(neverAnswers);
    await world.clock.advance(FINAL_WRITE_MS);
    await assert.rejects(stopped, StopSchedulerError);
    store.commits = failsBefore;
    for (let round = 0; round < 3; round++) await assert.rejects(world.scheduler.initialize(list));
    store.commits = through;
    await world.scheduler.initialize(list);
    await assertEndIsStored(store);
    await world.scheduler.stop();
  });

  test('D7 with an override and a removal in the same initialize, history and configuration are both right', async () => {
    const { world, store, stopped } = await stoppingWorld(neverAnswers);
    await world.clock.advance(FINAL_WRITE_MS);
    await assert.rejects(stopped, StopSchedulerError);
    store.commits = through;
    await world.scheduler.initialize([['held', '0 13 * * *', () => {}, 7]]);
    await assertEndIsStored(store);
    const { cron, retryDelayMs } = await store.record('held');
    assert.deepEqual({ cron, retryDelayMs }, { cron: '0 13 * * *', retryDelayMs: 7 });
    await world.scheduler.stop();
    await world.scheduler.initialize([]);
    assert.deepEqual(await store.records(), []);
    await world.scheduler.stop();
  });

  test('D7 a name that is gone from the next list is forgotten, with its end', async () => {
    const { world, store, stopped } = await stoppingWorld(neverAnswers);
    await world.clock.advance(FINAL_WRITE_MS);
    await assert.rejects(stopped, StopSchedulerError);
    store.commits = through;
    await world.scheduler.initialize([]);
    assert.deepEqual(await store.records(), []);
    await world.scheduler.stop();
  });

  test('D7 if another process has used the store since, it knows better', async () => {
    const { world, store, stopped, list } = await stoppingWorld(neverAnswers);
    await world.clock.advance(FINAL_WRITE_MS);
    await assert.rejects(stopped, StopSchedulerError);
    store.commits = through;
    const other = createWorld('2026-01-01T12:30:00Z', { store });
    let calls = 0;
    await other.scheduler.initialize([['held', '0 12 * * *', () => calls++, 3_600_000]]);
    await turns();
    assert.equal(calls, 1, 'for the other one the run was cut off');
    await other.scheduler.stop();
    const left = await store.record('held');
    await world.scheduler.initialize(list);
    assert.deepEqual(await store.record('held'), left);
    assert.equal(left.lastSuccessAt, at('2026-01-01T12:30:00Z'));
    await world.scheduler.stop();
  });

  test('D7 B5 a cursor that a clock step has moved stays moved, although the store never took the move', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T14:00:00Z', { store });
    const served: string[] = [];
    const list: Registration[] = [
      ['a', '0 * * * *', ({ scheduledFor }) => served.push(scheduledFor.toISOString()), 0],
    ];
    await world.scheduler.initialize(list);
    await world.clock.advance(1000);
    store.commits = neverAnswers;
    world.clock.step(-2 * 3_600_000);
    await world.clock.advance(60_000);
    assert.ok(store.batches.at(-1)?.moves?.length, 'the move is on its way');
    const stopped = world.scheduler.stop();
    stopped.catch(() => {});
    await world.clock.advance(FINAL_WRITE_MS);
    await assert.rejects(stopped, StopSchedulerError);
    store.commits = through;
    await world.clock.advance(3_600_000);
    await world.scheduler.initialize(list);
    await world.clock.advance(1000);
    assert.deepEqual(served, ['2026-01-01T14:00:00.000Z', '2026-01-01T13:00:00.000Z']);
    await world.scheduler.stop();
  });

  test('D7 a start whose fate is unknown is taken back in the next initialize', async () => {
    for (const commits of [neverAnswers, neverAnswersAfter]) {
      const store = new TroubledStore();
      const world = createWorld(NOON, { store });
      let calls = 0;
      const list: Registration[] = [['a', '* * * * *', () => calls++, 0]];
      await world.scheduler.initialize(list);
      const before = await store.records();
      store.commits = commits;
      await turns();
      const stopped = world.scheduler.stop();
      stopped.catch(() => {});
      await world.clock.advance(FINAL_WRITE_MS);
      await assert.rejects(stopped, StopSchedulerError);
      assert.equal(calls, 0);
      store.commits = through;
      const initialized = world.scheduler.initialize(list);
      const stoppedAgain = world.scheduler.stop();
      await Promise.all([initialized, stoppedAgain]);
      assert.deepEqual(await store.records(), before);
    }
  });
});

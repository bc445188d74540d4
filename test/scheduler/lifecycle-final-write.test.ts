/** D7: the last write is tried for a bounded time; what did not become durable is lost, as in a crash. */
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

interface Stopping {
  readonly world: World;
  readonly store: TroubledStore;
  readonly stopped: Promise<void>;
  readonly list: Registration[];
  readonly held: ReturnType<typeof heldCallback>;
}

/** A world in which `held` runs since noon, about to end at 12:00:05 with a store that behaves as given. */
async function stoppingWorld(
  commits: TroubledStore['commits'],
  options: { finalWrite?: number } = {},
): Promise<Stopping> {
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
  return { world, store, stopped, list, held };
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

describe('D7 ends that were not durable are lost, as in a crash', () => {
  /** The starts that a trace has recorded, from the second one on. */
  const laterStarts = ({ trace }: World) => trace.filter(({ event }) => event === 'RunStart').slice(1);

  for (const [what, commits] of Object.entries({ neverAnswers, failsBefore })) {
    test(`D7 A10 a store that ${what}: the next initialize of the same object repeats the run, under its key`, async () => {
      const { world, store, stopped, held } = await stoppingWorld(commits);
      await world.clock.advance(FINAL_WRITE_MS);
      await assert.rejects(stopped, StopSchedulerError);
      store.commits = through;
      const again = heldCallback();
      await world.scheduler.initialize([['held', '0 12 * * *', again.callback, 3_600_000]]);
      await turns();
      const [{ context: first }] = held.runs;
      const [{ context: second }] = again.runs;
      assert.deepEqual([second.reason, second.key, second.attempt], ['orphaned', first.key, 2]);
      again.runs[0].succeed();
      await world.scheduler.stop();
      assert.deepEqual(
        (await store.past()).map(({ runId, outcome }) => `${runId} ${outcome}`),
        [`${second.runId} success`, `${first.runId} cut off`],
        'J1 each run has one row',
      );
    });

    test(`D7 A10 a store that ${what}: so does another object, and the first one has nothing to say then`, async () => {
      const { world, store, stopped, list } = await stoppingWorld(commits);
      await world.clock.advance(FINAL_WRITE_MS);
      await assert.rejects(stopped, StopSchedulerError);
      store.commits = through;
      const other = createWorld('2026-01-01T12:30:00Z', { store });
      let calls = 0;
      await other.scheduler.initialize([['held', '0 12 * * *', () => calls++, 3_600_000]]);
      await turns();
      assert.equal(calls, 1);
      await other.scheduler.stop();
      const left = await store.record('held');
      await world.scheduler.initialize(list);
      assert.deepEqual(await store.record('held'), left);
      await world.scheduler.stop();
    });
  }

  test('D7 an end that the store took without an answer is durable, and the run is not repeated', async () => {
    const { world, store, stopped, list } = await stoppingWorld(neverAnswersAfter);
    await world.clock.advance(FINAL_WRITE_MS);
    await assert.rejects(stopped, StopSchedulerError);
    store.commits = through;
    await world.scheduler.initialize(list);
    await turns();
    await assertEndIsStored(store);
    assert.deepEqual(laterStarts(world), []);
    await world.scheduler.stop();
  });

  test('D7 a name that is gone from the next list is forgotten, and its run has the row of one that was cut off', async () => {
    const { world, store, stopped } = await stoppingWorld(neverAnswers);
    await world.clock.advance(FINAL_WRITE_MS);
    await assert.rejects(stopped, StopSchedulerError);
    store.commits = through;
    await world.scheduler.initialize([]);
    assert.deepEqual(await store.records(), []);
    assert.deepEqual(
      (await store.past()).map(({ task, outcome }) => `${task} ${outcome}`),
      ['held cut off'],
    );
    await world.scheduler.stop();
  });

  test('D7 B5 a cursor that a clock step has moved, and the store has not, is judged again by the next initialize', async () => {
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
    await world.scheduler.initialize(list);
    await world.clock.advance(3_600_000);
    assert.deepEqual(served, ['2026-01-01T14:00:00.000Z', '2026-01-01T13:00:00.000Z']);
    await world.scheduler.stop();
  });

  for (const [what, commits, reason] of [
    ['never took it', neverAnswers, 'due'],
    ['took it without an answer', neverAnswersAfter, 'orphaned'],
  ] as const)
    test(`D7 a start that was not called, and the store ${what}: the next initialize starts the task once`, async () => {
      const store = new TroubledStore();
      const world = createWorld(NOON, { store });
      const reasons: string[] = [];
      const list: Registration[] = [['a', '0 12 * * *', (context) => reasons.push(context.reason), 0]];
      await world.scheduler.initialize(list);
      store.commits = commits;
      await turns();
      const stopped = world.scheduler.stop();
      stopped.catch(() => {});
      await world.clock.advance(FINAL_WRITE_MS);
      await assert.rejects(stopped, StopSchedulerError);
      assert.deepEqual(reasons, []);
      store.commits = through;
      await world.scheduler.initialize(list);
      await turns();
      assert.deepEqual(reasons, [reason]);
      await world.scheduler.stop();
    });
});

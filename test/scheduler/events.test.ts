/** G4: the events of each path through the lifecycle and through a task's life, in their order, with what they carry. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import { createScheduler } from '../../src/scheduler/scheduler.ts';
import { MovedClock } from '../testing/moved-clock.ts';
import {
  at,
  DISK_ON_FIRE,
  deadRun,
  failsBefore,
  record,
  TroubledStore,
  through,
} from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const BEGINNING = ['SchedulerInitializationStarted', 'PollingStarted', 'SchedulerInitializationCompleted'];
const ENDING = ['SchedulerStopRequested', 'PollingStopRequested', 'PollingStopped', 'SchedulerStopped'];
const idle: Registration = ['idle', '0 0 1 1 *', () => {}, 0];

describe('G4 the lifecycle', () => {
  test('G4 initialize, then stop', async () => {
    const world = createWorld(NOON);
    await world.scheduler.initialize([idle]);
    assert.deepEqual(world.told(), BEGINNING);
    await world.scheduler.stop();
    assert.deepEqual(world.told(), [...BEGINNING, ...ENDING]);
  });

  test('G4 an empty list: no polling', async () => {
    const world = createWorld(NOON);
    await world.scheduler.initialize([]);
    await world.scheduler.stop();
    assert.deepEqual(
      world.told(),
      [...BEGINNING, ...ENDING].filter((type) => !type.startsWith('Polling')),
    );
  });

  test('G4 a list that is refused', async () => {
    const world = createWorld(NOON);
    const refusal: unknown = await world.scheduler.initialize([idle, idle]).catch((error: unknown) => error);
    assert.deepEqual(world.told(), ['SchedulerInitializationStarted', 'SchedulerInitializationFailed']);
    const failed = world.events.at(-1);
    assert.equal(failed && 'error' in failed ? failed.error : undefined, refusal);
  });

  test('G4 a store that will not take it, then one that does', async () => {
    const store = new TroubledStore();
    store.commits = failsBefore;
    const world = createWorld(NOON, { store });
    await assert.rejects(world.scheduler.initialize([idle]));
    store.commits = through;
    await world.scheduler.initialize([idle]);
    assert.deepEqual(world.told(), [
      'SchedulerInitializationStarted',
      'SchedulerInitializationFailed',
      ...BEGINNING,
    ]);
    await world.scheduler.stop();
  });

  test('G4 a call that is rejected because the scheduler is active emits neither', async () => {
    const world = createWorld(NOON);
    const initialized = world.scheduler.initialize([idle]);
    await assert.rejects(world.scheduler.initialize([idle]));
    await initialized;
    await assert.rejects(world.scheduler.initialize([]));
    await world.scheduler.stop();
    assert.deepEqual(world.told(), [...BEGINNING, ...ENDING]);
  });

  test('G4 stop during initialize', async () => {
    const world = createWorld(NOON);
    await Promise.all([world.scheduler.initialize([idle]), world.scheduler.stop(), world.scheduler.stop()]);
    assert.deepEqual(world.told(), [
      'SchedulerInitializationStarted',
      'SchedulerStopRequested',
      'PollingStarted',
      'SchedulerInitializationCompleted',
      'PollingStopRequested',
      'PollingStopped',
      'SchedulerStopped',
    ]);
  });

  test('G4 stop while tasks run: their ends come before PollingStopped', async () => {
    const world = createWorld(NOON);
    const [first, second] = [heldCallback(), heldCallback()];
    await world.scheduler.initialize([
      ['a', '* * * * *', first.callback, 0],
      ['b', '* * * * *', second.callback, 0],
    ]);
    await turns();
    const stopped = world.scheduler.stop();
    await turns();
    first.runs[0].succeed();
    await turns();
    second.runs[0].fail();
    await stopped;
    assert.deepEqual(world.told(), [
      ...BEGINNING,
      'TaskRunStarted a',
      'TaskRunStarted b',
      'SchedulerStopRequested',
      'PollingStopRequested',
      'TaskRunCompleted a',
      'TaskRunFailed b',
      'PollingStopped',
      'SchedulerStopped',
    ]);
    const requested = world.events.find(({ type }) => type === 'SchedulerStopRequested');
    assert.equal(requested && 'running' in requested ? requested.running : undefined, 2);
  });
});

describe('G4 the life of a task', () => {
  /** What is told of one task that fails `failures` times, from 11:59:30, after so much time. */
  async function toldOf(
    cron: string,
    delayMs: number,
    failures: number,
    advanceMs: number,
  ): Promise<string[]> {
    const world = createWorld('2026-01-01T11:59:30Z');
    let calls = 0;
    const callback = (): void => {
      if (++calls <= failures) throw new Error('on purpose');
    };
    await world.scheduler.initialize([['a', cron, callback, delayMs]]);
    await world.clock.advance(advanceMs);
    await world.scheduler.stop();
    return world.told().filter((event) => event.startsWith('Task'));
  }

  test('G4 a due start that succeeds', async () => {
    assert.deepEqual(await toldOf('0 12 * * *', 0, 0, 60_000), ['TaskRunStarted a', 'TaskRunCompleted a']);
  });

  test('G4 one that fails, and its retries', async () => {
    assert.deepEqual(await toldOf('0 12 * * *', 5_000, 2, 60_000), [
      'TaskRunStarted a',
      'TaskRunFailed a',
      'TaskRetryStarted a',
      'TaskRunFailed a',
      'TaskRetryStarted a',
      'TaskRunCompleted a',
    ]);
  });

  test('G4 a due that overtakes a waiting retry: TaskRetryPreempted, then TaskRunStarted (A8)', async () => {
    assert.deepEqual(await toldOf('0,1 12 * * *', 3_600_000, 1, 2 * 3_600_000), [
      'TaskRunStarted a',
      'TaskRunFailed a',
      'TaskRetryPreempted a',
      'TaskRunStarted a',
      'TaskRunCompleted a',
    ]);
  });

  test('G4 an orphaned start is a TaskRunStarted', async () => {
    const store = new TroubledStore();
    await store.put(
      record('a', {
        servedThrough: at(NOON),
        work: { key: 'key', scheduledFor: 5, attempt: 1 },
        run: deadRun(5),
      }),
    );
    const world = createWorld(NOON, { store });
    await world.scheduler.initialize([['a', '0 0 1 1 *', () => {}, 0]]);
    await turns();
    await world.scheduler.stop();
    const started = world.events.find(({ type }) => type === 'TaskRunStarted');
    assert.ok(started?.type === 'TaskRunStarted');
    const { runId, lateMs, ...rest } = started;
    assert.deepEqual(rest, {
      type: 'TaskRunStarted',
      at: at(NOON),
      task: 'a',
      key: 'key',
      scheduledFor: 5,
      attempt: 2,
      reason: 'orphaned',
    });
    assert.ok(runId !== 'run' && lateMs === 0);
  });

  test('G4 ends say how long the run took, and a failure what was thrown and when it is retried', async () => {
    const world = createWorld(NOON);
    const held = heldCallback();
    await world.scheduler.initialize([['a', '0 12 * * *', held.callback, 9_000]]);
    await world.clock.advance(1_500);
    held.runs[0].fail(DISK_ON_FIRE);
    await turns();
    const failed = world.events.at(-1);
    assert.deepEqual(failed, {
      type: 'TaskRunFailed',
      at: at(NOON) + 1_500,
      task: 'a',
      runId: held.runs[0].context.runId,
      durationMs: 1_500,
      error: DISK_ON_FIRE,
      attempt: 1,
      outcome: 'failure',
      pendingRetryUntil: at(NOON) + 10_500,
    });
    await world.scheduler.stop();
  });
});

test('G4 a listener that throws at every event harms nothing', async () => {
  const store = new TroubledStore();
  const clock = new MovedClock(NOON);
  const told: SchedulerEvent['type'][] = [];
  const scheduler = createScheduler({
    store,
    clock,
    timeZone: 'UTC',
    onEvent: ({ type }) => {
      told.push(type);
      throw new Error(`a listener that cannot bear ${type}`);
    },
  });
  let calls = 0;
  const fails = (): void => {
    if (++calls === 1) throw new Error('on purpose');
  };
  await assert.rejects(scheduler.initialize([idle, idle]), { name: 'ScheduleDuplicateTaskError' });
  await scheduler.initialize([['a', '* * * * *', fails, 60_000]]);
  await clock.advance(60_000);
  store.commits = failsBefore;
  await clock.advance(60_000);
  store.commits = through;
  await clock.advance(60_000);
  clock.step(-3_600_000);
  await clock.advance(60_000);
  await scheduler.stop();
  assert.ok(calls >= 4);
  for (const type of ['TaskRetryPreempted', 'StoreTroubleStarted', 'StoreTroubleEnded', 'ClockStepped']) {
    assert.ok(
      told.some((other) => other === type),
      type,
    );
  }
  assert.equal((await store.inspect()).owner, 'free');
});

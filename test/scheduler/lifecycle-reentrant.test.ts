/** D4, D7: `initialize` and `stop` called from code that the scheduler itself is calling: a duration, a listener, a callback's signal. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import type { Registration, SchedulerOptions } from '../../src/scheduler/options.ts';
import { createScheduler, type Scheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import { MovedClock } from '../testing/moved-clock.ts';
import { TroubledStore } from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const idle: Registration = ['idle', '0 0 1 1 *', () => {}, 0];

/** A scheduler whose listener stops it at an event, once. `order` has what came to an end, in order. */
function stoppedAt(
  type: SchedulerEvent['type'],
  options: SchedulerOptions = {},
): { scheduler: Scheduler; order: string[]; stopped: Promise<void> } {
  const order: string[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  let hasStopped = false;
  const scheduler: Scheduler = createScheduler({
    store: memory(),
    ...options,
    clock: new MovedClock(NOON),
    timeZone: 'UTC',
    onEvent: (event) => {
      if (event.type !== type || hasStopped) return;
      hasStopped = true;
      resolve(scheduler.stop().then(() => void order.push('stopped by the listener')));
    },
  });
  return { scheduler, order, stopped: promise };
}

describe('called from inside', () => {
  test('D4 an initialize called while a duration of another list is asked for wins, and the other is refused', async () => {
    const world = createWorld(NOON);
    let inner: Promise<void> | undefined;
    const toMillis = (): number => {
      inner ??= world.scheduler.initialize([idle]);
      return 0;
    };
    const outer = world.scheduler.initialize([['outer', '0 0 1 1 *', () => {}, { toMillis }]]);
    await assert.rejects(outer, { name: 'SchedulerAlreadyActiveError', currentState: 'initializing' });
    await inner;
    assert.deepEqual(world.told(), [
      'SchedulerInitializationStarted',
      'PollingStarted',
      'SchedulerInitializationCompleted',
    ]);
    await world.scheduler.stop();
  });

  test('D7 a stop in the listener of SchedulerInitializationStarted waits for that initialize', async () => {
    const store = new TroubledStore();
    const { scheduler, order, stopped } = stoppedAt('SchedulerInitializationStarted', { store });
    await scheduler.initialize([idle]).then(() => order.push('initialized'));
    await stopped;
    assert.deepEqual(order, ['initialized', 'stopped by the listener']);
    assert.equal((await store.inspect()).owner, 'free');
  });

  test('D7 a stop in the listener of SchedulerStopRequested waits like the one it hears of', async () => {
    const { scheduler, order, stopped } = stoppedAt('SchedulerStopRequested');
    const held = heldCallback();
    await scheduler.initialize([['held', '* * * * *', held.callback, 0]]);
    await turns();
    const outer = scheduler.stop().then(() => order.push('stopped'));
    await turns();
    assert.equal(order.length, 0);
    order.push('the callback ends');
    held.runs[0].succeed();
    await Promise.all([outer, stopped]);
    assert.deepEqual(order[0], 'the callback ends');
    assert.deepEqual(order.slice(1).toSorted(), ['stopped', 'stopped by the listener']);
  });

  test('D7 a stop in an abort listener of a callback waits for that callback too', async () => {
    const world = createWorld(NOON);
    const order: string[] = [];
    const held = heldCallback();
    const callback: Registration[2] = (context) => {
      context.signal.addEventListener('abort', () => {
        void world.scheduler.stop().then(() => order.push('stopped by the callback'));
      });
      return held.callback(context);
    };
    await world.scheduler.initialize([['held', '* * * * *', callback, 0]]);
    await turns();
    const outer = world.scheduler.stop();
    await turns();
    assert.deepEqual(order, []);
    held.runs[0].succeed();
    await outer;
    await turns();
    assert.deepEqual(order, ['stopped by the callback']);
  });

  test('G4 the end of a callback that resolves on abort comes after PollingStopRequested', async () => {
    const world = createWorld(NOON);
    const onAbort: Registration[2] = ({ signal }) =>
      new Promise((resolve) => signal.addEventListener('abort', resolve));
    await world.scheduler.initialize([['willing', '* * * * *', onAbort, 0]]);
    await turns();
    await world.scheduler.stop();
    assert.deepEqual(world.told().slice(-5), [
      'SchedulerStopRequested',
      'PollingStopRequested',
      'TaskRunCompleted willing',
      'PollingStopped',
      'SchedulerStopped',
    ]);
  });
});

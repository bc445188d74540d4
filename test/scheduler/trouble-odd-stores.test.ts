/** D7, E5, E8: stores that keep the letter of the port and no more: they throw instead of rejecting, or never answer. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { createScheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/port.ts';
import { until } from '../../src/testing/index.ts';
import { at, neverAnswers, TroubledStore, through } from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns, type World } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const idle: Registration = ['idle', '0 0 1 1 *', () => {}, 0];

describe('odd stores', () => {
  test('E5 a store whose open throws at once gives a ScheduleTaskError with that error as its cause', async () => {
    const thrown = new Error('at once');
    const open = (): never => {
      throw thrown;
    };
    // On the host's clock: the test clock makes a rejection of what `open` throws.
    const scheduler = createScheduler({ store: { location: 'x', open }, timeZone: 'UTC' });
    await assert.rejects(scheduler.initialize([idle]), { name: 'ScheduleTaskError', cause: thrown });
  });

  test('E8 a store whose commit throws at once is in trouble like any other, and the start follows', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:30Z', { store });
    const calls: number[] = [];
    await world.scheduler.initialize([['noon', '0 12 * * *', () => calls.push(world.clock.now()), 0]]);
    store.commits = () => {
      store.commits = through;
      throw new Error('at once');
    };
    await world.clock.advance(60_000);
    assert.deepEqual(
      world.told().filter((event) => event.startsWith('StoreTrouble')),
      ['StoreTroubleStarted', 'StoreTroubleEnded'],
    );
    assert.deepEqual(calls, [at(NOON) + 50], 'after the first backoff');
    await world.scheduler.stop();
  });

  test('E8 a store that never answers is reported after five seconds, by a name that says so', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:30Z', { store, finalWrite: 0 });
    await world.scheduler.initialize([['noon', '0 12 * * *', () => {}, 0]]);
    store.commits = neverAnswers;
    await world.clock.advance(40_000);
    const troubles = world.events.flatMap((event) => (event.type === 'StoreTroubleStarted' ? [event] : []));
    assert.equal(troubles.length, 1);
    const [{ at: reportedAt, error }] = troubles;
    assert.equal(reportedAt, at(NOON) + 5000);
    assert.ok(error instanceof Error);
    assert.equal(error.name, 'StoreSlowError');
    assert.match(error.message, /has not answered for 5000 ms: see whether its disk hangs/);
    const rejected = assert.rejects(world.scheduler.stop(), { name: 'StopSchedulerError' });
    await world.clock.advance(1);
    await rejected;
  });

  test('E8 a store that takes long to initialize is in the trace, by a name that says so', async () => {
    const store = new TroubledStore();
    const { promise: opened, resolve: open } = Promise.withResolvers<void>();
    store.opens = () => until(opened);
    const world = createWorld(NOON, { store });
    const initialized = world.scheduler.initialize([idle]);
    await world.clock.advance(7000);
    open();
    await initialized;
    const now = at(NOON) + 7000;
    assert.deepEqual(
      world.trace.filter(({ event }) => event === 'StoreTrouble'),
      [{ event: 'StoreTrouble', at: now, from: at(NOON), to: now, error: 'StoreSlowError' }],
    );
    await world.scheduler.stop();
  });

  test('D7 a store that does not answer its close is waited for as long as a last write, and no longer', async () => {
    const inner = memory();
    const store: Store = {
      location: 'x',
      async open(options) {
        const session = await inner.open(options);
        return {
          read: (names) => session.read(names),
          commit: (batch) => session.commit(batch),
          close: () => until(new Promise<void>(() => {})),
        };
      },
    };
    const world = createWorld(NOON, { store });
    await world.scheduler.initialize([idle]);
    const stopped = world.scheduler.stop();
    await world.clock.advance(9_999);
    assert.equal(world.told().includes('SchedulerStopped'), false);
    await world.clock.advance(1);
    assert.equal(world.told().includes('SchedulerStopped'), true);
    await stopped;
  });
});

describe('a stop that failed', () => {
  /** A world whose last write was not answered, so that its stop was rejected. */
  async function failedStop(): Promise<World> {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store, finalWrite: 1000 });
    const held = heldCallback();
    await world.scheduler.initialize([['held', '0 12 * * *', held.callback, 0]]);
    await turns();
    store.commits = neverAnswers;
    const rejected = assert.rejects(world.scheduler.stop(), { name: 'StopSchedulerError' });
    held.runs[0].succeed();
    await world.clock.advance(2000);
    await rejected;
    return world;
  }

  test('D7 the trace says why it ended', async () => {
    const { trace } = await failedStop();
    const end = trace.at(-1);
    assert.deepEqual([end?.event, end?.event === 'StopEnd' && end.error], ['StopEnd', 'StopSchedulerError']);
  });

  test('D7 the next stop has nothing to stop, and resolves', async () => {
    const { scheduler, told } = await failedStop();
    const before = told().length;
    await scheduler.stop();
    assert.equal(told().length, before);
  });
});

/** The dead man's switch: when it beats, and when it keeps silent. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { describe, type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import type { Registration, SchedulerEvent, Store } from '../../src/index.ts';
import { createScheduler } from '../../src/scheduler/index.ts';
import { memory } from '../../src/store/memory.ts';
import { pings } from '../../src/telemetry/index.ts';
import { createTestClock } from '../../src/testing/index.ts';
import { PingServer } from './ping-server.ts';

const completed: SchedulerEvent = {
  type: 'SchedulerInitializationCompleted',
  at: 0,
  added: [],
  overridden: [],
  orphaned: [],
  removed: [],
};

/** A switch whose minutes the test lets pass, and the number of its beats so far. */
function switched(t: TestContext): {
  hear(...events: SchedulerEvent[]): void;
  minutes(count: number): Promise<number>;
} {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let beats = 0;
  const told = pings({ alive: { target: () => void beats++ } });
  t.after(() => told.close());
  return {
    hear: (...events) => {
      for (const event of events) told.onEvent(event);
    },
    async minutes(count) {
      beats = 0;
      for (let minute = 0; minute < count; minute++) {
        t.mock.timers.tick(60_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
      return beats;
    },
  };
}

describe("the dead man's switch", () => {
  test('D7 it beats from initialize to stop, and again after the next initialize', async (t) => {
    const { hear, minutes } = switched(t);
    assert.equal(await minutes(3), 0);
    hear(completed);
    assert.equal(await minutes(3), 4, 'one at once, and one per minute');
    hear(completed); // a reload
    assert.equal(await minutes(3), 3);
    hear({ type: 'SchedulerStopRequested', at: 0, running: 0 });
    assert.equal(await minutes(3), 0);
    hear({ type: 'SchedulerStopped', at: 0 }, completed);
    assert.equal(await minutes(3), 4);
  });

  test('D7 a look at the store that a stop overtakes beats no more', async (t) => {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const inner = memory();
    const session = await inner.open({ waitMs: 0 });
    t.after(() => session.close());
    const inspect: Store['inspect'] = async (options) => {
      asked.resolve();
      await gate.promise;
      return await (inner.inspect?.(options) ?? assert.fail());
    };
    let beats = 0;
    const store = { location: 'slow', open: inner.open.bind(inner), inspect };
    const told = pings({ alive: { target: () => void beats++, store, timeZone: 'UTC' } });
    t.after(() => told.close());
    told.onEvent(completed);
    await asked.promise;
    told.onEvent({ type: 'SchedulerStopRequested', at: 0, running: 0 });
    gate.resolve();
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(beats, 0);
  });

  test('E8 it keeps silent while the store is in trouble, and for good if the store is lost', async (t) => {
    const { hear, minutes } = switched(t);
    const error = new Error('on purpose');
    hear(completed, { type: 'StoreTroubleStarted', at: 0, error });
    assert.equal(await minutes(3), 0);
    hear({ type: 'StoreTroubleEnded', at: 0, sinceMs: 5 });
    assert.equal(await minutes(3), 3);
    hear({ type: 'StoreLost', at: 0, error });
    assert.equal(await minutes(3), 0);
  });

  test('A1 with a store it beats only while nothing is overdue there', async () => {
    const server = await PingServer.listen();
    // By the host's clock, what was due at this instant is overdue; nothing of the other list will be for years.
    const beats = async (list: Registration[]): Promise<number> => {
      const clock = createTestClock('2026-01-01T12:00:30Z');
      const store = clock.store();
      const scheduler = createScheduler({ clock, store, timeZone: 'UTC', logger: false });
      await scheduler.initialize(list);
      const before = server.received.length;
      await oneLook(store, server);
      await scheduler.stop();
      return server.received.length - before;
    };
    assert.equal(await beats([['a', '0 0 29 2 *', () => {}, 0]]), 1);
    assert.equal(await beats([['a', '* * * * *', () => {}, 0]]), 0);
    await server.close();
  });

  test('E6 with a store that nobody owns, or that cannot be read, it keeps silent', async () => {
    const server = await PingServer.listen();
    const broken: Store = {
      location: 'nowhere',
      open: () => Promise.reject(),
      inspect: () => Promise.reject(new Error()),
    };
    await oneLook(memory(), server);
    await oneLook(broken, server);
    assert.equal(server.received.length, 0);
    await server.close();
  });
});

/** Lets a switch look into a store once, and waits for what comes of it. */
async function oneLook(store: Store, server: PingServer): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watched: Store = {
    location: store.location,
    open: (options) => store.open(options),
    inspect: async () => {
      try {
        return await (store.inspect?.() ?? Promise.reject(new Error('it cannot be inspected')));
      } finally {
        resolve();
      }
    },
  };
  const told = pings({ alive: { target: server.url('/alive'), store: watched, timeZone: 'UTC' } });
  told.onEvent(completed);
  await promise;
  // The records are read in a few turns of the event loop.
  for (let turn = 0; turn < 10; turn++) await new Promise((next) => setImmediate(next));
  await told.flush();
  told.close();
}

describe('a process that ends', () => {
  test('F5 pings do not keep it alive, and flush does until they are over', async () => {
    const door = new URL('../../src/telemetry/index.ts', import.meta.url).href;
    const script = `
      import { pings } from ${JSON.stringify(door)};
      const told = pings({ tasks: { a: 'http://127.0.0.1:9/' }, retryAfter: [200], onTrouble: ({ reason }) => console.log('lost', reason !== '') });
      told.onEvent({ type: 'TaskRunCompleted', at: 0, task: 'a', runId: 'r', durationMs: 0 });
      process.on('exit', () => console.log('pending', told.pending));
      if (process.argv[1] === 'flush') await told.flush();
    `;
    const run = async (...words: string[]): Promise<string> =>
      (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, ...words])).stdout;
    assert.equal(await run('flush'), 'lost true\npending 0\n');
    assert.equal(await run(), 'pending 1\n');
  });
});

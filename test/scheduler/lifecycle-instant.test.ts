/** D6: the instant of initialize. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { at, gate, record, TroubledStore } from './fixtures/troubled-store.ts';
import { createWorld, turns } from './world.ts';

describe('D6 the instant of initialize', () => {
  test('D6 no callback is called before the code after `await initialize()` has had its turn', async () => {
    const { scheduler } = createWorld('2026-01-01T12:00:00Z');
    const order: string[] = [];
    const list = Array.from(
      { length: 10 },
      (_, index): Registration => [`task ${index}`, '* * * * *', () => order.push('called'), 0],
    );
    await scheduler.initialize(list);
    for (let microtask = 0; microtask < 100; microtask++) {
      order.push('after');
      await null;
    }
    assert.deepEqual(new Set(order), new Set(['after']));
    await turns();
    assert.equal(order.filter((what) => what === 'called').length, 10);
    await scheduler.stop();
  });

  test('D6 the clock reading of the plan is the instant of a first coming, and InitSuccess carries it', async () => {
    const store = new TroubledStore();
    const slow = gate();
    store.commits = slow.commits;
    const world = createWorld('2026-01-01T12:00:10Z', { store });
    const initialized = world.scheduler.initialize([['a', '0 12 * * *', () => {}, 0]]);
    await world.clock.advance(7_000);
    slow.open();
    await initialized;
    const success = world.trace.find((entry) => entry.event === 'InitSuccess');
    assert.equal(success?.at, at('2026-01-01T12:00:17Z'));
    assert.equal(success?.plannedAt, at('2026-01-01T12:00:10Z'));
    const completed = world.events.find(({ type }) => type === 'SchedulerInitializationCompleted');
    assert.equal(completed?.at, at('2026-01-01T12:00:17Z'));
    const { firstSeenAt, servedThrough } = await store.record('a');
    assert.equal(firstSeenAt, at('2026-01-01T12:00:10Z'), 'E2');
    assert.equal(servedThrough, at('2026-01-01T12:00:00Z') - 1);
    await turns();
    await world.scheduler.stop();
  });

  test('D6 a minute that passes while the plan is written stays owed, also to a new name', async () => {
    const store = new TroubledStore();
    const seen = at('2026-01-01T11:30:00Z');
    await store.put(record('old', { cron: '0 12 * * *', firstSeenAt: seen, servedThrough: seen }));
    const slow = gate();
    store.commits = slow.commits;
    const world = createWorld('2026-01-01T12:00:59.999Z', { store });
    const called: string[] = [];
    const list = [
      ['old', '0 12 * * *'],
      ['new', '0 12 * * *'],
      ['meanwhile', '1 12 * * *'],
      ['earlier', '59 11 * * *'],
    ].map(([name, cron]): Registration => [name, cron, () => called.push(name), 0]);
    const initialized = world.scheduler.initialize(list);
    await world.clock.advance(120_000);
    slow.open();
    await initialized;
    const cursor = at('2026-01-01T12:00:00Z') - 1;
    for (const name of ['new', 'meanwhile', 'earlier'])
      assert.equal((await store.record(name)).servedThrough, cursor);
    assert.equal((await store.record('old')).servedThrough, seen);
    assert.equal(store.count('commit'), 1, 'initialize writes its plan and nothing else');
    await turns();
    assert.deepEqual(called.toSorted(), ['meanwhile', 'new', 'old']);
    await world.scheduler.stop();
  });

  test('D6 dues that come while the state is being made durable are served', async () => {
    const store = new TroubledStore();
    const slow = gate();
    store.commits = slow.commits;
    const world = createWorld('2026-01-01T12:00:59Z', { store });
    const called: number[] = [];
    const initialized = world.scheduler.initialize([
      ['a', '* * * * *', () => called.push(world.clock.now()), 0],
    ]);
    await world.clock.advance(1_000);
    slow.open();
    await initialized;
    await turns();
    assert.deepEqual(called, [at('2026-01-01T12:01:00Z')]);
    await world.scheduler.stop();
  });
});

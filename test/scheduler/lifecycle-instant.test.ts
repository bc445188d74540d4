/** D6: the instant of initialize. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { at, gate, record, TroubledStore } from './fixtures/troubled-store.ts';
import { noop, Stage } from './scenario.ts';
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

  test('D6 the clock is read when the state is durable, and InitSuccess carries that reading', async () => {
    const store = new TroubledStore();
    const slow = gate();
    store.commits = slow.commits;
    const world = createWorld('2026-01-01T12:00:10Z', { store });
    const initialized = world.scheduler.initialize([['a', '0 12 * * *', () => {}, 0]]);
    await world.clock.advance(7_000);
    slow.open();
    await initialized;
    const success = world.trace.find(({ event }) => event === 'InitSuccess');
    assert.equal(success?.at, at('2026-01-01T12:00:17Z'));
    const completed = world.events.find(({ type }) => type === 'SchedulerInitializationCompleted');
    assert.equal(completed?.at, at('2026-01-01T12:00:17Z'));
    const { firstSeenAt, servedThrough } = await store.record('a');
    assert.equal(firstSeenAt, at('2026-01-01T12:00:10Z'), 'E2');
    assert.equal(servedThrough, at('2026-01-01T12:00:00Z') - 1, 'the same minute: nothing moves');
    assert.equal(store.count('commit'), 1);
    await turns();
    await world.scheduler.stop();
  });

  test('D6 a minute that rolls over meanwhile moves the cursors of new names, and only theirs', async () => {
    const store = new TroubledStore();
    const seen = at('2026-01-01T11:30:00Z');
    await store.put(record('old', { cron: '0 12 * * *', firstSeenAt: seen, servedThrough: seen }));
    const slow = gate();
    store.commits = slow.commits;
    const world = createWorld('2026-01-01T12:00:59.999Z', { store });
    const called: string[] = [];
    const list = ['old', 'new', 'later'].map(
      (name): Registration => [
        name,
        name === 'later' ? '1 12 * * *' : '0 12 * * *',
        () => called.push(name),
        0,
      ],
    );
    const initialized = world.scheduler.initialize(list);
    await world.clock.advance(1);
    slow.open();
    await initialized;
    assert.equal(world.trace.at(-1)?.at, at('2026-01-01T12:01:00Z'));
    const cursorOf = async (name: string): Promise<number> => (await store.record(name)).servedThrough;
    assert.equal(await cursorOf('new'), at('2026-01-01T12:01:00Z') - 1);
    assert.equal(await cursorOf('later'), at('2026-01-01T12:01:00Z') - 1);
    assert.equal(await cursorOf('old'), seen);
    await turns();
    assert.deepEqual(called.toSorted(), ['later', 'old'], 'the minute of 12:00 is over for a new name');
    await world.scheduler.stop();
  });

  test('D6 moving the cursors twice leaves the same records', async () => {
    const store = new TroubledStore();
    const slow = gate();
    store.commits = async (batch, commit) => {
      await slow.commits(batch, commit);
      return commit();
    };
    const world = createWorld('2026-01-01T12:00:59Z', { store });
    const initialized = world.scheduler.initialize([['a', '30 12 * * *', () => {}, 0]]);
    await world.clock.advance(61_000);
    slow.open();
    await initialized;
    assert.equal((await store.record('a')).servedThrough, at('2026-01-01T12:02:00Z') - 1);
    assert.equal((await store.record('a')).firstSeenAt, at('2026-01-01T12:00:59Z'));
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

  test('D6 E5 moved cursors that cannot be written at once do not undo an initialize that took effect', async () => {
    const stage = new Stage('2026-01-01T12:00:59Z');
    let commits = 0;
    stage.disk.fate = () => {
      if (++commits === 1) stage.clock.burn(2_000); // into the next minute
      return commits === 2 ? 'refused' : 'taken';
    };
    await stage.initialize(['a', '0 18 * * *', noop, 0]);
    assert.ok(stage.world.told().includes('SchedulerInitializationCompleted'));
    assert.equal(commits, 3, 'the engine has written what initialize could not');
    assert.equal((await stage.disk.record('a')).servedThrough, at('2026-01-01T12:01:00Z') - 1);
    await stage.stop();
  });

  test('D6 a stop while the moved cursors are being written does not make the trace go back', async () => {
    const stage = new Stage('2026-01-01T11:59:59.900Z');
    let stopped: Promise<void> | undefined;
    let commits = 0;
    stage.disk.fate = () => {
      stage.clock.burn(200); // the first commit takes the clock into the next minute
      if (++commits === 2) stopped = stage.stop();
      return 'taken';
    };
    await stage.initialize(['a', '0 18 * * *', noop, 0]);
    await stopped;
    const instants = stage.world.trace.map((entry) => entry.at);
    assert.equal(commits, 2);
    assert.deepEqual(instants, instants.toSorted());
    assert.equal((await stage.disk.record('a')).servedThrough, at('2026-01-01T12:00:00Z') - 1);
  });

  test('D6 a minute that begins while the moved cursors are being written moves them once more', async () => {
    const stage = new Stage('2026-01-01T11:59:30Z');
    let commits = 0;
    stage.disk.fate = () => {
      if (++commits <= 2) stage.clock.burn(60_000);
      return 'taken';
    };
    await stage.initialize(
      ['a', '59 11 * * *', noop, 0],
      ['b', '0 12 * * *', noop, 0],
      ['c', '1 12 * * *', noop, 0],
    );
    assert.deepEqual(stage.starts(), ['c 12:01:30 due']);
    assert.equal((await stage.disk.record('b')).servedThrough, at('2026-01-01T12:01:00Z') - 1);
  });
});

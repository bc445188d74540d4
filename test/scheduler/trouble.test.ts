/** E8, E9: store trouble while running never ends the scheduler; an unknown outcome is looked up before anything is repeated. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import {
  at,
  DISK_ON_FIRE,
  failsAfter,
  failsBefore,
  gate,
  TroubledStore,
  through,
} from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
/** The longest time between two tries. */
const LONGEST_BACKOFF_MS = 10_000;

const troubles = (events: readonly SchedulerEvent[]): string[] =>
  events.map(({ type }) => type).filter((type) => type.startsWith('StoreTrouble'));

describe('E8 starts wait', () => {
  test('E8 a store that fails before anything takes effect: no callback is called until it recovers, then one', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:30Z', { store });
    const calls: number[] = [];
    await world.scheduler.initialize([['a', '0 12 * * *', () => calls.push(world.clock.now()), 0]]);
    await turns();
    store.commits = failsBefore;
    await world.clock.advance(10 * 60_000);
    assert.deepEqual(calls, []);
    assert.deepEqual(troubles(world.events), ['StoreTroubleStarted'], 'reported once, not at each try');
    const started = world.events.find(({ type }) => type === 'StoreTroubleStarted');
    assert.equal(started?.at, at(NOON));
    assert.equal(started && 'error' in started ? started.error : undefined, DISK_ON_FIRE);
    store.commits = through;
    await world.clock.advance(LONGEST_BACKOFF_MS);
    assert.equal(calls.length, 1);
    assert.deepEqual(troubles(world.events), ['StoreTroubleStarted', 'StoreTroubleEnded']);
    const ended = world.events.find((event) => event.type === 'StoreTroubleEnded');
    assert.equal(ended?.type === 'StoreTroubleEnded' && ended.sinceMs, calls[0] - at(NOON));
    const traced = world.trace.filter(({ event }) => event === 'StoreTrouble');
    assert.deepEqual(traced, [
      { event: 'StoreTrouble', at: calls[0], from: at(NOON), to: calls[0], error: 'Error' },
    ]);
    assert.equal((await store.record('a')).lastAttemptAt, calls[0]);
    await world.scheduler.stop();
  });

  test('E8 it is tried again with growing pauses: often at first, and never less than every ten seconds', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:59Z', { store });
    await world.scheduler.initialize([['a', '0 12 * * *', () => {}, 0]]);
    await turns();
    const pauses = [50, 100, 200, 400, 800, 1600, 3200, 6400, LONGEST_BACKOFF_MS, LONGEST_BACKOFF_MS];
    const tries: number[] = [];
    store.commits = async () => {
      tries.push(world.clock.now() - at(NOON));
      // Without a pause it would be asked for ever in this instant.
      if (tries.length > pauses.length) store.commits = through;
      throw DISK_ON_FIRE;
    };
    await world.clock.advance(61_000);
    const instants = pauses.map((_, index) => pauses.slice(0, index + 1).reduce((sum, pause) => sum + pause));
    assert.deepEqual(tries, [0, ...instants]);
    await world.scheduler.stop();
  });

  test('E8 when trouble begins again after it has ended, the pauses are short again', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:59Z', { store });
    await world.scheduler.initialize([['a', '* * * * *', () => {}, 0]]);
    await turns();
    store.commits = failsBefore;
    await world.clock.advance(61_000);
    store.commits = through;
    await world.clock.advance(LONGEST_BACKOFF_MS);
    const tries: number[] = [];
    store.commits = async () => {
      tries.push(world.clock.now());
      throw DISK_ON_FIRE;
    };
    await world.clock.advance(60_000);
    assert.equal(tries[1] - tries[0], 50);
    store.commits = through;
    await world.clock.advance(LONGEST_BACKOFF_MS);
    await world.scheduler.stop();
  });

  test('E8 a store that answers late: the start waits for it, and is served once', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:30Z', { store });
    const calls: number[] = [];
    await world.scheduler.initialize([['a', '0 12 * * *', () => calls.push(world.clock.now()), 0]]);
    await turns();
    const slow = gate();
    store.commits = slow.commits;
    await world.clock.advance(5 * 60_000);
    assert.deepEqual(calls, []);
    slow.open();
    await turns();
    assert.deepEqual(calls, [at('2026-01-01T12:04:30Z')]);
    await world.clock.advance(60 * 60_000);
    assert.equal(calls.length, 1);
    await world.scheduler.stop();
  });
});

describe('E8 ends are kept', () => {
  test('E8 an end that the store would not take is written when it answers again, with its own instant', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const held = heldCallback();
    await world.scheduler.initialize([['a', '0 12 * * *', held.callback, 0]]);
    await world.clock.advance(1_000);
    store.commits = failsBefore;
    held.runs[0].succeed();
    await world.clock.advance(60_000);
    assert.equal((await store.record('a')).lastSuccessAt, null);
    assert.equal(world.told().at(-2), 'TaskRunCompleted a', 'the end is told when it happens');
    store.commits = through;
    await world.clock.advance(LONGEST_BACKOFF_MS);
    const { lastSuccessAt, lastAttemptAt, run } = await store.record('a');
    assert.deepEqual(
      { lastSuccessAt, lastAttemptAt, run },
      { lastSuccessAt: at(NOON) + 1_000, lastAttemptAt: at(NOON), run: null },
    );
    assert.deepEqual(troubles(world.events), ['StoreTroubleStarted', 'StoreTroubleEnded']);
    await world.scheduler.stop();
  });

  test('E8 everything else goes on: running callbacks end, minutes are noticed, dues are served once afterwards', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const held = heldCallback();
    let calls = 0;
    await world.scheduler.initialize([
      ['held', '0 12 * * *', held.callback, 0],
      ['minutely', '* * * * *', () => calls++, 0],
    ]);
    await turns();
    assert.equal(calls, 1);
    store.commits = failsBefore;
    await world.clock.advance(5 * 60_000);
    held.runs[0].succeed();
    await world.clock.advance(5 * 60_000);
    assert.equal(calls, 1);
    store.commits = through;
    await world.clock.advance(LONGEST_BACKOFF_MS);
    assert.equal(calls, 2, 'ten missed minutes are one start');
    await world.clock.advance(60_000);
    assert.equal(calls, 3);
    assert.equal((await store.record('held')).lastSuccessAt, at(NOON) + 5 * 60_000);
    await world.scheduler.stop();
  });
});

describe('E9 unknown outcomes', () => {
  test('E9 a start that failed after taking effect is found by reading back, and not written again', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:30Z', { store });
    let calls = 0;
    await world.scheduler.initialize([['a', '0 12 * * *', () => calls++, 0]]);
    await turns();
    store.calls.length = 0;
    store.batches.length = 0;
    store.commits = async (batch, commit) => {
      store.commits = through;
      return failsAfter(batch, commit);
    };
    await world.clock.advance(31_000);
    assert.equal(calls, 1);
    assert.deepEqual(store.calls, ['commit', 'read', 'commit'], 'start, look, end');
    assert.equal(store.batches[0].starts?.length, 1);
    assert.equal(store.batches[1].starts?.length, 0);
    assert.equal(store.batches[1].ends?.length, 1);
    await world.scheduler.stop();
  });

  test('E9 an end that failed after taking effect is found too; the next start is another run', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const held = heldCallback();
    await world.scheduler.initialize([['a', '* * * * *', held.callback, 0]]);
    await world.clock.advance(1_000);
    store.calls.length = 0;
    store.commits = async (batch, commit) => {
      store.commits = through;
      return failsAfter(batch, commit);
    };
    held.runs[0].succeed();
    await world.clock.advance(30_000);
    assert.deepEqual(store.calls, ['commit', 'read']);
    await world.clock.advance(30_000);
    assert.equal(held.runs.length, 2);
    assert.notEqual(held.runs[0].context.runId, held.runs[1].context.runId);
    held.runs[1].succeed();
    await world.scheduler.stop();
  });

  test('E9 one that did not take effect is written again, the same batch, after looking', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:30Z', { store });
    let calls = 0;
    await world.scheduler.initialize([['a', '0 12 * * *', () => calls++, 0]]);
    await turns();
    store.calls.length = 0;
    store.batches.length = 0;
    store.commits = async (batch, commit) => {
      store.commits = through;
      return failsBefore(batch, commit);
    };
    await world.clock.advance(31_000);
    assert.equal(calls, 1);
    assert.deepEqual(store.calls, ['commit', 'read', 'commit', 'commit']);
    assert.deepEqual(store.batches[1], store.batches[0]);
    await world.scheduler.stop();
  });

  test('E9 a store that cannot even be read is asked again, and nothing is sent blindly', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:30Z', { store });
    let calls = 0;
    await world.scheduler.initialize([['a', '0 12 * * *', () => calls++, 0]]);
    await turns();
    store.commits = failsAfter;
    store.reads = () => Promise.reject(DISK_ON_FIRE);
    await world.clock.advance(5 * 60_000);
    assert.equal(store.count('commit'), 2, 'initialize, and the start: never again');
    assert.ok(store.count('read') > 5);
    store.reads = (read) => read();
    store.commits = through;
    await world.clock.advance(LONGEST_BACKOFF_MS);
    assert.equal(calls, 1);
    await world.scheduler.stop();
  });
});

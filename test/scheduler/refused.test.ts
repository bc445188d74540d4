/**
 * E9, A4, D7: a store refuses what belongs to a run that another scheduler has taken over. The scheduler reports it once, never sends it
 * again, and covers nothing in the store. A refusal whose answer was lost is settled by the id of the run.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { TaskRecord } from '../../src/core/record.ts';
import type { SchedulerEvent } from '../../src/scheduler/events.ts';
import type { SchedulerOptions } from '../../src/scheduler/options.ts';
import type { Batch } from '../../src/store/port.ts';
import { at, DISK_ON_FIRE, deadRun, gate, TroubledStore, through } from './fixtures/troubled-store.ts';
import { createWorld, heldCallback, turns, type World } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const MINUTE = 60_000;

const refusals = (world: World): Extract<SchedulerEvent, { type: 'TaskChangeRefused' }>[] =>
  world.events.filter((event) => event.type === 'TaskChangeRefused');

/** The warnings that a scheduler logs. */
function warnings(): { readonly lines: string[]; readonly logger: NonNullable<SchedulerOptions['logger']> } {
  const lines: string[] = [];
  return { lines, logger: { debug() {}, info() {}, error() {}, warn: (line) => lines.push(line) } };
}

/** Another scheduler has started the task. */
async function takeOver(store: TroubledStore, name: string): Promise<TaskRecord> {
  const record = await store.record(name);
  const run = { ...deadRun(1), runId: 'rival-1', instanceId: 'rival' };
  const work = record.work ?? { key: 'rival-1', scheduledFor: 1, attempt: 1 };
  await store.rival({ puts: [{ ...record, work, run }] });
  return store.record(name);
}

const endsOf = (batches: readonly Batch[]): number =>
  batches.reduce((count, { ends = [] }) => count + ends.length, 0);

describe('E9 an end that is refused', () => {
  for (const outcome of ['succeed', 'fail'] as const) {
    test(`A4 ${outcome}: it is reported once and sent never again, and what the store holds stands`, async () => {
      const store = new TroubledStore();
      const { lines, logger } = warnings();
      const world = createWorld(NOON, { store, logger });
      const held = heldCallback();
      await world.scheduler.initialize([['a', '0 * * * *', held.callback, 10 * MINUTE]]);
      await turns();
      const taken = await takeOver(store, 'a');
      store.batches.length = 0;
      held.runs[0][outcome]();
      await world.clock.advance(5 * MINUTE);
      const { runId } = held.runs[0].context;
      assert.deepEqual(refusals(world), [
        { type: 'TaskChangeRefused', at: at(NOON), task: 'a', runId, change: 'end' },
      ]);
      assert.deepEqual(lines, ['the store refused what does not belong to the current run: end of a']);
      assert.deepEqual(await store.record('a'), taken);
      assert.equal(store.batches.length, 1, 'one batch, and nothing after it');
      assert.deepEqual(
        world.trace.filter(({ event }) => event === 'EndDurable'),
        [],
      );
      await world.scheduler.stop();
      assert.deepEqual(await store.record('a'), taken);
    });
  }

  test('A2 the task is idle: its next due is served, and that end is written', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const held = heldCallback();
    await world.scheduler.initialize([['a', '0 * * * *', held.callback, 0]]);
    await turns();
    await takeOver(store, 'a');
    held.runs[0].succeed();
    await world.clock.advance(60 * MINUTE);
    assert.equal(held.runs.length, 2);
    assert.equal((await store.record('a')).run?.runId, held.runs[1].context.runId);
    held.runs[1].succeed();
    await world.scheduler.stop();
    const { lastAttemptAt, lastSuccessAt, run } = await store.record('a');
    const oneOClock = at('2026-01-01T13:00:00Z');
    assert.deepEqual([lastAttemptAt, lastSuccessAt, run], [oneOClock, oneOClock, null]);
    assert.equal(refusals(world).length, 1);
  });

  test('A7 a failure waits for its retry, which asks the store again', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const held = heldCallback();
    await world.scheduler.initialize([['a', '0 * * * *', held.callback, MINUTE]]);
    await turns();
    await takeOver(store, 'a');
    held.runs[0].fail();
    await world.clock.advance(MINUTE - 1);
    assert.equal(held.runs.length, 1);
    await world.clock.advance(1);
    assert.deepEqual(
      held.runs.map(({ context }) => context.reason),
      ['due', 'retry'],
    );
    held.runs[1].succeed();
    await world.scheduler.stop();
  });

  test('A5 the start that was to follow in the same batch is refused with it, and not called', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const held = heldCallback();
    let others = 0;
    await world.scheduler.initialize([
      ['a', '* * * * *', held.callback, 0],
      ['b', '* * * * *', () => others++, 0],
    ]);
    await world.clock.advance(MINUTE + 1000);
    const taken = await takeOver(store, 'a');
    store.batches.length = 0;
    held.runs[0].succeed();
    await world.clock.advance(1000);
    assert.deepEqual(
      store.batches.map(({ ends = [], starts = [] }) => [ends.length, starts.length]),
      [[1, 1]],
    );
    assert.equal(held.runs.length, 1, 'it was due while it ran, but is not this scheduler\u2019s');
    assert.deepEqual(await store.record('a'), taken);
    await world.clock.advance(MINUTE);
    assert.equal(held.runs.length, 2, 'at the next due it asks again');
    assert.equal(others, 3, 'nobody else has noticed');
    held.runs[1].succeed();
    await world.scheduler.stop();
  });
});

describe('D7 a start that is taken back, refused', () => {
  test('D7 stop resolves, the run of the other scheduler stands, and it is reported', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:59Z', { store });
    let calls = 0;
    await world.scheduler.initialize([['a', '0 * * * *', () => calls++, 0]]);
    await turns();
    const slow = gate();
    store.commits = slow.commits;
    await world.clock.advance(1000);
    const stopped = world.scheduler.stop();
    let taken: TaskRecord | undefined;
    store.commits = async (_batch, commit) => {
      taken = await takeOver(store, 'a');
      return commit();
    };
    slow.open();
    await stopped;
    assert.equal(calls, 0);
    const [start, unstart] = store.batches.slice(-2);
    const [{ run }] = start.starts ?? [];
    assert.equal(unstart.unstarts?.[0]?.runId, run.runId);
    assert.deepEqual(
      refusals(world).map(({ task, runId, change }) => ({ task, runId, change })),
      [{ task: 'a', runId: run.runId, change: 'unstart' }],
    );
    assert.deepEqual(await store.record('a'), taken);
  });
});

describe('B5 a move that is refused', () => {
  test('B5 a task that was started elsewhere is not moved there, and here it goes on by the new time', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    let calls = 0;
    await world.scheduler.initialize([['a', '0 * * * *', () => calls++, 0]]);
    await turns();
    assert.equal(calls, 1);
    let served: TaskRecord | undefined;
    store.commits = async (_batch, commit) => {
      store.commits = through;
      const record = await store.record('a');
      await store.rival({ puts: [{ ...record, lastAttemptAt: at(NOON) + 5 }] });
      served = await store.record('a');
      return commit();
    };
    world.clock.step(-6 * 60 * MINUTE);
    await world.clock.advance(MINUTE);
    assert.deepEqual(
      refusals(world).map(({ task, runId, change }) => ({ task, runId, change })),
      [{ task: 'a', runId: null, change: 'move' }],
    );
    assert.deepEqual(await store.record('a'), served);
    await world.clock.advance(59 * MINUTE);
    assert.equal(calls, 2, 'due at seven, by the clock that was set');
    await world.scheduler.stop();
    assert.equal(refusals(world).length, 1);
  });
});

describe('E9 a refusal whose answer was lost', () => {
  test('E9 a start is settled by the id of its run: one that was refused is not called', async () => {
    const store = new TroubledStore();
    const world = createWorld('2026-01-01T11:59:59Z', { store });
    const calls: string[] = [];
    await world.scheduler.initialize([
      ['a', '0-1 12 * * *', () => calls.push('a'), 0],
      ['b', '0-1 12 * * *', () => calls.push('b'), 0],
    ]);
    await turns();
    store.calls.length = 0;
    const refusesB = async ({ starts = [], ...rest }: Batch): Promise<void> => {
      await store.rival({ ...rest, starts: [...starts].filter(({ name }) => name !== 'b') });
    };
    store.commits = async (batch) => {
      store.commits = async (again) => {
        store.commits = through;
        await refusesB(again);
        return { refused: [{ change: 'start', name: 'b' }] };
      };
      await refusesB(batch);
      throw DISK_ON_FIRE;
    };
    await world.clock.advance(2000);
    assert.deepEqual(calls, ['a']);
    assert.deepEqual(store.calls, ['commit', 'read', 'commit', 'commit'], 'starts, look, starts, end of a');
    assert.deepEqual(refusals(world), [], 'a start that is refused is business as usual');
    assert.deepEqual(
      world.trace.flatMap((record) => (record.event === 'StartDurable' ? [record.task] : [])),
      ['a'],
    );
    await world.clock.advance(MINUTE);
    assert.deepEqual(calls, ['a', 'a', 'b']);
    await world.scheduler.stop();
  });

  test('E9 an end is sent again, refused again, and reported once', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const held = heldCallback();
    await world.scheduler.initialize([['a', '0 * * * *', held.callback, 0]]);
    await turns();
    const taken = await takeOver(store, 'a');
    store.calls.length = 0;
    store.batches.length = 0;
    store.commits = async (_batch, commit) => {
      store.commits = through;
      await commit();
      throw DISK_ON_FIRE;
    };
    held.runs[0].succeed();
    await world.clock.advance(MINUTE);
    assert.deepEqual(store.calls, ['commit', 'read', 'commit']);
    assert.equal(endsOf(store.batches), 2);
    assert.equal(refusals(world).length, 1);
    assert.deepEqual(await store.record('a'), taken);
    await world.scheduler.stop();
  });
});

test('E9 many refusals are one line of the log, which names the first of them', async () => {
  const store = new TroubledStore();
  const { lines, logger } = warnings();
  const world = createWorld(NOON, { store, logger });
  const held = heldCallback();
  const names = Array.from({ length: 12 }, (_, index) => `t${index}`);
  await world.scheduler.initialize(names.map((name) => [name, '0 * * * *', held.callback, 0]));
  await turns();
  for (const name of names) await takeOver(store, name);
  for (const run of held.runs) run.succeed();
  await world.clock.advance(MINUTE);
  assert.equal(refusals(world).length, 12);
  const [first, ...more] = lines;
  assert.deepEqual(more, []);
  assert.match(first, /: end of t0, end of t1, .*end of t9, and 2 more$/);
  await world.scheduler.stop();
});

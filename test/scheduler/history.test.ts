/** J1: what is left of a run in the history when it is over. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import type { PastRun } from '../../src/store/port.ts';
import { at, failsAfter, gate, TroubledStore, through } from './fixtures/troubled-store.ts';
import { MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { createWorld, heldCallback, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';

/** Of each run of the history, the oldest first: what became of it, and why it was started. */
const outcomes = async (store: TroubledStore): Promise<string[]> =>
  (await store.past()).map(({ task, outcome, reason }) => `${task} ${outcome} (${reason})`).reverse();

/** Fails with an error that has a cause. */
const failWithCause = (): never => {
  throw new TypeError('the report is empty', { cause: new Error('the disk is full') });
};

describe('J1 every run leaves one row', () => {
  test('J1 a success: what it was, when it was called, and when it ended', async () => {
    const stage = new Stage(NOON);
    const held = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', held.callback, 0]);
    const { key, runId } = held.runs[0].context;
    await stage.clock.advance(7 * SECOND);
    assert.deepEqual(await stage.disk.past(), [], 'it is not over');
    held.runs[0].succeed();
    await stage.clock.settle();
    const run = await stage.disk.record('noon');
    assert.equal(run.run, null);
    assert.deepEqual(await stage.disk.past(), [
      {
        task: 'noon',
        runId,
        key,
        attempt: 1,
        reason: 'due',
        scheduledFor: at(NOON),
        calledAt: at(NOON),
        endedAt: at(NOON) + 7 * SECOND,
        outcome: 'success',
        instanceId: runId.slice(0, runId.lastIndexOf('-')),
        error: null,
      } satisfies PastRun,
    ]);
    await stage.stop();
  });

  test('J1 a failure has the error with stack and cause; its retry has the same key and the next attempt', async () => {
    const stage = new Stage(NOON);
    let calls = 0;
    await stage.initialize(['noon', '0 12 * * *', () => calls++ === 0 && failWithCause(), MINUTE]);
    await stage.clock.advance(MINUTE);
    const [second, first] = await stage.disk.past();
    assert.equal(first.outcome, 'failure');
    assert.equal(first.error?.name, 'TypeError');
    assert.equal(first.error?.message, 'the report is empty');
    assert.match(first.error?.text ?? '', /^TypeError: the report is empty\n +at .*history\.test\.ts/);
    assert.match(first.error?.text ?? '', /\n.*Error: the disk is full\n +at .*history\.test\.ts/);
    assert.deepEqual([first.attempt, first.reason, first.calledAt], [1, 'due', at(NOON)]);
    assert.deepEqual(second, {
      ...first,
      runId: second.runId,
      attempt: 2,
      reason: 'retry',
      calledAt: at(NOON) + MINUTE,
      endedAt: at(NOON) + MINUTE,
      outcome: 'success',
      error: null,
    });
    assert.notEqual(second.runId, first.runId);
    await stage.stop();
  });

  test('J1 a run that a crash cut off has its row from the next initialize, and the task starts again under its key', async () => {
    const stage = new Stage(NOON);
    const held = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', held.callback, 0]);
    const { key, runId } = held.runs[0].context;
    await stage.crash();
    assert.deepEqual(await stage.disk.past(), []);
    await stage.clock.advance(MINUTE);
    await stage.initialize(['noon', '0 12 * * *', noop, 0]);
    const [again, cutOff] = await stage.disk.past();
    assert.deepEqual(cutOff, {
      task: 'noon',
      runId,
      key,
      attempt: 1,
      reason: 'due',
      scheduledFor: at(NOON),
      calledAt: at(NOON),
      endedAt: at(NOON) + MINUTE,
      outcome: 'cut off',
      instanceId: cutOff.instanceId,
      error: null,
    } satisfies PastRun);
    assert.deepEqual([again.key, again.attempt, again.reason], [key, 2, 'orphaned']);
    assert.notEqual(again.instanceId, cutOff.instanceId);
    assert.equal((await stage.disk.past()).length, 2);
    await stage.stop();
  });

  test('J1 a run that was cut off has one row, however many processes find it', async () => {
    const store = new TroubledStore();
    const held = heldCallback();
    const list: Registration[] = [['noon', '0 12 * * *', held.callback, 0]];
    await createWorld(NOON, { store }).scheduler.initialize(list);
    await turns();
    await store.crash();
    for (const minute of [1, 2, 3]) {
      await createWorld(`2026-01-01T12:0${minute}:00Z`, { store }).scheduler.initialize(list);
      await store.crash();
    }
    assert.deepEqual(await outcomes(store), ['noon cut off (due)']);
    assert.equal((await store.past())[0].endedAt, at('2026-01-01T12:01:00Z'));
    assert.equal((await store.record('noon')).run?.cutOffAt, at('2026-01-01T12:01:00Z'));
  });

  test('J1 so has the run of a name that is removed (E4)', async () => {
    const stage = new Stage(NOON);
    await stage.initialize(['noon', '0 12 * * *', heldCallback().callback, 0]);
    await stage.crash();
    await stage.initialize();
    assert.deepEqual(await stage.disk.records(), []);
    assert.deepEqual(await outcomes(stage.disk), ['noon cut off (due)']);
    await stage.stop();
  });

  test('J1 a start that is taken back leaves none (A4)', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    await world.scheduler.initialize([['noon', '0 12 * * *', noop, 0]]);
    const slow = gate();
    store.commits = slow.commits;
    await turns();
    const stopped = world.scheduler.stop();
    slow.open();
    await stopped;
    assert.deepEqual(store.log, ['start noon', 'unstart noon']);
    assert.deepEqual(await store.past(), []);
  });

  test('E9 an end whose answer was lost leaves one row, not two', async () => {
    const store = new TroubledStore();
    const world = createWorld(NOON, { store });
    const held = heldCallback();
    await world.scheduler.initialize([
      ['a', '0 12 * * *', held.callback, 0],
      ['b', '* * * * *', noop, 0],
    ]);
    await turns();
    store.commits = (batch, commit) => {
      store.commits = through;
      return failsAfter(batch, commit);
    };
    held.runs[0].succeed();
    await world.clock.advance(2 * MINUTE);
    await world.scheduler.stop();
    assert.deepEqual(
      (await outcomes(store)).filter((line) => line.startsWith('a')),
      ['a success (due)'],
    );
  });
});

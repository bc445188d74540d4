/** A bound on how many run at once (§8), and where time went when a start is late. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Registration } from '../../src/scheduler/options.ts';
import { HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

/** Many tasks with one held callback, due every minute unless told otherwise. */
function crowd(count: number, cron = '* * * * *') {
  const held = heldCallback();
  const tasks = Array.from(
    { length: count },
    (_, index): Registration => [`t${index}`, cron, held.callback, HOUR],
  );
  return { ...held, tasks };
}

const lateness = (stage: Stage) =>
  stage.world.events.flatMap((event) => (event.type === 'TaskStartedLate' ? [event] : []));

describe('workers', () => {
  for (const workers of [1, 3]) {
    test(`F2 never more than ${workers} at once, first come, first served`, async () => {
      const stage = new Stage('2026-03-02T12:00:00Z', { workers });
      const { tasks, runs } = crowd(10, '0 12 * * *');
      await stage.initialize(...tasks);
      for (let ended = 0; ended < 10; ended++) {
        assert.equal(runs.length, Math.min(10, ended + workers));
        runs[ended].succeed();
        await stage.time.settle();
      }
      assert.deepEqual(
        runs.map(({ context }) => context.name),
        tasks.map(([name]) => name),
      );
      await stage.stop();
    });
  }

  test('F2 obligations are served in the order in which they arose', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const { callback, runs } = heldCallback();
    await stage.initialize(
      ['third', '3 12 * * *', callback, 0],
      ['first', '0,1 12 * * *', callback, HOUR],
      ['second', '2 12 * * *', callback, 0],
    );
    await stage.clock.advance(5 * MINUTE);
    for (let ended = 0; ended < 4; ended++) {
      runs[ended].succeed();
      await stage.time.settle();
    }
    // Its own second due came while "first" ran, so it stood behind nobody only when that run had ended.
    assert.deepEqual(
      runs.map(({ context }) => context.name),
      ['first', 'second', 'third', 'first'],
    );
    await stage.stop();
  });

  test('F3 nobody starves: tasks that fail at once and for ever share one worker with all others', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const calls = new Map<string, number>();
    const count = (name: string): number => calls.set(name, (calls.get(name) ?? 0) + 1).size;
    const hopeless = ['a', 'b', 'c'].map(
      (name): Registration => [name, '0 12 * * *', () => Promise.reject(count(name)), 0],
    );
    await stage.initialize(...hopeless, ['healthy', '* * * * *', ({ name }) => count(name), 0]);
    await stage.clock.advance(10 * MINUTE);
    assert.equal(calls.get('healthy'), 11);
    const counts = ['a', 'b', 'c'].map((name) => calls.get(name) ?? 0);
    assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join());
    assert.ok(Math.min(...counts) > 10, counts.join());
    await stage.stop();
  });

  test('A3 dues that pass while a task is queued are served by the start that is coming', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const long = heldCallback();
    let calls = 0;
    await stage.initialize(['long', '0 12 * * *', long.callback, 0], ['each', '* * * * *', () => calls++, 0]);
    await stage.clock.advance(5 * MINUTE + SECOND);
    assert.equal(calls, 0);
    long.runs[0].succeed();
    await stage.clock.advance(58 * SECOND);
    assert.equal(calls, 1);
    await stage.stop();
  });

  test('D7 what is queued when stop begins is not started, and still owed to the next life', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const { tasks, runs } = crowd(3, '0 12 * * *');
    await stage.initialize(...tasks);
    const stopped = stage.stop();
    runs[0].succeed();
    await stopped;
    assert.equal(runs.length, 1);
    await stage.clock.advance(MINUTE);
    const { tasks: again, runs: rest } = crowd(3, '0 12 * * *');
    await stage.initialize(...again);
    rest[0].succeed();
    await stage.time.settle();
    assert.deepEqual(
      rest.map(({ context }) => context.name),
      ['t1', 't2'],
    );
    rest[1].succeed();
    await stage.stop();
  });
});

describe('lateness', () => {
  test('G4 time in the queue is told as such', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const long = heldCallback();
    await stage.initialize(['long', '0 12 * * *', long.callback, 0], ['short', '0 12 * * *', noop, 0]);
    await stage.clock.advance(7 * SECOND);
    long.runs[0].succeed();
    await stage.time.settle();
    const [late, ...more] = lateness(stage);
    assert.deepEqual(more, []);
    assert.equal(late.task, 'short');
    assert.deepEqual(
      [late.lateMs, late.unnoticedMs, late.queuedMs, late.storeMs],
      [7 * SECOND, 0, 7 * SECOND, 0],
    );
    assert.equal(late.culprit, undefined); // the worker was taken, but the loop was free
    await stage.stop();
  });

  test('G4 time that the store took is told as such', async () => {
    const stage = new Stage('2026-03-02T11:59:59Z');
    await stage.initialize(['noon', '0 12 * * *', noop, 0]);
    stage.disk.fate = () => 'refused';
    await stage.clock.advance(2 * SECOND);
    stage.disk.fate = () => 'taken';
    await stage.clock.advance(10 * SECOND);
    const [late] = lateness(stage);
    assert.equal(late.task, 'noon');
    assert.deepEqual([late.unnoticedMs, late.queuedMs], [0, 0]);
    assert.ok(late.storeMs > SECOND && late.storeMs === late.lateMs);
    await stage.stop();
  });

  test('G4 a callback that burns the loop is named in the report of those it made late', async () => {
    const stage = new Stage('2026-03-02T11:59:50Z');
    await stage.initialize(
      ['burner', '59 11 * * *', () => stage.clock.burn(25 * SECOND), 0],
      ['victim', '0 12 * * *', noop, 0],
    );
    await stage.clock.advance(0);
    const [late, ...more] = lateness(stage);
    assert.deepEqual(more, []);
    assert.deepEqual([late.task, late.culprit], ['victim', 'burner']);
    assert.deepEqual([late.lateMs, late.unnoticedMs], [15 * SECOND, 15 * SECOND]);
    await stage.stop();
  });

  test('G4 nobody is named for a lateness that came long after', async () => {
    const stage = new Stage('2026-03-02T11:59:50Z');
    await stage.initialize(
      ['burner', '59 11 * * *', () => stage.clock.burn(5 * SECOND), 0],
      ['victim', '10 12 * * *', noop, 0],
    );
    await stage.clock.advance(10 * MINUTE);
    stage.clock.burn(20 * SECOND); // somebody else holds the loop
    await stage.clock.advance(0);
    const [late] = lateness(stage);
    assert.deepEqual([late.task, late.culprit], ['victim', undefined]);
    await stage.stop();
  });

  test('G4 what is late by no more than the threshold is not told', async () => {
    for (const [lateAfterMs, told] of [
      [10 * SECOND, 0],
      [10 * SECOND - 1, 1],
    ]) {
      const stage = new Stage('2026-03-02T11:59:50Z', { lateAfterMs });
      await stage.initialize(['noon', '0 12 * * *', noop, 0]);
      stage.clock.burn(20 * SECOND);
      await stage.clock.advance(0);
      assert.equal(stage.starts().length, 1);
      assert.equal(lateness(stage).length, told);
      await stage.stop();
    }
  });
});

/** A bound on how many run at once: a task then starts promptly from the instant at which a worker is free. */
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

describe('workers', () => {
  for (const workers of [1, 3]) {
    test(`F2 never more than ${workers} at once, first come, first served`, async () => {
      const stage = new Stage('2026-03-02T12:00:00Z', { workers });
      const { tasks, runs } = crowd(10, '0 12 * * *');
      await stage.initialize(...tasks);
      for (let ended = 0; ended < 10; ended++) {
        assert.equal(runs.length, Math.min(10, ended + workers));
        runs[ended].succeed();
        await stage.clock.settle();
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
      await stage.clock.settle();
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

  test('X4 a due that was served before the clock was set back takes no place in the queue', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const { callback, runs } = heldCallback();
    // The hour field of "early" is no asterisk, so what it has served is not repeated (B5).
    await stage.initialize(
      ['early', '* 0-23 * * *', noop, 0],
      ['long', '31 * * * *', callback, 0],
      ['waits', '40 * * * *', noop, 0],
    );
    await stage.clock.advance(SECOND);
    stage.clock.step(-30 * MINUTE - 5 * SECOND);
    await stage.clock.advance(35 * MINUTE + 5 * SECOND);
    runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts(), [
      'early 12:00 due',
      'long 11:31 due',
      'waits 12:05:01 due',
      'early 12:05:01 due',
    ]);
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
    await stage.clock.settle();
    assert.deepEqual(
      rest.map(({ context }) => context.name),
      ['t1', 't2'],
    );
    rest[1].succeed();
    await stage.stop();
  });
});

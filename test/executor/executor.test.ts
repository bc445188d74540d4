/** The executor's own rules, X2–X4 (with F2 and F3), and its end. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createExecutor, ExecutorEndedError, manual, type Source } from '../../src/executor/index.ts';
import { turns } from '../testing/moved-clock.ts';
import { held } from './held.ts';

describe('X2: a trigger is served once', () => {
  test('X2 triggers before the run are served by it, with the latest item', async () => {
    const executor = createExecutor();
    const items: number[] = [];
    const task = executor.add('t', manual<number>(), ({ item }) => items.push(item));
    assert.equal(task.trigger(1), true);
    task.trigger(2);
    assert.deepEqual(items, [], 'nothing is called from inside trigger()');
    await turns();
    assert.deepEqual(items, [2]);
    task.trigger(3);
    await turns();
    assert.deepEqual(items, [2, 3]);
  });

  test('X2 a trigger while queued is served by the run that is coming', async () => {
    const executor = createExecutor({ workers: 1 });
    const busy = held();
    const items: string[] = [];
    executor.add('busy', manual(), busy.callback).trigger();
    const task = executor.add('t', manual<string>(), ({ item }) => items.push(item));
    task.trigger('old');
    await turns();
    task.trigger('new'); // the worker is taken, so it is queued
    busy.end();
    await turns();
    assert.deepEqual(items, ['new']);
  });

  test('X2 a trigger while running is remembered, once, whether the run then succeeds or fails', async () => {
    const executor = createExecutor({ onError: () => {} });
    const run = held();
    const task = executor.add('t', manual(), run.callback);
    task.trigger();
    await turns();
    task.trigger();
    task.trigger();
    await turns();
    assert.equal(run.calls, 1, 'it does not overlap itself (F2)');
    run.end();
    await turns();
    assert.equal(run.calls, 2);
    task.trigger();
    run.fail(new Error('expected'));
    await turns();
    assert.equal(run.calls, 3);
    run.end();
    await turns();
    assert.equal(run.calls, 3);
  });
});

describe('X3: the end', () => {
  test('X3 done waits for every source, every trigger and every run', async () => {
    const executor = createExecutor({ workers: 1 });
    let outcome: string | undefined;
    executor.done.then((value) => (outcome = value));
    const first = held();
    const second = held();
    const one = executor.add('one', manual(), first.callback);
    const two = executor.add('two', manual(), second.callback);
    one.trigger();
    two.trigger();
    one.end();
    await turns();
    assert.equal(outcome, undefined, 'one of two sources has ended');
    two.end();
    await turns();
    assert.equal(outcome, undefined, 'one runs, one is queued');
    first.end();
    await turns();
    assert.deepEqual([outcome, second.calls], [undefined, 1], 'the second runs');
    second.end();
    assert.equal(await executor.done, 'finished');
  });

  test('X3 an executor to which nothing was added waits; an empty one that is stopped is done', async () => {
    const executor = createExecutor();
    let isDone = false;
    executor.done.then(() => (isDone = true));
    await turns();
    assert.equal(isDone, false);
    await executor.stop();
    assert.equal(await executor.done, 'stopped');
  });

  test('adding after the end is a clear error', async () => {
    const executor = createExecutor();
    executor.add('a', manual(), () => {}).end();
    executor.add('b', manual(), () => {}).end(); // the same tick: not too late
    await executor.done;
    assert.throws(() => executor.add('c', manual(), () => {}), {
      name: 'ExecutorEndedError',
      message: /"c".*everything that was added has finished.*keep a manual\(\) one open/,
    });
    await executor.stop(); // nothing to do, and no error
    const stopped = createExecutor();
    await stopped.stop();
    assert.throws(() => stopped.add('c', manual(), () => {}), ExecutorEndedError);
  });

  test('the handle of an ended task cannot reach a later task that got its number', async () => {
    const executor = createExecutor();
    const calls: string[] = [];
    executor.add('keeper', manual(), () => {});
    const old = executor.add('old', manual(), () => calls.push('old'));
    old.trigger();
    old.end();
    old.end();
    assert.equal(old.trigger(), false);
    await turns();
    const young = executor.add('young', manual(), () => calls.push('young'));
    assert.equal(old.trigger(), false);
    old.end();
    assert.equal(young.trigger(), true);
    await turns();
    assert.deepEqual(calls, ['old', 'young']);
  });
});

describe('X4: order and fairness', () => {
  test('X4 first come, first served, whoever is triggered again and again', async () => {
    const executor = createExecutor({ workers: 1 });
    const calls: string[] = [];
    const greedy = executor.add('greedy', manual(), async () => {
      calls.push('greedy');
      if (calls.length < 6) greedy.trigger();
    });
    greedy.trigger();
    for (const name of ['a', 'b', 'c']) executor.add(name, manual(), () => calls.push(name)).trigger();
    await turns();
    assert.deepEqual(calls, ['greedy', 'a', 'b', 'c', 'greedy', 'greedy']);
  });

  test('in one pass timers go before subscribers, each in the order of their triggers', async () => {
    const executor = createExecutor({ workers: 1 });
    const calls: string[] = [];
    const firing: Source<void> = {
      kind: 'timer',
      attach(sink) {
        sink.trigger();
        return {};
      },
    };
    executor.add('s1', manual(), () => calls.push('s1')).trigger();
    executor.add('t1', firing, () => calls.push('t1'));
    executor.add('s2', manual(), () => calls.push('s2')).trigger();
    executor.add('t2', firing, () => calls.push('t2'));
    await turns();
    assert.deepEqual(calls, ['t1', 't2', 's1', 's2']);
  });

  test('F2 no more than `workers` run at once, and all of them are used', async () => {
    const executor = createExecutor({ workers: 3 });
    const runs = Array.from({ length: 5 }, () => {
      const run = held();
      executor.add('t', manual(), run.callback).trigger();
      return run;
    });
    await turns();
    assert.deepEqual(
      runs.map(({ calls }) => calls),
      [1, 1, 1, 0, 0],
    );
    runs[1].end();
    await turns();
    assert.deepEqual(
      runs.map(({ calls }) => calls),
      [1, 1, 1, 1, 0],
    );
  });

  test('F3 a callback that never ends holds back only its own task', async () => {
    const executor = createExecutor();
    let calls = 0;
    const stuck = executor.add('stuck', manual(), () => new Promise(() => {}));
    const healthy = executor.add('healthy', manual(), () => calls++);
    stuck.trigger();
    for (let round = 1; round <= 3; round++) {
      healthy.trigger();
      await turns();
      assert.equal(calls, round);
    }
  });

  for (const [how, callback] of [
    ['at once', () => {}],
    ['in a promise', async () => {}],
  ] as const) {
    test(`a task that always triggers itself again, ending ${how}, lets the event loop come round`, async () => {
      const executor = createExecutor();
      let stopped = false;
      const task = executor.add('again', manual(), () => {
        if (!stopped) task.trigger();
        return callback();
      });
      task.trigger();
      for (let turn = 0; turn < 5; turn++) await setImmediate();
      stopped = true;
      await executor.stop();
    });
  }
});

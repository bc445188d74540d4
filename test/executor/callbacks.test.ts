/** F1: what a callback may return and throw; where errors go; D10: its signal. And wrong arguments. */
import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { createExecutor, type ErrorInfo, manual } from '../../src/executor/index.ts';
import { turns } from '../testing/moved-clock.ts';

const boom = new Error('boom');
const thrower = (error: unknown) => (): never => {
  throw error;
};
/** An object with the given `then`, or with one that throws when it is looked at. */
const thenable = (then: unknown): object => Object.defineProperty({}, 'then', { value: then });
const trap = (): object => Object.defineProperty({}, 'then', { get: thrower(boom) });

describe('F1: callbacks that fail', () => {
  const rejecting = Object.defineProperty(() => {}, 'then', {
    value: (_: unknown, fail: (error: unknown) => void) => fail(boom),
  });
  const failing: ReadonlyArray<readonly [string, () => unknown, unknown]> = [
    ['throws', thrower(boom), boom],
    ['throws undefined', thrower(undefined), undefined],
    ['rejects', () => Promise.reject(boom), boom],
    ['rejects with null', () => Promise.reject(null), null],
    [
      'returns a thenable that rejects',
      () => thenable((_: unknown, fail: (e: unknown) => void) => fail(boom)),
      boom,
    ],
    ['returns a function with a then that rejects', () => rejecting, boom],
    ['returns a thenable that throws', () => thenable(thrower(boom)), boom],
    ['returns an object whose then throws when looked at', trap, boom],
  ];
  for (const [what, callback, expected] of failing) {
    test(`F1 a callback that ${what} is reported, and its task and worker go on`, async () => {
      const reports: Array<readonly [unknown, ErrorInfo]> = [];
      const executor = createExecutor({ workers: 1, onError: (error, info) => reports.push([error, info]) });
      const task = executor.add('bad', manual(), callback);
      for (let round = 1; round <= 2; round++) {
        task.trigger();
        await turns();
        assert.equal(reports.length, round);
        assert.deepEqual(reports.at(-1), [expected, { name: 'bad', during: 'callback' }]);
      }
      task.end();
      assert.equal(await executor.done, 'finished');
    });
  }

  test('F1 whatever else a callback returns is success; a thenable is waited for, and counts once', async () => {
    const reports: unknown[] = [];
    const executor = createExecutor({ workers: 1, onError: (error) => reports.push(error) });
    const twice = thenable((ok: () => void) => {
      ok();
      ok();
    });
    const callable = Object.defineProperty(() => {}, 'then', { value: (ok: () => void) => ok() });
    const results = [0, 'x', null, undefined, {}, thenable(1), () => {}, Promise.resolve(1), twice, callable];
    let calls = 0;
    const tasks = results.map((result) =>
      executor.add('t', manual(), () => {
        calls++;
        return result;
      }),
    );
    for (let round = 1; round <= 2; round++) {
      for (const task of tasks) task.trigger();
      await turns();
      assert.equal(calls, round * results.length);
    }
    for (const task of tasks) task.end();
    await executor.done;
    assert.deepEqual(reports, []);
  });
});

describe('where errors go', () => {
  const failOnce = (executor: ReturnType<typeof createExecutor>, error: unknown): void => {
    const task = executor.add('t', manual(), thrower(error));
    task.trigger();
    task.end();
  };

  test('without onError, an error becomes a process warning', async () => {
    const executor = createExecutor();
    const warned = once(process, 'warning');
    failOnce(executor, boom);
    const [warning] = await warned;
    assert.equal(warning.name, 'ObbligatoWarning');
    assert.equal(warning.code, 'OBBLIGATO_TASK_FAILED');
    assert.match(warning.message, /the callback of task "t" failed: Error: boom\n {4}at /);
    assert.equal(await executor.done, 'finished');
  });

  for (const [how, onError] of [
    ['throws', thrower(new Error('second'))],
    ['rejects', () => Promise.reject(new Error('second'))],
  ] as const) {
    test(`an onError that ${how} harms nobody, and becomes a process warning`, async () => {
      const executor = createExecutor({ workers: 1, onError });
      const warned = once(process, 'warning');
      failOnce(executor, boom);
      const [warning] = await warned;
      assert.equal(warning.code, 'OBBLIGATO_ON_ERROR_FAILED');
      assert.match(
        warning.message,
        /onError itself failed, for the callback of task "t" failed: Error: second/,
      );
      assert.equal(await executor.done, 'finished');
    });
  }

  test('an error that throws when it is looked at is still reported', async () => {
    const executor = createExecutor();
    const warned = once(process, 'warning');
    failOnce(executor, Object.defineProperty(new Error(), 'stack', { get: thrower(boom) }));
    const [warning] = await warned;
    assert.equal(warning.code, 'OBBLIGATO_TASK_FAILED');
    await executor.done;
  });
});

describe('the context', () => {
  test('it has the name, the item, and one signal a run; its data can be sent elsewhere', async () => {
    const executor = createExecutor();
    const task = executor.add('t', manual<number>(), ({ name, item, signal, ...rest }) => {
      seen.push([name, item, signal instanceof AbortSignal, signal.aborted, rest]);
    });
    const seen: unknown[] = [];
    task.trigger(7);
    await turns();
    assert.deepEqual(seen, [['t', 7, true, false, {}]]);
    const texts: string[] = [];
    const other = executor.add('u', manual<number>(), (context) => texts.push(JSON.stringify(context)));
    other.trigger(8);
    await turns();
    assert.equal(texts[0], '{"name":"u","item":8}');
  });

  test('callbacks run in the asynchronous context in which the executor was made, not in a trigger’s', async () => {
    const storage = new AsyncLocalStorage<string>();
    const executor = storage.run('birth', () => createExecutor({ workers: 1 }));
    const seen: unknown[] = [];
    for (const context of ['one', 'two']) {
      const task = executor.add(context, manual(), async () => seen.push(storage.getStore()));
      storage.run(context, () => task.trigger());
    }
    await turns();
    assert.deepEqual(seen, ['birth', 'birth']);
  });

  test('a callback is called without a receiver', async () => {
    const executor = createExecutor();
    const seen: unknown[] = [];
    executor
      .add('t', manual(), function (this: unknown) {
        seen.push(this);
      })
      .trigger();
    await turns();
    assert.deepEqual(seen, [undefined]);
  });
});

test('wrong arguments are refused with the way out', () => {
  const executor = createExecutor();
  const add = (...args: unknown[]): unknown => Reflect.apply(executor.add, executor, args);
  const create = (options: object): unknown => Reflect.apply(createExecutor, undefined, [options]);
  const nothing = (): void => {};
  assert.throws(
    () => add(1, manual(), nothing),
    /^TypeError: add\(name, source, callback\) takes a name first/,
  );
  assert.throws(() => add('t', nothing, nothing), /^TypeError: .*"t".*takes a source second: every\(\)/);
  assert.throws(() => add('t'), /^TypeError: .*"t".*takes a source second: every\(\)/);
  assert.throws(() => add('t', manual(), 'f'), /^TypeError: .*"t".*takes a callback third; got string/);
  for (const workers of [0, -1, 1.5, Number.NaN]) {
    assert.throws(() => create({ workers }), /^RangeError: workers must be a whole number of at least 1/);
  }
  assert.throws(() => create({ slice: -1 }), /^RangeError: slice must be a duration/);
  assert.throws(() => create({ onError: true }), /^TypeError: onError must be a function/);
});

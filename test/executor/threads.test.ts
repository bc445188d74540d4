/** `inThread`: real threads, and everything that can become of one. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import {
  createExecutor,
  inThread,
  manual,
  ThreadError,
  type ThreadOptions,
} from '../../src/executor/index.ts';

const work = new URL('fixtures/work.ts', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'obbligato-threads-'));
after(() => rmSync(folder, { recursive: true }));

/** Runs one export of the fixture through an executor; the error it failed with. */
async function failure(
  exportName: string,
  options: ThreadOptions = {},
  item: unknown = undefined,
): Promise<Error> {
  const errors: unknown[] = [];
  const executor = createExecutor({ onError: (error) => errors.push(error) });
  const callback = inThread(work, { exportName, ...options });
  const task = executor.add('threaded', manual<unknown>(), callback);
  task.trigger(item);
  task.end();
  assert.equal(await executor.done, 'finished');
  await callback.close();
  assert.equal(errors.length, 1);
  assert.ok(errors[0] instanceof Error, String(errors[0]));
  return errors[0];
}

/** Resolves when the fixture's `spin` has begun. */
const begun = async (flag: Int32Array): Promise<unknown> => Atomics.waitAsync(flag, 0, 0).value;

describe('inThread', () => {
  test('runs a .ts module in a thread, with the context’s data', async () => {
    const executor = createExecutor();
    const callback = inThread(work, { exportName: 'note' });
    const file = join(folder, 'note');
    const task = executor.add('noted', manual<string>(), callback);
    task.trigger(file);
    task.end();
    await executor.done;
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), {
      data: { name: 'noted', item: file },
      inThread: true,
    });
    await callback.close();
  });

  test('runs a .js module, given by its path, and its default export', async () => {
    const callback = inThread(join(import.meta.dirname, 'fixtures/plain.js'));
    const file = join(folder, 'plain');
    // A plain object will do for a context: the scheduler's has other members, and a signal that is never sent.
    await callback(Object.assign({ signal: new AbortController().signal }, { item: file }));
    assert.equal(readFileSync(file, 'utf8'), 'plain');
    await callback.close();
  });

  test('`data` chooses what is sent; what cannot be cloned is a clear error', async () => {
    const file = join(folder, 'data');
    const callback = inThread(work, {
      exportName: 'note',
      data: ({ name }) => ({ item: file, extra: name }),
    });
    await callback({ name: 'chosen' });
    assert.equal(JSON.parse(readFileSync(file, 'utf8')).data.extra, 'chosen');
    await callback.close();
    const error = await failure('note', {}, () => {});
    assert.ok(error instanceof ThreadError);
    assert.match(
      error.message,
      /^Task "threaded": what is to be sent to the thread cannot be cloned .*\{ data: /,
    );
  });

  test('F1 an error keeps message, stack, name, cause and properties', async () => {
    const error = await failure('fail');
    assert.equal(error.name, 'CustomError');
    assert.equal(error.message, 'from the thread');
    assert.match(String(error.stack), /from the thread\n.*fixtures\/work\.ts:\d+/s);
    assert.equal(Reflect.get(error, 'code'), 'E_CUSTOM');
    assert.ok(error.cause instanceof Error && error.cause.message === 'below it');
  });

  test('F1 a thrown null is a failure; a thrown function is told in words; any result is success', async () => {
    await assert.rejects(inThread(work, { exportName: 'throwNull' })({}), (error) => error === null);
    assert.match(
      (await failure('throwFunction')).message,
      /something was thrown that cannot be cloned: \[Function/,
    );
    await inThread(work, { exportName: 'returnFunction' })({});
  });

  test('what the module posts by itself is no outcome', async () => {
    await assert.rejects(inThread(work, { exportName: 'post' })({}), { message: 'after it has posted' });
  });

  test('a thread that dies is a failed run with a clear message, and the next run has a new one', async () => {
    const died = /^Task "threaded": the thread running file:.*work\.ts died: /;
    for (const [exportName, why] of [
      ['exit', /worker exited with code: 7$/],
      ['uncaught', /nobody caught this$/],
      ['exhaust', /out of memory$/],
    ] as const) {
      const error = await failure(exportName, { resourceLimits: { maxOldGenerationSizeMb: 24 } });
      assert.ok(error instanceof ThreadError && error.cause instanceof Error);
      assert.match(error.message, died);
      assert.match(error.message, why);
    }
    const callback = inThread(work, { exportName: 'exit', threads: 1 });
    const runs = await Promise.allSettled([callback({}), callback({}), callback({})]);
    assert.deepEqual(
      runs.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
      'nobody waits for ever',
    );
  });

  test('D10 stopping the executor ends even an endless loop, and whoever waits for its thread', async () => {
    const errors: unknown[] = [];
    const executor = createExecutor({ onError: (error) => errors.push(error) });
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const callback = inThread(work, { exportName: 'spin', threads: 1 });
    for (const name of ['spinning', 'waiting'])
      executor.add(name, manual<Int32Array>(), callback).trigger(flag);
    await begun(flag);
    await executor.stop();
    assert.deepEqual(
      errors.map((error) => error instanceof Error && error.name),
      ['AbortError', 'AbortError'],
    );
    await callback.close();
  });

  test('an aborted run makes room for the next one, with a single thread', async () => {
    const flag = new Int32Array(new SharedArrayBuffer(4));
    const callback = inThread(work, { exportName: 'spin', threads: 1 });
    const first = new AbortController();
    const second = new AbortController();
    const one = callback(Object.assign({ signal: first.signal }, { item: flag }));
    const later = new Int32Array(new SharedArrayBuffer(4));
    const two = callback(Object.assign({ signal: second.signal }, { item: later }));
    await begun(flag);
    const third = new AbortController();
    const three = callback({ signal: third.signal });
    third.abort();
    await assert.rejects(three, { name: 'AbortError' }, 'one that waits need not wait for its place');
    first.abort();
    await assert.rejects(one, { name: 'AbortError' });
    await begun(later);
    second.abort();
    await assert.rejects(two, { name: 'AbortError' });
    await callback.close();
  });

  test('close lets the run in progress end; afterwards there is a clear error', async () => {
    const flags = new Int32Array(new SharedArrayBuffer(8));
    const callback = inThread(work, { exportName: 'gate' });
    const running = callback(Object.assign({ name: 'gated' }, { item: flags }));
    await begun(flags);
    const closing = Promise.all([callback.close(), callback.close()]);
    Atomics.store(flags, 1, 1);
    Atomics.notify(flags, 1);
    await running;
    await closing;
    await assert.rejects(callback({ name: 't' }), /Task "t": its threads were closed with close\(\)/);
  });

  test('a module that is missing, or lacks the export, is a clear error', async () => {
    await assert.rejects(inThread(new URL('nowhere.ts', import.meta.url))({}), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    const lacking = inThread(work, { exportName: 'notAFunction' });
    await assert.rejects(
      lacking({}),
      /TypeError: .*work\.ts exports no function called "notAFunction"; its exports are: .*default/,
    );
  });

  test('wrong arguments are refused with the way out', () => {
    const make = (...args: unknown[]): unknown => Reflect.apply(inThread, undefined, args);
    for (const module of [
      './work.ts',
      'https://example.org/work.js',
      undefined,
      new URL('data:text/javascript,0'),
    ]) {
      assert.throws(
        () => make(module),
        /^TypeError: inThread\(\) takes the URL of a file, such as new URL\(/,
      );
    }
    for (const threads of [0, 1.5, '2'])
      assert.throws(() => make(work, { threads }), /^RangeError: threads must be/);
  });
});

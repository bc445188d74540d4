/** Sources that fire on events: the latest counts; sources that are pulled: nothing is lost. */
import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { createExecutor, from, onChannel, onEvent, type Source } from '../../src/executor/index.ts';
import { turns } from '../testing/moved-clock.ts';
import { held } from './held.ts';

/** Adds one task that notes its items, each run ending in a promise. */
function run<Item>(source: Source<Item>): {
  items: Item[];
  errors: string[];
  executor: ReturnType<typeof createExecutor>;
  task: { end(): void };
} {
  const items: Item[] = [];
  const errors: string[] = [];
  const executor = createExecutor({ onError: (error, { during }) => errors.push(`${during}: ${error}`) });
  const task = executor.add('t', source, async ({ item }) => void items.push(item));
  return { items, errors, executor, task };
}

describe('onEvent', () => {
  test('an emitter’s event: the latest arguments (X2); `until` ends it', async () => {
    const emitter = new EventEmitter();
    const { items, executor } = run(onEvent<[string, number]>(emitter, 'mail', { until: 'close' }));
    emitter.emit('mail', 'a', 1);
    emitter.emit('mail', 'b', 2);
    await turns();
    emitter.emit('mail', 'c', 3);
    emitter.emit('close');
    assert.equal(emitter.emit('mail', 'd', 4), false, 'it listens no more');
    assert.equal(await executor.done, 'finished');
    assert.deepEqual(items, [
      ['b', 2],
      ['c', 3],
    ]);
  });

  test('the event of an EventTarget, such as an abort signal', async () => {
    const controller = new AbortController();
    const { items, executor } = run(onEvent<[Event]>(controller.signal, 'abort', { until: 'abort' }));
    controller.abort();
    assert.equal(await executor.done, 'finished');
    assert.deepEqual(
      items.map(([event]) => event.type),
      ['abort'],
    );
  });
});

test('onChannel: the latest message of a diagnostics channel, by object or by name', async () => {
  const diagnostics = channel('obbligato:test:subscribers');
  for (const given of [diagnostics, diagnostics.name]) {
    const { items, task, executor } = run(onChannel(given));
    diagnostics.publish({ n: 1 });
    diagnostics.publish({ n: 2 });
    await turns();
    task.end();
    diagnostics.publish({ n: 3 });
    await executor.done;
    assert.deepEqual(items, [{ n: 2 }]);
    assert.equal(diagnostics.hasSubscribers, false);
  }
});

describe('from', () => {
  async function* count(to: number): AsyncGenerator<number> {
    for (let n = 1; n <= to; n++) yield n;
  }
  const numbers = Array.from({ length: 100 }, (_, index) => index + 1);
  const pullables = {
    'an async generator': () => count(100),
    'a generator': () => numbers.values(),
    'an array': () => numbers,
    'an object stream': () => Readable.from(numbers),
    'a web stream': () => ReadableStream.from(numbers),
  };
  for (const [what, make] of Object.entries(pullables)) {
    test(`${what}: every item once, in order, then the end`, async () => {
      const { items, errors, executor } = run<unknown>(from<unknown>(make()));
      assert.equal(await executor.done, 'finished');
      assert.deepEqual(items, numbers);
      assert.deepEqual(errors, []);
    });
  }

  test('backpressure: the next item is not asked for before the run of the previous one has ended', async () => {
    const executor = createExecutor({ onError: () => {} });
    const slow = held();
    let asked = 0;
    async function* source(): AsyncGenerator<number> {
      for (; asked < 3; ) yield ++asked;
    }
    executor.add('slow', from(source()), slow.callback);
    for (let item = 1; item <= 3; item++) {
      await turns();
      assert.deepEqual([asked, slow.calls], [item, item]);
      if (item === 2) slow.fail(new Error('a failed run lets the next item come too'));
      else slow.end();
    }
    assert.equal(await executor.done, 'finished');
  });

  test('backpressure reaches the writer of a stream', async () => {
    const stream = new PassThrough({ objectMode: true, highWaterMark: 1 });
    const executor = createExecutor();
    const slow = held();
    executor.add('slow', from(stream), slow.callback);
    let written = 0;
    do {
      stream.write(++written);
      await turns();
    } while (!stream.writableNeedDrain && written < 100);
    assert.ok(written < 100, 'the writer is told to wait');
    assert.equal(slow.calls, 1);
    const drained = once(stream, 'drain');
    for (let n = 0; n < written; n++) {
      slow.end();
      await turns();
    }
    await drained;
    await executor.stop();
  });

  const failing: ReadonlyArray<readonly [string, () => AsyncIterable<number>, string]> = [
    [
      'a stream that is destroyed with an error',
      () => {
        const stream = new PassThrough({ objectMode: true });
        stream.write(1);
        setImmediate(() => stream.destroy(new Error('torn')));
        return stream;
      },
      'Error: torn',
    ],
    [
      'a generator that throws',
      async function* () {
        yield 1;
        throw new Error('torn');
      },
      'Error: torn',
    ],
    [
      'an iterator whose next throws',
      () =>
        iterable(() => {
          throw new Error('torn');
        }),
      'Error: torn',
    ],
    [
      'an iterator that answers nonsense',
      () => iterable(() => Promise.resolve(5)),
      'TypeError: next() of the iterator',
    ],
    [
      'an iterator that answers nonsense at once',
      () => iterable(() => undefined),
      'TypeError: next() of the iterator',
    ],
    [
      'a value that throws when looked at',
      () =>
        iterable(async () =>
          Object.defineProperty({}, 'value', {
            get() {
              throw new Error('torn');
            },
          }),
        ),
      'Error: torn',
    ],
    [
      'an iterable that cannot be opened',
      () => ({
        [Symbol.asyncIterator]() {
          throw new Error('torn');
        },
      }),
      'Error: torn',
    ],
  ];
  /** An async iterable of the given `next`, which may be a wrong one. */
  function iterable(next: () => unknown): AsyncIterable<number> {
    return { [Symbol.asyncIterator]: () => ({ next: next as () => Promise<IteratorResult<number>> }) };
  }
  for (const [what, make, message] of failing) {
    test(`${what} is reported and ends; nothing else is harmed`, async () => {
      const { errors, executor } = run(from(make()));
      const other: number[] = [];
      executor.add('other', from([1, 2]), ({ item }) => other.push(item));
      assert.equal(await executor.done, 'finished');
      assert.deepEqual(other, [1, 2]);
      assert.equal(errors.length, 1);
      assert.ok(errors[0].startsWith(`source: ${message}`), errors[0]);
    });
  }

  test('ended early, an iterator is told to return, and an item on its way is let go', async () => {
    const seen: string[] = [];
    const answer = Promise.withResolvers<IteratorResult<string>>();
    const { items, task, executor } = run(
      from({
        [Symbol.asyncIterator]: () => ({
          next: () => answer.promise,
          async return() {
            seen.push('return');
            return { done: true, value: undefined };
          },
        }),
      }),
    );
    task.end();
    answer.resolve({ done: false, value: 'late' });
    assert.equal(await executor.done, 'finished');
    await turns();
    assert.deepEqual([items, seen], [[], ['return']]);
  });

  test('ended while it waits, a web stream is cancelled', async () => {
    const cancelled = Promise.withResolvers<void>();
    const { task, executor } = run(from(new ReadableStream({ cancel: () => cancelled.resolve() })));
    task.end();
    await cancelled.promise;
    await executor.done;
  });
});

test('wrong arguments are refused with the way out', () => {
  const call = (f: (...args: never[]) => unknown, ...args: unknown[]): unknown =>
    Reflect.apply(f, undefined, args);
  for (const given of [undefined, null, {}, 'text']) {
    assert.throws(
      () => call(onEvent, given, 'x'),
      /^TypeError: onEvent\(\) takes an EventEmitter or an EventTarget/,
    );
    assert.throws(() => call(from, given), /^TypeError: from\(\) takes an async iterable, a readable stream/);
  }
  assert.throws(
    () => call(onEvent, new EventEmitter(), 5),
    /^TypeError: onEvent\(\) takes the name of an event/,
  );
  assert.throws(() => call(onChannel, 5), /^TypeError: onChannel\(\) takes a diagnostics_channel/);
});

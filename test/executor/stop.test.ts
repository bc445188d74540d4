/** Stopping: nothing starts, sources let go, signals are aborted (D10), running callbacks end (D7, D9). */
import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { at, createExecutor, every, from, manual, onChannel, onEvent } from '../../src/executor/index.ts';
import { MovedClock, turns } from '../testing/moved-clock.ts';
import { held } from './held.ts';

describe('stop', () => {
  test('D7 from the call on nothing starts; it waits for what runs and drops what is owed', async () => {
    const executor = createExecutor({ workers: 1 });
    const run = held();
    let calls = 0;
    const running = executor.add('running', manual(), run.callback);
    const queued = executor.add('queued', manual(), () => calls++);
    running.trigger();
    queued.trigger();
    await turns();
    running.trigger();
    let isStopped = false;
    const stopping = executor.stop().then(() => (isStopped = true));
    assert.equal(queued.trigger(), false);
    await turns();
    assert.equal(isStopped, false, 'a callback still runs');
    run.end();
    await stopping;
    assert.deepEqual([run.calls, calls], [1, 0]);
    assert.equal(await executor.done, 'stopped');
  });

  test('D7 a trigger and a stop in the same tick: nothing starts', async () => {
    const executor = createExecutor();
    let calls = 0;
    executor.add('t', manual(), () => calls++).trigger();
    await executor.stop();
    assert.equal(calls, 0);
  });

  test('D7 concurrent and repeated stops resolve, and a failing callback does not reject them', async () => {
    const executor = createExecutor({ onError: () => {} });
    const run = held();
    executor.add('t', manual(), run.callback).trigger();
    await turns();
    const stops = [executor.stop(), executor.stop()];
    run.fail(new Error('expected'));
    assert.deepEqual(await Promise.all(stops), [undefined, undefined]);
    await executor.stop();
  });

  test('D9 stop may be called inside a callback, without awaiting it', async () => {
    for (const end of [() => {}, async () => {}]) {
      const executor = createExecutor();
      executor
        .add('t', manual(), () => {
          void executor.stop();
          return end();
        })
        .trigger();
      assert.equal(await executor.done, 'stopped');
    }
  });

  test('D10 the signals of running callbacks are aborted, also of one that asks for it only later', async () => {
    const executor = createExecutor();
    const run = held();
    let late: (() => AbortSignal) | undefined;
    executor.add('early', manual(), ({ signal }) => once(signal, 'abort')).trigger();
    const lateTask = executor.add('late', manual(), (context) => {
      late = () => context.signal;
      return run.callback();
    });
    lateTask.trigger();
    await turns();
    const stopping = executor.stop();
    assert.equal(late?.().aborted, true);
    assert.equal(late?.().reason.name, 'AbortError');
    run.end();
    await stopping;
  });

  test('D10 the signal of a run that is over is left alone', async () => {
    const executor = createExecutor();
    const signals: AbortSignal[] = [];
    executor.add('t', manual(), ({ signal }) => signals.push(signal)).trigger();
    executor.add('u', manual(), async ({ signal }) => signals.push(signal)).trigger();
    await turns();
    await executor.stop();
    assert.deepEqual(
      signals.map(({ aborted }) => aborted),
      [false, false],
    );
  });

  test('a callback that calls stop again as its signal is aborted gets the same end', async () => {
    const executor = createExecutor();
    let inner: Promise<void> | undefined;
    const running = executor.add('t', manual(), async ({ signal }) => {
      signal.addEventListener('abort', () => (inner = executor.stop()));
      await once(signal, 'abort');
    });
    running.trigger();
    await turns();
    await executor.stop();
    await inner;
  });

  test('without onError, a callback that ends by its signal at stop makes no warning; another error does', async () => {
    const executor = createExecutor();
    const warnings: string[] = [];
    const listener = (warning: Error): void => void warnings.push(warning.message);
    process.on('warning', listener);
    const run = held();
    const obedient = executor.add('obedient', manual(), async ({ signal }) => {
      await once(signal, 'abort');
      signal.throwIfAborted();
    });
    obedient.trigger();
    executor.add('broken', manual(), run.callback).trigger();
    await turns();
    const stopping = executor.stop();
    run.fail(new Error('broken at stop'));
    await stopping;
    await turns();
    process.removeListener('warning', listener);
    assert.equal(warnings.length, 1);
    assert.match(warnings[0], /task "broken" failed: Error: broken at stop/);
  });

  test('every kind of source lets go of what it held', async () => {
    const clock = new MovedClock(0);
    const executor = createExecutor({ clock });
    const emitter = new EventEmitter();
    const target = new EventTarget();
    const diagnostics = channel('obbligato:test:stop');
    const stream = new Readable({ read() {} });
    let returned = 0;
    async function* endless(): AsyncGenerator<number> {
      try {
        for (let item = 0; ; item++) yield item;
      } finally {
        await turns(); // it may take its time to let go, and stop waits for that
        returned++;
      }
    }
    const run = held();
    executor.add('every', every(1_000), () => {});
    executor.add('at', at([1_000, 2_000]), () => {});
    executor.add('event', onEvent(emitter, 'x', { until: 'close' }), () => {});
    executor.add('target', onEvent(target, 'x'), () => assert.fail('it was stopped'));
    executor.add('channel', onChannel(diagnostics), () => {});
    executor.add('stream', from(stream), () => {});
    executor.add('generator', from(endless()), run.callback);
    await turns();
    assert.deepEqual(
      [clock.timers, emitter.listenerCount('x'), emitter.listenerCount('close'), diagnostics.hasSubscribers],
      [2, 1, 1, true],
    );
    const stopping = executor.stop();
    run.end();
    await stopping;
    target.dispatchEvent(new Event('x'));
    assert.deepEqual(
      [clock.timers, emitter.listenerCount('x'), emitter.listenerCount('close'), diagnostics.hasSubscribers],
      [0, 0, 0, false],
    );
    assert.deepEqual([stream.destroyed, returned], [true, 1]);
  });

  test('an iterator that never answers does not keep stop waiting', async () => {
    const executor = createExecutor();
    let calls = 0;
    async function* silent(): AsyncGenerator<number> {
      calls++;
      await new Promise(() => {});
      yield 0;
    }
    executor.add('silent', from(silent()), () => {});
    await turns();
    await executor.stop();
    assert.equal(calls, 1);
  });

  test('a source that fails to let go is reported, and the others let go all the same', async () => {
    const errors: unknown[] = [];
    const executor = createExecutor({ onError: (error, { name }) => errors.push([name, String(error)]) });
    const fail = (): never => {
      throw new Error('stuck');
    };
    const emitter = new EventEmitter();
    executor.add('throws', { kind: 'timer', attach: () => ({ detach: fail }) }, () => {});
    executor.add('rejects', { kind: 'timer', attach: () => ({ detach: async () => fail() }) }, () => {});
    executor.add('fine', onEvent(emitter, 'x'), () => {});
    await executor.stop();
    assert.equal(emitter.listenerCount('x'), 0);
    assert.deepEqual(errors, [
      ['throws', 'Error: stuck'],
      ['rejects', 'Error: stuck'],
    ]);
  });

  test('a stop while a source is being attached detaches that one too', async () => {
    const executor = createExecutor();
    let detached = 0;
    executor.add(
      't',
      {
        kind: 'subscriber',
        attach() {
          void executor.stop();
          return { detach: () => detached++ };
        },
      },
      () => {},
    );
    await executor.stop();
    assert.equal(detached, 1);
  });
});

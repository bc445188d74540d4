/** Callbacks may be anything, and nothing of it reaches anybody else (F1). */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import type { Callback } from '../../src/scheduler/options.ts';
import { HOUR, MINUTE, noop, Stage } from './scenario.ts';

/** Whatever reaches the process while a test runs. */
function strays(t: TestContext): unknown[] {
  const found: unknown[] = [];
  const listener = (reason: unknown): void => void found.push(reason);
  process.on('unhandledRejection', listener);
  process.on('uncaughtException', listener);
  t.after(() => {
    process.off('unhandledRejection', listener);
    process.off('uncaughtException', listener);
  });
  return found;
}

/** An object with a `then` of its own. */
const thenable = (then: PropertyDescriptor): object => Object.defineProperty({}, 'then', then);
const thenIs = (value: unknown): object => thenable({ value });

const callbacks: readonly [string, 'success' | 'failure', Callback][] = [
  ['returns nothing', 'success', noop],
  ['returns a value', 'success', () => 42],
  ['returns null', 'success', () => null],
  ['returns an Error', 'success', () => new Error('a value like any other')],
  ['returns an object whose then is no function', 'success', () => thenIs(7)],
  ['returns a function', 'success', () => noop],
  ['resolves', 'success', async () => 'done'],
  ['resolves to a rejected promise', 'failure', () => Promise.resolve().then(() => Promise.reject(1))],
  ['is a generator function', 'success', function* () {}],
  [
    'throws an Error',
    'failure',
    () => {
      throw new Error('x');
    },
  ],
  [
    'throws undefined',
    'failure',
    () => {
      throw undefined;
    },
  ],
  [
    'throws null',
    'failure',
    () => {
      throw null;
    },
  ],
  [
    'throws a text',
    'failure',
    () => {
      throw 'text';
    },
  ],
  ['rejects', 'failure', () => Promise.reject(new Error('x'))],
  ['rejects with undefined', 'failure', () => Promise.reject()],
  ['returns a thenable that resolves', 'success', () => thenIs((resolve: () => void) => resolve())],
  ['returns a thenable that rejects', 'failure', () => thenIs((_: unknown, reject: () => void) => reject())],
  [
    'returns a thenable that throws',
    'failure',
    () =>
      thenIs(() => {
        throw new Error('x');
      }),
  ],
  [
    'returns a thenable that resolves, then throws',
    'success',
    () =>
      thenIs((resolve: () => void) => {
        resolve();
        throw new Error('x');
      }),
  ],
  [
    'returns a thenable that resolves twice, then rejects',
    'success',
    () =>
      thenIs((resolve: () => void, reject: () => void) => {
        resolve();
        resolve();
        reject();
      }),
  ],
  [
    'returns a thenable that rejects, then resolves',
    'failure',
    () =>
      thenIs((resolve: () => void, reject: () => void) => {
        reject();
        resolve();
      }),
  ],
  [
    'returns an object whose then throws when it is read',
    'failure',
    () =>
      thenable({
        get: () => {
          throw new Error('x');
        },
      }),
  ],
  [
    'returns a revoked proxy',
    'failure',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {});
      revoke();
      return proxy;
    },
  ],
];

describe('callbacks', () => {
  for (const [what, outcome, callback] of callbacks) {
    test(`F1 a callback that ${what}: ${outcome}, once, and nobody else hears of it`, async (t) => {
      const found = strays(t);
      const stage = new Stage('2026-03-02T12:00:00Z');
      stage.clock.watchesCallbacks = false;
      let others = 0;
      await stage.initialize(
        ['before', '* * * * *', () => others++, 0],
        ['odd', '0 12 * * *', callback, HOUR],
        ['after', '* * * * *', () => others++, 0],
      );
      await stage.clock.advance(MINUTE);
      const ends = stage.world.told().filter((told) => /Task\w+(Completed|Failed) odd/.test(told));
      assert.deepEqual(ends, [outcome === 'success' ? 'TaskRunCompleted odd' : 'TaskRunFailed odd']);
      assert.equal(others, 4);
      await stage.stop();
      const { lastSuccessAt, lastFailureAt, run } = await stage.disk.record('odd');
      assert.equal((outcome === 'success' ? lastSuccessAt : lastFailureAt) === null, false);
      assert.equal(outcome === 'success' ? lastFailureAt : lastSuccessAt, null);
      assert.equal(run, null);
      assert.deepEqual(found, []);
    });
  }
});

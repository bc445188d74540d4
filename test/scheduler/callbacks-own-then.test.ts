/** Promises whose `then` is not the native one (F1). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { HOUR, MINUTE, noop, Stage } from './scenario.ts';

type Then = (resolve: () => void, reject: (error: unknown) => void) => void;
const promiseThen = (then: Then): Promise<void> =>
  Object.defineProperty(Promise.resolve(), 'then', { value: then });

const callbacks: readonly [string, 'Completed' | 'Failed', Then][] = [
  [
    'resolves twice',
    'Completed',
    (resolve) => {
      resolve();
      resolve();
    },
  ],
  [
    'resolves, then throws',
    'Completed',
    (resolve) => {
      resolve();
      throw new Error('x');
    },
  ],
  [
    'rejects, then resolves',
    'Failed',
    (resolve, reject) => {
      reject(1);
      resolve();
    },
  ],
];

describe('a promise with a then of its own', () => {
  for (const [what, outcome, then] of callbacks) {
    test(`F1 one that ${what} ends its run once, and nobody else hears of it`, async (t) => {
      const strays: unknown[] = [];
      const listener = (reason: unknown): void => void strays.push(reason);
      process.on('unhandledRejection', listener);
      t.after(() => process.off('unhandledRejection', listener));
      const stage = new Stage('2026-03-02T12:00:00Z');
      stage.clock.watchesCallbacks = false;
      await stage.initialize(
        ['odd', '0 12 * * *', () => promiseThen(then), HOUR],
        ['other', '* * * * *', noop, 0],
      );
      await stage.clock.advance(MINUTE);
      const ends = stage.world.told().filter((told) => /^TaskRun(Completed|Failed) odd$/.test(told));
      assert.deepEqual(ends, [`TaskRun${outcome} odd`]);
      assert.equal(stage.starts().length, 3);
      await stage.stop();
      assert.deepEqual(strays, []);
    });
  }
});

/** D2, G2, G3: the list is looked at in the calling tick, copied, and durations are understood. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Temporal as polyfill } from 'temporal-polyfill';
import {
  InvalidRegistrationError,
  minutes,
  NegativeRetryDelayError,
  RegistrationShapeError,
} from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import { MAX_INSTANT } from '../../src/time/zone.ts';
import { at, TroubledStore } from './fixtures/troubled-store.ts';
import { createWorld, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const Temporal: typeof polyfill = Reflect.get(globalThis, 'Temporal') ?? polyfill;

describe('D2 the calling tick', () => {
  test('D2 everything is read before initialize returns: changing the list afterwards changes nothing', async () => {
    const store = new TroubledStore();
    const { scheduler } = createWorld(NOON, { store });
    const called: string[] = [];
    const tuple: [string, string, () => void, number] = ['a', '* * * * *', () => called.push('a'), 5];
    const list: Registration[] = [tuple];
    const initialized = scheduler.initialize(list);
    tuple[0] = 'b';
    tuple[1] = 'not a cron expression';
    tuple[2] = () => called.push('b');
    tuple[3] = -1;
    list.push(['c', '* * * * *', () => called.push('c'), 0]);
    list.length = 0;
    await initialized;
    await turns();
    assert.deepEqual(called, ['a']);
    const [{ name, cron, retryDelayMs }, ...rest] = await store.records();
    assert.deepEqual(
      { name, cron, retryDelayMs, rest },
      { name: 'a', cron: '* * * * *', retryDelayMs: 5, rest: [] },
    );
    await scheduler.stop();
  });

  test('D2 a wrong list that is put right afterwards is still refused, before any I/O', async () => {
    const store = new TroubledStore();
    const { scheduler } = createWorld(NOON, { store });
    const list: unknown[] = [null];
    const initialized: Promise<void> = Reflect.apply(scheduler.initialize, undefined, [list]);
    list[0] = ['a', '* * * * *', () => {}, 0];
    await assert.rejects(initialized, RegistrationShapeError);
    assert.deepEqual(store.calls, []);
  });

  test('D2 a hundred thousand registrations are taken, and their store is asked once', async () => {
    const store = new TroubledStore();
    const { scheduler } = createWorld(NOON, { store });
    const list = Array.from(
      { length: 100_000 },
      (_, index): Registration => [`task ${index}`, `${index % 60} 3 * * *`, () => {}, index],
    );
    await scheduler.initialize(list);
    assert.deepEqual(store.calls, ['open', 'read', 'commit']);
    assert.equal((await store.records()).length, 100_000);
    await scheduler.stop();
  });
});

/** Whatever `initialize` makes of a duration: the stored delay, or the error. */
async function delayOf(duration: unknown): Promise<unknown> {
  const store = new TroubledStore();
  const { scheduler } = createWorld(NOON, { store });
  try {
    await Reflect.apply(scheduler.initialize, undefined, [[['a', '0 0 1 1 *', () => {}, duration]]]);
  } catch (error) {
    assert.deepEqual(store.calls, []);
    return error;
  }
  await scheduler.stop();
  return (await store.record('a')).retryDelayMs;
}

const conversionFailed = new Error('no conversion today');
const throwing = {
  toMillis(): number {
    throw conversionFailed;
  },
};
const throwingGetter = Object.defineProperty({}, 'toMillis', {
  get() {
    throw conversionFailed;
  },
});

describe('G3 what is a duration', () => {
  const durations: ReadonlyArray<readonly [string, unknown, number]> = [
    ['0', 0, 0],
    ['-0', -0, 0],
    ['a whole number', 1234, 1234],
    ['the largest whole number', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    ['a helper of ours', minutes(5), 300_000],
    ["an object with toMillis, like Luxon's", { toMillis: () => 1500 }, 1500],
    ['one that inherits it', Object.create({ toMillis: () => 7 }), 7],
    ['a Temporal.Duration', Temporal.Duration.from({ minutes: 2, milliseconds: 3 }), 120_003],
    ['a Temporal.Duration of days', Temporal.Duration.from({ days: 1 }), 86_400_000],
    [
      'an object with total, like Temporal',
      { total: (unit: string) => (unit === 'milliseconds' ? 9 : -1) },
      9,
    ],
  ];
  for (const [what, duration, expected] of durations) {
    test(`G3 ${what} is one`, async () => {
      assert.equal((await delayOf(duration)) === expected, true);
    });
  }
});

describe('G2 what is not', () => {
  const shapes: ReadonlyArray<readonly [string, unknown]> = [
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['-Infinity', Number.NEGATIVE_INFINITY],
    ['undefined', undefined],
    ['null', null],
    ['text', '5 minutes'],
    ['a bigint', 5n],
    ['a boxed number', Object(5)],
    ['an empty object', {}],
    ['a function', () => 5],
    ['toMillis that is no function', { toMillis: 5 }],
    ['toMillis that gives text', { toMillis: () => '5' }],
    ['an invalid Luxon duration, which says NaN', { toMillis: () => Number.NaN }],
    ['toMillis that gives a promise', { toMillis: async () => 5 }],
  ];
  for (const [what, duration] of shapes) {
    test(`G2 ${what} is a RegistrationShapeError`, async () => {
      const error = await delayOf(duration);
      assert.ok(error instanceof RegistrationShapeError);
      assert.equal(error.registrationIndex, 0);
      assert.match(
        error.headline,
        /^tasks\[0\] \("a"\): Invalid registration shape: .*; the retry delay is .*, and must be a duration/,
      );
    });
  }

  for (const [what, duration] of [
    ['a conversion that throws', throwing],
    ['a getter that throws', throwingGetter],
  ]) {
    test(`G2 ${what} is a RegistrationShapeError with the error as its cause`, async () => {
      const error = await delayOf(duration);
      assert.ok(error instanceof RegistrationShapeError);
      assert.equal(error.cause, conversionFailed);
    });
  }

  test('G2 a Temporal.Duration of months has no length in milliseconds: RegistrationShapeError, with its RangeError', async () => {
    const error = await delayOf(Temporal.Duration.from({ months: 1 }));
    assert.ok(error instanceof RegistrationShapeError);
    assert.ok(error.cause instanceof RangeError);
  });

  for (const duration of [-1, -0.5, { toMillis: () => -1 }, Temporal.Duration.from({ seconds: -1 })]) {
    test(`G2 ${typeof duration} below zero is a NegativeRetryDelayError (${duration})`, async () => {
      assert.ok((await delayOf(duration)) instanceof NegativeRetryDelayError);
    });
  }

  for (const duration of [1.5, 2 ** 53, Number.MAX_VALUE, Number.MIN_VALUE, { toMillis: () => 0.1 }]) {
    test(`G2 ${typeof duration} that is no whole, safe number is an InvalidRegistrationError (${String(duration)})`, async () => {
      const error = await delayOf(duration);
      assert.ok(error instanceof InvalidRegistrationError);
      assert.equal(error.field, 'retryDelay');
      assert.equal(error.value, duration);
    });
  }
});

describe('G2 long delays', () => {
  for (const delayMs of [Number.MAX_SAFE_INTEGER, 8.64e15]) {
    test(`G2 a retry delay of ${delayMs} ms ends with the calendar, and leaves a record that can be read`, async () => {
      const store = new TroubledStore();
      const { scheduler } = createWorld(NOON, { store });
      const list: Registration[] = [['fails', '* * * * *', () => Promise.reject(new Error('x')), delayMs]];
      await scheduler.initialize(list);
      await turns();
      await scheduler.stop();
      assert.equal((await store.record('fails')).pendingRetryUntil, MAX_INSTANT);
      await scheduler.initialize(list);
      await scheduler.stop();
    });
  }
});

describe('D2 a list that changes while it is checked', () => {
  test('D2 one that grows is read as long as it was', async () => {
    const list: Registration[] = [];
    const grow = {
      toMillis: () => {
        if (list.length < 5) list.push([`task ${list.length}`, '0 0 1 1 *', () => {}, grow]);
        return 0;
      },
    };
    list.push(['first', '0 0 1 1 *', () => {}, grow]);
    const store = new TroubledStore();
    const { scheduler } = createWorld(NOON, { store });
    await scheduler.initialize(list);
    await scheduler.stop();
    assert.ok(list.length > 1, 'it has grown');
    assert.deepEqual(
      (await store.records()).map(({ name }) => name),
      ['first'],
    );
  });
});

describe('G2 names', () => {
  test('G2 white space, any script and any length are legal, and kept apart', async () => {
    const store = new TroubledStore();
    const { scheduler } = createWorld(NOON, { store });
    const names = [
      ' ',
      '\t',
      '\n',
      '名前',
      '🎻',
      'é',
      'e\u0301',
      '\0',
      'x'.repeat(10_000),
      '__proto__',
      'a',
      'A',
    ];
    const called = new Set<string>();
    await scheduler.initialize(names.map((name) => [name, '* * * * *', () => called.add(name), 0]));
    await turns();
    assert.deepEqual(called, new Set(names));
    const [first] = await store.records();
    assert.equal(first.lastAttemptAt, at(NOON));
    await scheduler.stop();
  });
});

/** The options of `createScheduler`: a wrong one is refused at once, with what to write; `undefined` is the default. */
import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createScheduler } from '../../src/scheduler/index.ts';
import { settleOptions } from '../../src/scheduler/settled-options.ts';
import { inspect } from '../../src/store/inspect.ts';
import { memory } from '../../src/store/memory.ts';
import { temporaryFolder } from '../store/kit.ts';

const refused: ReadonlyArray<readonly [object, RegExp]> = [
  [{ timezone: 'UTC' }, /^TypeError: createScheduler has no option "timezone": did you mean "timeZone"\?$/],
  [
    { concurrency: 4 },
    /^TypeError: createScheduler has no option "concurrency": write workers: 4, the most runs at once$/,
  ],
  [{ database: 'jobs.db' }, /has no option "database": write store: sqlite\('jobs\.db'\)$/],
  [
    { zzzzzzzz: 1 },
    /^TypeError: createScheduler has no option "zzzzzzzz": the options are store, timeZone, /,
  ],
  [
    { store: 'postgres://jobs:secret-word@db/app' },
    /^TypeError: store must be a file or a store; for PostgreSQL write postgres\(…\) of "obbligato\/postgres"; got "postgres:\/\/…"$/,
  ],
  [{ store: null }, /^TypeError: store must be a store/],
  [{ onEvent: 'x' }, /^TypeError: onEvent must be a function; got "x"$/],
  [{ trace: {} }, /^TypeError: trace must be a function/],
  [{ logger: {} }, /^TypeError: logger must have the methods debug, info, warn and error, as console has/],
  [{ clock: { now: Date.now } }, /^TypeError: clock must be a clock, with the methods/],
  [{ workers: 0 }, /^RangeError: workers must be a whole number of at least 1, or Infinity; got 0$/],
  [
    { lockWait: -1 },
    /^RangeError: lockWait must be a duration, such as seconds\(5\), and must not be negative; got -1$/,
  ],
  [{ finalWrite: '5s' }, /^TypeError: finalWrite must be a duration/],
  [{ lateAfter: Number.NaN }, /^RangeError: lateAfter must be a duration/],
  [
    { lateAfterMs: 5 },
    /has no option "lateAfterMs": write lateAfter, which takes a duration such as seconds\(5\)$/,
  ],
  [{ timeZone: 5 }, /^RangeError: timeZone must be the name of a zone, such as 'Europe\/Stockholm'; got 5$/],
  [{ timeZone: 'Mars/Olympus' }, /UnknownTimeZoneError/],
  [{ history: true }, /^TypeError: history must be false, or an object such as/],
  [{ history: { keepDays: -1 } }, /^TypeError: history must be .* without anything negative/],
  [{ history: { keepWeeks: 1 } }, /^TypeError: history must be false/],
  [{ recordErrors: 'no' }, /^TypeError: recordErrors must be true or false; got "no"$/],
];

describe('options', () => {
  for (const [options, said] of refused) {
    test(`G1 ${JSON.stringify(options)} is refused at once`, () => {
      assert.throws(() => createScheduler(options as never), said);
    });
  }

  test('G1 anything but an object is refused', () => {
    for (const options of [null, 'jobs.db', 5, [], [['a', '* * * * *', () => {}, 0]]])
      assert.throws(() => createScheduler(options as never), TypeError);
  });

  test('an option that is undefined is not given', async () => {
    const names = ['timeZone', 'clock', 'workers', 'logger', 'onEvent', 'trace', 'lockWait', 'finalWrite'];
    const nothing = Object.fromEntries(
      [...names, 'lateAfter', 'history', 'recordErrors'].map((name) => [name, undefined]),
    );
    let calls = 0;
    const called = Promise.withResolvers<void>();
    const scheduler = createScheduler({ ...nothing, store: memory() });
    await scheduler.initialize([['task', '* * * * *', () => called.resolve(void calls++), 0]]);
    await called.promise;
    await scheduler.stop();
    assert.equal(calls, 1);
  });

  test('a path, as a text or a URL, is that of a file', async (t) => {
    const path = join(await temporaryFolder(t), 'jobs.db');
    for (const store of [path, pathToFileURL(path)]) {
      const scheduler = createScheduler({ store, timeZone: 'UTC', logger: false });
      await scheduler.initialize([['a', '0 0 1 1 *', () => {}, 0]]);
      await scheduler.stop();
      assert.equal((await inspect(path)).records.length, 1);
    }
  });

  test('a store that is undefined is the default one', () => {
    const nothing = Object.fromEntries(['store', 'clock', 'workers'].map((name) => [name, undefined]));
    const { store, clock, workers } = settleOptions(nothing);
    assert.equal(store.location, resolve('obbligato.db'));
    assert.equal(typeof clock.now(), 'number');
    assert.equal(workers, Number.POSITIVE_INFINITY);
  });
});

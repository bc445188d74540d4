/** Sources that fire by the clock, on a clock that the test moves (B5, B6). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { at, createExecutor, type ErrorInfo, every, type Source } from '../../src/executor/index.ts';
import { MovedClock, turns } from '../testing/moved-clock.ts';
import { held } from './held.ts';

const DAY = 86_400_000;
const START = Date.UTC(2030, 0, 1);

function run(source: Source<number>): {
  clock: MovedClock;
  fired: number[];
  errors: [string, ErrorInfo][];
  executor: ReturnType<typeof createExecutor>;
  task: { end(): void };
} {
  const clock = new MovedClock(START);
  const fired: number[] = [];
  const errors: [string, ErrorInfo][] = [];
  const executor = createExecutor({ clock, onError: (error, info) => errors.push([String(error), info]) });
  const task = executor.add('timer', source, ({ item }) => fired.push(item - START));
  return { clock, fired, errors, executor, task };
}

describe('every', () => {
  test('it fires after each interval, and its item is the instant served', async () => {
    const { clock, fired, task, executor } = run(every(100));
    await clock.advance(99);
    assert.deepEqual(fired, []);
    await clock.advance(1);
    await clock.advance(250);
    assert.deepEqual(fired, [100, 200, 300]);
    task.end();
    assert.equal(await executor.done, 'finished');
    assert.equal(clock.timers, 0);
  });

  test('it keeps its beat when late, and makes up for missed ticks by one', async () => {
    const { clock, fired } = run(every(100));
    await clock.freeze(130);
    await clock.advance(70);
    assert.deepEqual(fired, [100, 200]);
    await clock.freeze(350);
    await clock.advance(50);
    assert.deepEqual(fired, [100, 200, 500, 600]);
  });

  test('B5 when the clock is set back the beat starts anew; set forward, it goes on', async () => {
    const { clock, fired } = run(every(100));
    await clock.advance(100);
    clock.step(-DAY);
    await clock.advance(200);
    assert.deepEqual(fired, [100, 200 - DAY, 300 - DAY], 'no pause');
    clock.step(DAY);
    await clock.advance(100);
    assert.equal(fired.length, 4, 'one for the whole day');
  });

  test('B6 an interval longer than 2^31−1 ms does not fire early', async () => {
    const { clock, fired } = run(every(30 * DAY));
    await clock.advance(30 * DAY - 1);
    assert.deepEqual(fired, []);
    await clock.advance(1);
    assert.deepEqual(fired, [30 * DAY]);
    await clock.advance(60 * DAY);
    assert.deepEqual(fired, [30 * DAY, 60 * DAY, 90 * DAY]);
  });

  test('a task ended or stopped in the middle of a long wait leaves no timer', async () => {
    for (const how of ['end', 'stop'] as const) {
      const { clock, task, executor } = run(every(60 * DAY));
      await clock.advance(40 * DAY);
      if (how === 'end') task.end();
      else await executor.stop();
      assert.equal(clock.timers, 0);
    }
  });

  test('ticks that come while it runs are remembered once (X2)', async () => {
    const clock = new MovedClock(START);
    const executor = createExecutor({ clock });
    const slow = held();
    executor.add('slow', every(100), slow.callback);
    await clock.advance(350);
    assert.equal(slow.calls, 1);
    slow.end();
    await turns();
    slow.end();
    await turns();
    assert.equal(slow.calls, 2);
  });
});

describe('at', () => {
  test('it fires at each instant, Date or number, in any order if they are in an array, and ends', async () => {
    const { clock, fired, executor } = run(at([START + 300, new Date(START + 100), START + 200]));
    await clock.advance(150);
    assert.deepEqual(fired, [100]);
    await clock.advance(150);
    assert.deepEqual(fired, [100, 200, 300]);
    assert.equal(await executor.done, 'finished');
    assert.equal(clock.timers, 0);
  });

  test('instants that have passed are served at once, by one run; none at all is an end at once', async () => {
    const { fired, executor } = run(at([START - 2, START - 1, START]));
    assert.equal(await executor.done, 'finished');
    assert.deepEqual(fired, [0]);
    assert.equal(await run(at([])).executor.done, 'finished');
  });

  test('B6 an instant more than 2^31−1 ms away does not fire early', async () => {
    const { clock, fired } = run(at([START + 365 * DAY]));
    await clock.advance(30);
    assert.deepEqual(fired, []);
    await clock.freeze(365 * DAY - 31);
    assert.deepEqual(fired, []);
    await clock.advance(1);
    assert.deepEqual(fired, [365 * DAY]);
  });

  test('B5 it goes by the wall clock: set forward, it fires within a minute; set back, it waits again', async () => {
    const { clock, fired } = run(at([START + DAY, START + 2 * DAY]));
    clock.step(DAY);
    await clock.advance(60_000);
    assert.deepEqual(fired, [DAY]);
    clock.step(-3_600_000);
    await clock.freeze(DAY - 60_000);
    assert.deepEqual(fired, [DAY], 'an hour is missing');
    await clock.advance(3_600_000);
    assert.deepEqual(fired, [DAY, 2 * DAY]);
  });

  test('an endless iterable is read one instant ahead, and told when it is no longer needed', async () => {
    let read = 0;
    let returned = false;
    function* daily(): Generator<Date> {
      try {
        for (;;) yield new Date(START + ++read * DAY);
      } finally {
        returned = true;
      }
    }
    const { clock, fired, task, executor } = run(at(daily()));
    assert.equal(read, 1);
    await clock.freeze(DAY);
    assert.deepEqual([fired, read], [[DAY], 2]);
    task.end();
    assert.equal(returned, true);
    await executor.done;
  });

  test('an endless iterable of the past does not hold the loop', async () => {
    let read = 0;
    function* past(): Generator<number> {
      for (;;) yield START + Math.min(0, ++read - 10_000);
    }
    const { clock, fired, executor } = run(at(past()));
    await turns();
    const before = read;
    await clock.advance(3);
    assert.ok(before < 2_000 && read > before && fired.length > 1, `${before} read at first, then ${read}`);
    await executor.stop();
  });

  const bad: ReadonlyArray<readonly [string, () => Iterable<number>, RegExp]> = [
    [
      'descends',
      () => new Set([START + 200, START + 100]),
      /RangeError: .*must not descend: 2030.*\.100Z came after .*\.200Z/,
    ],
    [
      'yields what is no instant',
      () => new Set([Number.NaN]),
      /TypeError: at\(\) takes valid Dates or epoch milliseconds; got NaN/,
    ],
    [
      'throws',
      function* () {
        yield START + 200;
        throw new Error('no more');
      },
      /Error: no more/,
    ],
  ];
  for (const [what, instants, message] of bad) {
    test(`an iterable that ${what} is reported and ended; nothing else is harmed`, async () => {
      const { clock, errors, executor } = run(at(instants()));
      await clock.advance(1_000);
      assert.equal(await executor.done, 'finished');
      assert.equal(errors.length, 1);
      assert.match(errors[0][0], message);
      assert.deepEqual(errors[0][1], { name: 'timer', during: 'source' });
    });
  }

  test('an iterable that stops the executor as it is read leaves no timer', async () => {
    const clock = new MovedClock(START);
    const executor = createExecutor({ clock, onError: () => {} });
    function* mean(): Generator<number> {
      yield START + 100;
      void executor.stop();
      yield START + 200;
    }
    executor.add('mean', at(mean()), () => {});
    await clock.advance(100);
    assert.equal(await executor.done, 'stopped');
    assert.equal(clock.timers, 0);
  });
});

test('wrong arguments are refused with the way out', () => {
  const call = (f: (...args: never[]) => unknown, ...args: unknown[]): unknown =>
    Reflect.apply(f, undefined, args);
  for (const interval of [0, -1, Number.NaN, Number.POSITIVE_INFINITY, '5', undefined]) {
    assert.throws(
      () => call(every, interval),
      /^RangeError: every\(\) takes an interval of at least 1 millisecond/,
    );
  }
  for (const instants of [undefined, null, 5, 'text', {}]) {
    assert.throws(() => call(at, instants), /^TypeError: at\(\) takes an array or another iterable/);
  }
  assert.throws(
    () => at([new Date(Number.NaN)]),
    /^TypeError: at\(\) takes valid Dates.*got an invalid Date/,
  );
  assert.throws(() => call(at, ['2030-01-01']), /^TypeError: at\(\) takes valid Dates.*got "2030-01-01"/);
});

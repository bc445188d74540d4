/** J2, J3: how much of the past is kept, and whether the texts of errors are. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { history } from '../../src/store/history.ts';
import { memory } from '../../src/store/memory.ts';
import type { OpenOptions, Store } from '../../src/store/port.ts';
import { DAY, fail, MINUTE, noop, Stage } from './scenario.ts';
import { createWorld } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';

test('J1 a question about the past that is none is refused at once', () => {
  const ask = (query: object): unknown => history(memory(), query);
  assert.throws(() => ask({ tsk: 'a' }), /^TypeError: history has no option "tsk": did you mean "task"\?$/);
  for (const limit of [1.5, -1, Number.NaN])
    assert.throws(() => ask({ limit }), /^RangeError: limit must be a number of runs, 0 or more; got /);
  assert.throws(
    () => ask({ outcome: 'failed' }),
    /^TypeError: outcome must be one or several of "success", /,
  );
  for (const limit of [0, 3, Number.POSITIVE_INFINITY])
    ask({ limit, task: 'a', since: 0, outcome: 'success' });
});

describe('J2 how much of the past is kept', () => {
  test('J2 `history: false` keeps nothing, and the records are as they would be', async () => {
    const stage = new Stage(NOON, { history: false });
    await stage.initialize(['noon', '0 12 * * *', fail, MINUTE]);
    await stage.clock.advance(MINUTE);
    assert.deepEqual(await stage.disk.past(), []);
    const { failures, lastError } = await stage.disk.record('noon');
    assert.deepEqual([failures, lastError?.message], [2, 'failed on purpose']);
    await stage.stop();
  });

  test('J2 by count: the newest stay', async () => {
    const stage = new Stage(NOON, { history: { keepRuns: 10 } });
    await stage.initialize(['each', '* * * * *', noop, 0]);
    await stage.clock.advance(39 * MINUTE);
    const runs = await stage.disk.past();
    assert.ok(runs.length >= 10 && runs.length <= 11, `${runs.length} are kept`);
    assert.deepEqual(
      runs.map(({ calledAt }) => calledAt),
      runs.map((_, index) => stage.clock.now() - index * MINUTE),
    );
    await stage.stop();
  });

  test('J2 by age: what is older than so many days goes', async () => {
    const stage = new Stage(NOON, { history: { keepDays: 2 } });
    await stage.initialize(['noon', '0 12 * * *', noop, 0]);
    await stage.clock.advance(7 * DAY);
    assert.deepEqual(
      (await stage.disk.past()).map(({ calledAt }) => (stage.clock.now() - calledAt) / DAY),
      [0, 1, 2],
    );
    await stage.stop();
  });

  test('J2 the store is given 30 days and a million runs, or what the options say of either', async () => {
    const given = [];
    for (const history of [
      undefined,
      {},
      Object({ keepDays: 7, keepRuns: undefined }),
      { keepRuns: 5 },
      { keepDays: 0, keepRuns: 0 },
      false,
    ] as const) {
      const inner = memory();
      const asked: OpenOptions[] = [];
      const store: Store = {
        location: 'memory',
        open: (options) => {
          asked.push(options);
          return inner.open(options);
        },
      };
      const { scheduler } = createWorld(NOON, { store, ...(history === undefined ? {} : { history }) });
      await scheduler.initialize([]);
      await scheduler.stop();
      given.push(asked.map((options) => options.history));
    }
    assert.deepEqual(given, [
      [{ keepDays: 30, keepRuns: 1_000_000 }],
      [{ keepDays: 30, keepRuns: 1_000_000 }],
      [{ keepDays: 7, keepRuns: 1_000_000 }],
      [{ keepDays: 30, keepRuns: 5 }],
      [{ keepDays: 0, keepRuns: 0 }],
      [false],
    ]);
  });
});

describe('J3 the texts of errors', () => {
  const failSecretly = (): never => {
    throw new RangeError('password hunter2', { cause: new Error('token hunter2') });
  };

  for (const recordErrors of [true, false]) {
    test(`J3 with recordErrors: ${recordErrors} the name is stored, the text ${recordErrors ? 'too' : 'nowhere'}`, async () => {
      const stage = new Stage(NOON, { recordErrors });
      await stage.initialize(['noon', '0 12 * * *', failSecretly, MINUTE]);
      const [{ outcome, error }] = await stage.disk.past();
      const { lastError } = await stage.disk.record('noon');
      assert.deepEqual([outcome, error?.name, lastError?.name], ['failure', 'RangeError', 'RangeError']);
      const message = recordErrors ? 'password hunter2' : '';
      assert.deepEqual([error?.message, lastError?.message], [message, message]);
      const stored = JSON.stringify([await stage.disk.past(), await stage.disk.records()]);
      assert.equal(stored.includes('hunter2'), recordErrors);
      const failed = stage.world.events.find(({ type }) => type === 'TaskRunFailed');
      assert.ok(failed?.type === 'TaskRunFailed' && failed.error instanceof RangeError);
      assert.equal(failed.error.message, 'password hunter2', 'the event has it as it is (G5)');
      await stage.stop();
    });
  }
});

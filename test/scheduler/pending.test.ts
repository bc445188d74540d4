/** Who runs, and when (A1, A2, A3, A5, A9, A11, A12). Each scenario is told in memory and on a real file. */
import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { taskStatus } from '../../src/status/index.ts';
import { memory } from '../../src/store/memory.ts';
import type { Store } from '../../src/store/port.ts';
import { DAY, fail, fileStore, HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const stores: readonly [string, (t: TestContext) => Store][] = [
  ['in memory', () => memory()],
  ['on a file', fileStore],
];

for (const [where, storeOf] of stores) {
  describe(`who runs, ${where}`, () => {
    const stageAt = (t: TestContext, start: string): Stage => new Stage(start, { store: storeOf(t) });

    test('A1 a first coming in a matching minute starts at once', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:00:59.999Z');
      await stage.initialize(['noon', '0 12 * * *', noop, 0]);
      assert.deepEqual(stage.starts(), ['noon 12:00:59.999 due']);
      await stage.stop();
    });

    test('A1 a first coming outside a matching minute owes nothing until the next due', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:01:00Z');
      await stage.initialize(['noon', '0 12 * * *', noop, 0], ['half', '30 * * * *', noop, 0]);
      await stage.clock.advance(29 * MINUTE - 1);
      assert.deepEqual(stage.starts(), []);
      await stage.clock.advance(1);
      assert.deepEqual(stage.starts(), ['half 12:30 due']);
      await stage.stop();
    });

    test('A1 a retry whose time came while nobody was there starts at once', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:00:00Z');
      await stage.initialize(['noon', '0 12 * * *', fail, 10 * SECOND]);
      await stage.stop();
      await stage.clock.advance(HOUR);
      await stage.initialize(['noon', '0 12 * * *', noop, 10 * SECOND]);
      assert.deepEqual(stage.starts(), ['noon 12:00 due', 'noon 13:00 retry']);
      await stage.stop();
    });

    test('A1 a retry whose time has not come is still waited for after a restart', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:00:00Z');
      await stage.initialize(['noon', '0 12 * * *', fail, 10 * MINUTE]);
      await stage.stop();
      await stage.clock.advance(MINUTE);
      await stage.initialize(['noon', '0 12 * * *', noop, 10 * MINUTE]);
      await stage.clock.advance(9 * MINUTE - 1);
      assert.deepEqual(stage.starts(), ['noon 12:00 due']);
      await stage.clock.advance(1);
      assert.deepEqual(stage.starts(), ['noon 12:00 due', 'noon 12:10 retry']);
      await stage.stop();
    });

    test('A2 nothing is started that is not pending: not for stopping, nor for beginning again', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:00:00Z');
      for (let life = 0; life < 4; life++) {
        await stage.initialize(['noon', '0 12 * * *', noop, 0]);
        await stage.clock.advance(20 * SECOND);
        await stage.stop();
      }
      assert.deepEqual(stage.starts(), ['noon 12:00 due']);
    });

    test('A3 dues that were missed while no scheduler ran become one start', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:00:00Z');
      await stage.initialize(['each', '* * * * *', noop, 0], ['noon', '0 12 * * *', noop, 0]);
      await stage.stop();
      await stage.clock.advance(3 * DAY - 30 * SECOND);
      await stage.initialize(['each', '* * * * *', noop, 0], ['noon', '0 12 * * *', noop, 0]);
      assert.deepEqual(stage.starts().slice(2).sort(), ['each 11:59:30 due', 'noon 11:59:30 due']);
      const { servedThrough, lastAttemptAt } = await stage.disk.record('noon');
      assert.deepEqual([servedThrough, lastAttemptAt], [stage.clock.now(), stage.clock.now()]);
      await stage.stop();
    });

    test('A3 a due and a retry together are one start, which discharges both', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:00:00Z');
      let calls = 0;
      const failOnce = (): void => {
        if (++calls === 1) fail();
      };
      await stage.initialize(['half', '0,30 * * * *', failOnce, 30 * MINUTE]);
      assert.equal((await stage.disk.record('half')).pendingRetryUntil, stage.clock.now() + 30 * MINUTE);
      await stage.clock.advance(30 * MINUTE);
      assert.deepEqual(stage.starts(), ['half 12:00 due', 'half 12:30 due']);
      assert.equal((await stage.disk.record('half')).pendingRetryUntil, null);
      await stage.clock.advance(30 * MINUTE - 1);
      assert.equal(calls, 2);
      await stage.stop();
    });

    for (const outcome of ['succeed', 'fail'] as const) {
      test(`A5 a due while running is one start right after the end: ${outcome}`, async (t) => {
        const stage = stageAt(t, '2026-03-02T12:00:00Z');
        const { callback, runs } = heldCallback();
        await stage.initialize(['each', '* * * * *', callback, HOUR]);
        await stage.clock.advance(3 * MINUTE + 20 * SECOND);
        assert.deepEqual(stage.starts(), ['each 12:00 due']);
        runs[0][outcome]();
        await stage.clock.settle(); // and no time passes
        assert.deepEqual(stage.starts(), ['each 12:00 due', 'each 12:03:20 due']);
        runs[1].succeed();
        await stage.clock.advance(39 * SECOND);
        assert.equal(runs.length, 2);
        await stage.stop();
      });
    }

    test('A9 a due instant equal to the first coming is pending', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:00:00.000Z');
      await stage.initialize(['noon', '0 12 * * *', noop, 0]);
      assert.deepEqual(stage.starts(), ['noon 12:00 due']);
      await stage.stop();
    });

    test('A9 a due instant equal to a start is consumed by it', async (t) => {
      const stage = stageAt(t, '2026-03-02T11:59:00Z');
      let calls = 0;
      // The retry of 11:59 falls on the due instant 12:00; so does the end of the run that begins there.
      const callback = (): void => {
        if (++calls === 1) fail();
      };
      await stage.initialize(['each', '* * * * *', callback, MINUTE]);
      await stage.clock.advance(MINUTE);
      await stage.stop();
      await stage.initialize(['each', '* * * * *', callback, MINUTE]);
      assert.deepEqual(stage.starts(), ['each 11:59 due', 'each 12:00 due']);
      await stage.stop();
    });

    test('A12 the phase of the record is the state of the task', async (t) => {
      const stage = stageAt(t, '2026-03-02T12:00:00Z');
      const held = heldCallback();
      await stage.initialize(
        ['waits', '30 * * * *', noop, 0],
        ['runs', '* * * * *', held.callback, 0],
        ['fails', '0 12 * * *', fail, HOUR],
      );
      const stateOf = async (name: string): Promise<string> => {
        const now = stage.clock.now();
        return taskStatus(await stage.disk.record(name), { owner: 'held', timeZone: 'UTC', now }).phase;
      };
      const states = (): Promise<string[]> => Promise.all(['waits', 'runs', 'fails'].map(stateOf));
      assert.deepEqual(await states(), ['AwaitingRun', 'Running', 'AwaitingRetry']);
      held.runs[0].succeed();
      await stage.clock.settle();
      assert.deepEqual(await states(), ['AwaitingRun', 'AwaitingRun', 'AwaitingRetry']);
      await stage.stop();
    });
  });
}

describe('who runs', () => {
  test('A2 the question is asked again when a worker takes the task: a step took the reason away', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z', { workers: 1 });
    const held = heldCallback();
    await stage.initialize(['long', '0 12 * * *', held.callback, 0], ['five', '5 12 * * *', noop, 0]);
    await stage.clock.advance(5 * MINUTE); // "five" is queued behind "long"
    stage.clock.step(-2 * MINUTE); // and not due any more
    held.runs[0].succeed();
    await stage.clock.settle();
    assert.deepEqual(stage.starts(), ['long 12:00 due']);
    await stage.clock.advance(2 * MINUTE);
    assert.deepEqual(stage.starts(), ['long 12:00 due', 'five 12:05 due']);
    await stage.stop();
  });

  test('A3 the cursor is the instant of the call, not of the due', async () => {
    const stage = new Stage('2026-03-02T12:00:42.007Z');
    await stage.initialize(['noon', '0 12 * * *', noop, 0]);
    const { servedThrough, lastAttemptAt } = await stage.disk.record('noon');
    assert.deepEqual([servedThrough, lastAttemptAt], [stage.clock.now(), stage.clock.now()]);
    await stage.stop();
  });

  test('A5 a due right at the end of a run is served once', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const { callback, runs } = heldCallback();
    await stage.initialize(['each', '* * * * *', callback, HOUR]);
    await stage.clock.advance(MINUTE - 1);
    stage.clock.burn(1); // the minute has come, but nobody has noticed yet
    runs[0].succeed();
    await stage.clock.advance(0);
    assert.deepEqual(stage.starts(), ['each 12:00 due', 'each 12:01 due']);
    runs[1].succeed();
    await stage.clock.advance(MINUTE - 1);
    assert.equal(runs.length, 2);
    await stage.stop();
  });

  test('A11 the same registrations, state and clock give the same starts, in whatever order they are listed', async () => {
    const play = async (reversed: 'as listed' | 'reversed'): Promise<string[]> => {
      const stage = new Stage('2026-03-02T11:57:10Z', reversed === 'reversed' ? { workers: 3 } : {});
      const crons = ['* * * * *', '0 12 * * *', '59 11 * * *', '0,2,4 * * * *', '58 * * * 1'];
      const tasks = crons.map((cron, index) => [`t${index}`, cron, index % 2 ? fail : noop, 45_000] as const);
      const registrations = reversed === 'reversed' ? tasks.toReversed() : tasks;
      await stage.initialize(...registrations);
      await stage.clock.advance(4 * MINUTE);
      await stage.stop();
      await stage.clock.advance(3 * MINUTE);
      await stage.initialize(...registrations);
      await stage.clock.advance(2 * MINUTE);
      await stage.stop();
      return stage.starts().sort();
    };
    const starts = await play('as listed');
    assert.ok(starts.length > 10);
    assert.deepEqual(await play('as listed'), starts);
    assert.deepEqual(await play('reversed'), starts);
  });
});

/** A clock that was set back (B5): by how much decides, for each task, at run time and between two lives alike. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { DAY, fail, fileStore, HOUR, MINUTE, noop, SECOND, Stage } from './scenario.ts';
import { heldCallback } from './world.ts';

const NOON = '2026-03-02T12:00:00Z';

/** How many starts there are after a step back from noon, until a minute and a half past the second noon. */
interface Expected {
  readonly backMs: number;
  /** Every minute; at every full hour, by an hour field of `*`; at noon. */
  readonly each: number;
  readonly hourly: number;
  readonly noon: number;
}

const steps: readonly Expected[] = [
  { backMs: 1, each: 1, hourly: 0, noon: 0 },
  { backMs: SECOND, each: 1, hourly: 0, noon: 0 },
  { backMs: 59 * SECOND, each: 1, hourly: 0, noon: 0 },
  { backMs: MINUTE, each: 1, hourly: 0, noon: 0 },
  { backMs: MINUTE + 1, each: 3, hourly: 1, noon: 0 },
  { backMs: 61 * SECOND, each: 3, hourly: 1, noon: 0 },
  { backMs: HOUR, each: 61, hourly: 1, noon: 0 },
  { backMs: 2 * HOUR, each: 121, hourly: 2, noon: 0 },
  { backMs: 3 * HOUR, each: 181, hourly: 3, noon: 0 },
  { backMs: 3 * HOUR + 1, each: 182, hourly: 4, noon: 1 },
  { backMs: 4 * HOUR, each: 241, hourly: 4, noon: 1 },
];

/** Everything is started at noon, and the nudge runs on until it is told to end. */
async function servedNoon(): Promise<{ stage: Stage; nudge: () => Promise<void> }> {
  const stage = new Stage(NOON);
  const held = heldCallback();
  await stage.initialize(
    ['each', '* * * * *', noop, 0],
    ['hourly', '0 * * * *', noop, 0],
    ['noon', '0 12 * * *', noop, 0],
    ['nudge', '0 12 2 3 *', held.callback, 0],
  );
  assert.equal(stage.starts().length, 4);
  const nudge = async (): Promise<void> => {
    held.runs[0].succeed(); // an end wakes the scheduler, and it looks at the clock
    await stage.clock.settle();
  };
  return { stage, nudge };
}

function countOf(stage: Stage, name: string): number {
  return stage.starts().filter((start) => start.startsWith(`${name} `)).length - 1;
}

describe('a clock set back', () => {
  for (const { backMs, ...expected } of steps) {
    test(`B5 by ${backMs} ms while running`, async () => {
      const { stage, nudge } = await servedNoon();
      stage.clock.step(-backMs);
      await nudge();
      await stage.clock.advance(backMs + 90 * SECOND);
      const counted = {
        each: countOf(stage, 'each'),
        hourly: countOf(stage, 'hourly'),
        noon: countOf(stage, 'noon'),
      };
      assert.deepEqual(counted, expected);
      assert.equal(stage.world.told().filter((told) => told === 'ClockStepped').length, 1);
    });

    test(`B5 by ${backMs} ms between stop and initialize`, async () => {
      const stage = new Stage(NOON);
      const list = [
        ['each', '* * * * *', noop, 0],
        ['hourly', '0 * * * *', noop, 0],
        ['noon', '0 12 * * *', noop, 0],
      ] as const;
      await stage.initialize(...list);
      await stage.stop();
      stage.clock.step(-backMs);
      await stage.initialize(...list);
      await stage.clock.advance(backMs + 90 * SECOND);
      const counted = {
        each: countOf(stage, 'each'),
        hourly: countOf(stage, 'hourly'),
        noon: countOf(stage, 'noon'),
      };
      assert.deepEqual(counted, expected);
      await stage.stop();
    });
  }

  test('B5 by a year: the old time was wrong, and everything carries on from now', async () => {
    const { stage, nudge } = await servedNoon();
    stage.clock.step(-365 * DAY - 30 * SECOND);
    await nudge();
    await stage.clock.advance(30 * SECOND);
    assert.deepEqual(stage.starts().slice(4).sort(), [
      'each 12:00 due',
      'hourly 12:00 due',
      'noon 12:00 due',
      'nudge 12:00 due',
    ]);
  });

  test('B5 by a year between two lives, on a file', async (t) => {
    const stage = new Stage(NOON, { store: fileStore(t) });
    await stage.initialize(['noon', '0 12 * * *', noop, 0], ['fails', '0 12 2 3 *', fail, HOUR]);
    await stage.stop();
    stage.clock.step(-365 * DAY - 30 * SECOND);
    await stage.initialize(['noon', '0 12 * * *', noop, 0], ['fails', '0 12 2 3 *', fail, HOUR]);
    const { servedThrough } = await stage.disk.record('noon');
    assert.equal(servedThrough, stage.clock.now());
    assert.equal((await stage.disk.record('fails')).pendingRetryUntil, stage.clock.now() + HOUR);
    await stage.clock.advance(30 * SECOND);
    assert.equal(stage.starts().filter((start) => start.startsWith('noon')).length, 2);
    await stage.stop();
  });

  test('B5 a move is durable: it is not made a second time by the next life', async (t) => {
    const stage = new Stage(NOON, { store: fileStore(t) });
    const held = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', noop, 0], ['nudge', '0 12 * * *', held.callback, 0]);
    stage.clock.step(-4 * HOUR);
    held.runs[0].succeed();
    await stage.clock.settle();
    const moved = stage.clock.now();
    assert.equal((await stage.disk.record('noon')).servedThrough, moved);
    assert.equal((await stage.disk.record('nudge')).servedThrough, moved);
    await stage.stop();
    await stage.clock.advance(MINUTE);
    await stage.initialize(['noon', '0 12 * * *', noop, 0], ['nudge', '0 12 * * *', noop, 0]);
    assert.equal((await stage.disk.record('noon')).servedThrough, moved);
    await stage.stop();
  });

  test('B5 judged by what the clock shows when the step is seen: a minute ahead by then, nothing repeats', async () => {
    const stage = new Stage('2026-03-02T12:00:30Z');
    await stage.initialize(['each', '* * * * *', noop, 0]);
    await stage.clock.advance(35 * SECOND); // served at 12:01, and the next look is a minute later
    stage.clock.step(-61 * SECOND); // 12:00:04; at the look the cursor is a second ahead
    await stage.clock.advance(2 * MINUTE);
    assert.deepEqual(stage.starts(), ['each 12:00:30 due', 'each 12:01 due', 'each 12:02 due']);
    await stage.stop();
  });

  test('B5 farther ahead, the cursor moves to the instant of the look', async () => {
    const stage = new Stage(NOON);
    await stage.initialize(['hourly', '0 * * * *', noop, 0]);
    await stage.clock.advance(30 * MINUTE + 30 * SECOND);
    stage.clock.step(-91 * MINUTE); // 10:59:30, and the next look is at 11:00
    await stage.clock.advance(2 * MINUTE);
    assert.equal((await stage.disk.record('hourly')).servedThrough, Date.parse('2026-03-02T11:00:00Z'));
    await stage.clock.advance(HOUR);
    assert.deepEqual(stage.starts(), ['hourly 12:00 due', 'hourly 12:00 due']);
    await stage.stop();
  });

  test('A5 B5 a due of the new time that comes while the task runs is served right after its end', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    await stage.initialize(['hourly', '0 * * * *', callback, 0]);
    stage.clock.step(-4 * HOUR - 5 * MINUTE);
    await stage.clock.advance(10 * MINUTE); // past 8:00 by the new time
    runs[0].succeed();
    await stage.clock.settle();
    assert.equal(runs.length, 2);
    runs[1].succeed();
    await stage.stop();
  });

  test('A5 B5 a run that outlasts the old time owes what came due by the new time', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    await stage.initialize(['a', '0 9,12 * * *', callback, 0]);
    stage.clock.step(-5 * HOUR);
    await stage.clock.advance(5 * HOUR - 10 * MINUTE); // nine has come again
    stage.clock.step(20 * MINUTE); // and past the call of noon
    await stage.clock.advance(2 * MINUTE);
    runs[0].succeed();
    await stage.clock.settle();
    assert.equal(runs.length, 2);
    runs[1].succeed();
    await stage.clock.settle();
    await stage.stop();
  });

  test('B5 a run during which the clock was set back is judged at its end, and its start stays what it was', async () => {
    const stage = new Stage(NOON);
    const { callback, runs } = heldCallback();
    await stage.initialize(['noon', '0 12 * * *', callback, 0]);
    const startedAt = stage.clock.now();
    stage.clock.step(-4 * HOUR);
    await stage.clock.advance(2 * MINUTE); // the step is seen while it runs
    assert.ok(stage.world.told().includes('ClockStepped'));
    runs[0].succeed();
    await stage.clock.settle();
    const { lastAttemptAt, lastSuccessAt, servedThrough } = await stage.disk.record('noon');
    assert.deepEqual([lastAttemptAt, lastSuccessAt], [startedAt, stage.clock.now()]);
    assert.equal(servedThrough, startedAt - 4 * HOUR + MINUTE, 'from where the step was seen');
    await stage.clock.advance(4 * HOUR);
    assert.equal(runs.length, 2);
    runs[1].succeed();
    await stage.stop();
  });

  test('B5 a step back and forth again repeats nothing and loses nothing', async () => {
    const { stage, nudge } = await servedNoon();
    stage.clock.step(-30 * SECOND);
    await nudge();
    stage.clock.step(30 * SECOND);
    await stage.clock.advance(3 * MINUTE);
    assert.deepEqual(stage.starts().slice(4), ['each 12:01 due', 'each 12:02 due', 'each 12:03 due']);
  });

  test('B5 a retry deadline farther away than its delay becomes now + delay', async () => {
    const stage = new Stage(NOON);
    const held = heldCallback();
    await stage.initialize(
      ['fails', '0 12 * * *', fail, 10 * MINUTE],
      ['nudge', '0 12 * * *', held.callback, 0],
    );
    await stage.clock.advance(MINUTE);
    stage.clock.step(-HOUR);
    held.runs[0].succeed();
    await stage.clock.advance(10 * MINUTE - 1);
    assert.equal(stage.starts().length, 2);
    await stage.clock.advance(1);
    assert.equal(stage.starts().at(-1), 'fails 11:11 retry');
  });

  test('B5 a retry deadline that is still within its delay stays', async () => {
    const stage = new Stage(NOON);
    const held = heldCallback();
    await stage.initialize(
      ['fails', '0 12 * * *', fail, 10 * MINUTE],
      ['nudge', '0 12 * * *', held.callback, 0],
    );
    await stage.clock.advance(8 * MINUTE);
    stage.clock.step(-7 * MINUTE);
    held.runs[0].succeed();
    await stage.clock.advance(9 * MINUTE);
    assert.deepEqual(stage.starts().slice(2), ['fails 12:10 retry']);
  });

  test('B5 a retry of 0 does not wait for a clock that was set back to catch up', async () => {
    const stage = new Stage(NOON);
    let calls = 0;
    await stage.initialize([
      'fails',
      '0 12 * * *',
      () => {
        if (++calls > 1) return;
        stage.clock.step(-HOUR);
        fail();
      },
      0,
    ]);
    assert.deepEqual(stage.starts(), ['fails 12:00 due', 'fails 11:00 retry']);
  });

  test('A2, B5 what came due while nobody had noticed the step is started when it is noticed', async () => {
    const stage = new Stage('2026-03-02T12:29:20Z');
    await stage.initialize(['half past', '30 12 * * *', noop, 0]);
    stage.clock.step(-10 * SECOND);
    stage.clock.burn(2 * MINUTE); // the loop is held past the due instant, so one turn sees both
    await stage.clock.advance(0);
    assert.deepEqual(stage.starts(), ['half past 12:31:10 due']);
    assert.equal(stage.world.told().filter((event) => event === 'ClockStepped').length, 1);
  });

  test('B5 a step back under initialize, after the plan was made, is noticed too', async () => {
    const stage = new Stage('2026-03-02T12:00:20Z');
    stage.disk.fate = () => {
      stage.clock.step(-5 * HOUR);
      stage.disk.fate = () => 'taken';
      return 'taken';
    };
    await stage.initialize(['hourly', '0 * * * *', noop, 0]);
    await stage.clock.advance(HOUR);
    assert.deepEqual(stage.starts(), ['hourly 08:00 due']);
  });
});

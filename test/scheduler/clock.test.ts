/** What the scheduler asks of a clock, and what it trusts (B0, B3, B5, B6). */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createScheduler } from '../../src/scheduler/scheduler.ts';
import { memory } from '../../src/store/memory.ts';
import { DAY, fail, HOUR, MINUTE, noop, SECOND, Stage, timeOfDay } from './scenario.ts';
import { heldCallback } from './world.ts';

describe('clock', () => {
  test("B0 the host's wall clock is the authority unless another is given", async () => {
    const before = Date.now();
    const { promise, resolve } = Promise.withResolvers<Date>();
    const scheduler = createScheduler({ store: memory() });
    await scheduler.initialize([['each', '* * * * *', ({ scheduledFor }) => resolve(scheduledFor), 0]]);
    const scheduledFor = (await promise).getTime();
    await scheduler.stop();
    assert.ok(scheduledFor > before - MINUTE && scheduledFor <= Date.now());
    assert.equal(scheduledFor % MINUTE, 0);
  });

  test('B3 the current minute is half-open', async () => {
    for (const [start, starts] of [
      ['2026-03-02T11:59:59.999Z', []],
      ['2026-03-02T12:00:00.000Z', ['noon 12:00 due']],
      ['2026-03-02T12:00:59.999Z', ['noon 12:00:59.999 due']],
      ['2026-03-02T12:01:00.000Z', []],
    ] as const) {
      const stage = new Stage(start);
      await stage.initialize(['noon', '0 12 * * *', noop, 0]);
      assert.deepEqual(stage.starts(), starts, start);
      await stage.stop();
    }
  });

  test('B5 it never sleeps for longer than a minute, nor past what comes next', async () => {
    const stage = new Stage('2026-03-02T12:00:20Z');
    await stage.initialize(
      ['yearly', '0 0 1 1 *', noop, 0],
      ['noon', '0 12 * * *', fail, 40 * DAY],
      ['quarter', '15 * * * *', noop, 0],
    );
    await stage.clock.advance(HOUR);
    const { asked } = stage.clock;
    assert.ok(asked.length >= 60);
    assert.equal(Math.max(...asked), MINUTE);
    assert.ok(Math.min(...asked) >= 0);
    assert.deepEqual(stage.starts().slice(1), ['quarter 12:15 due']);
    await stage.stop();
  });

  test('B5 an idle scheduler looks once a minute, and no more often', async () => {
    const stage = new Stage('2026-03-02T12:00:20Z');
    await stage.initialize(['yearly', '0 0 1 1 *', noop, 0]);
    const before = stage.clock.asked.length;
    await stage.clock.advance(HOUR);
    assert.equal(stage.clock.asked.length - before, 60);
    await stage.stop();
  });

  test('B5 stop leaves no timer behind', async () => {
    const stage = new Stage('2026-03-02T12:00:20Z');
    await stage.initialize(['noon', '0 12 * * *', fail, HOUR]);
    assert.equal(stage.clock.timers, 1);
    await stage.stop();
    assert.equal(stage.clock.timers, 0);
  });

  for (const [what, pass, untilNextWakeMs] of [
    [
      'a suspend that the monotonic clock did not see',
      (stage: Stage) => stage.clock.step(5 * HOUR),
      30 * SECOND,
    ],
    ['a suspend that it did see', (stage: Stage) => stage.clock.burn(5 * HOUR), 0],
  ] as const) {
    test(`B5 forward by hours is one catch-up start for each pending task: ${what}`, async () => {
      const stage = new Stage('2026-03-02T08:30:30Z');
      await stage.initialize(
        ['each', '* * * * *', noop, 0],
        ['hourly', '0 * * * *', noop, 0],
        ['noon', '0 12 * * *', noop, 0],
        ['evening', '0 18 * * *', noop, 0],
        ['fails', '30 8 * * *', fail, HOUR],
      );
      const before = stage.starts().length;
      pass(stage);
      await stage.clock.advance(untilNextWakeMs);
      const starts = stage.starts().slice(before);
      assert.deepEqual(
        starts.map((start) => start.replace(/ .* /, ' ')),
        ['each due', 'hourly due', 'noon due', 'fails retry'],
      );
      await stage.stop();
    });
  }

  test('B5 a step is told and traced, with what the clock should have shown', async () => {
    for (const byMs of [-1, -HOUR, 2 * HOUR]) {
      const stage = new Stage('2026-03-02T08:30:30Z');
      const { callback, runs } = heldCallback();
      await stage.initialize(['each', '* * * * *', callback, 0]);
      const from = stage.clock.now();
      stage.clock.step(byMs);
      runs[0].succeed(); // whatever wakes the scheduler makes it look
      await stage.clock.settle();
      const told = stage.world.events.flatMap((event) => (event.type === 'ClockStepped' ? [event] : []));
      assert.deepEqual(told, [{ type: 'ClockStepped', at: from + byMs, from, to: from + byMs }]);
      const traced = stage.world.trace.filter(({ event }) => event === 'ClockStep');
      assert.deepEqual(traced, [{ event: 'ClockStep', at: from + byMs, from, to: from + byMs }]);
      runs[1]?.succeed();
      await stage.stop();
    }
  });

  test('B5 a step is seen within a minute even if nothing else happens', async () => {
    const stage = new Stage('2026-03-02T08:30:30Z');
    await stage.initialize(['yearly', '0 0 1 1 *', noop, 0]);
    stage.clock.step(-DAY);
    await stage.clock.advance(MINUTE);
    assert.equal(stage.world.told().filter((told) => told === 'ClockStepped').length, 1);
    await stage.clock.advance(HOUR);
    assert.equal(stage.world.told().filter((told) => told === 'ClockStepped').length, 1);
    await stage.stop();
  });

  test('B5 time that merely passes is no step, however long a callback holds the loop', async () => {
    const stage = new Stage('2026-03-02T08:30:30Z');
    await stage.initialize(['each', '* * * * *', () => stage.clock.burn(17 * SECOND), 0]);
    await stage.clock.advance(HOUR);
    assert.ok(!stage.world.told().includes('ClockStepped'));
    await stage.stop();
  });

  for (const byMs of [-365 * DAY, -30 * SECOND, 365 * DAY]) {
    test(`B5 running is a flag: a step of ${byMs} ms during a run starts nothing twice`, async () => {
      const stage = new Stage('2026-03-02T12:00:00Z');
      const { callback, runs } = heldCallback();
      await stage.initialize(['noon', '0 12 * * *', callback, 0]);
      stage.clock.step(byMs);
      await stage.clock.advance(5 * MINUTE);
      assert.equal(runs.length, 1);
      runs[0].succeed();
      await stage.clock.settle();
      assert.equal(runs.length, byMs > 0 ? 2 : 1); // a year's noons, missed, are one start
      for (const run of runs) run.succeed();
      await stage.stop();
      assert.equal((await stage.disk.record('noon')).lastSuccessAt, stage.clock.now());
    });
  }

  test('B6 a retry beyond what a timer can hold does not come early, nor late', async () => {
    const stage = new Stage('2026-03-02T12:00:00Z');
    const delayMs = 2 ** 31 + 5 * SECOND;
    await stage.initialize(['yearly', '0 12 2 3 *', fail, delayMs]);
    const due = stage.clock.now() + delayMs;
    await stage.clock.advance(2 * MINUTE);
    stage.clock.burn(2 ** 31 - 3 * MINUTE);
    await stage.clock.advance(MINUTE + 5 * SECOND - 1);
    assert.equal(stage.starts().length, 1);
    await stage.clock.advance(1);
    assert.equal(stage.starts().at(-1), `yearly ${timeOfDay(due)} retry`);
    assert.equal(Math.max(...stage.clock.asked), MINUTE);
    await stage.stop();
  });
});

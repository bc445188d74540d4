/** A crash by the test clock is the end of a process: nothing of it does, writes or tells anything any more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScheduler, hours, minutes, type Registration, seconds } from '../../src/index.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import { warningsOf } from './warnings.ts';

const START = '2026-06-01T12:00:30Z';

interface Told {
  readonly told: string[];
  readonly options: Pick<Parameters<typeof createScheduler>[0] & object, 'onEvent' | 'trace' | 'logger'>;
}

/** Everything through which a scheduler can be heard. */
function ears(): Told {
  const told: string[] = [];
  const log = (message: string): void => void told.push(`log ${message}`);
  return {
    told,
    options: {
      onEvent: ({ type }) => told.push(type),
      trace: ({ event }) => told.push(`trace ${event}`),
      logger: { debug: log, info: log, warn: log, error: log },
    },
  };
}

const schedulerOn = (clock: TestClock, store = clock.store(), options = {}) =>
  createScheduler({ clock, store, timeZone: 'UTC', ...options });

for (const end of ['resolve', 'reject'] as const) {
  test(`nobody hears of a callback of a dead process that ends (${end}), nor of a step of its clock`, async () => {
    const clock = createTestClock(START);
    const store = clock.store();
    const { told, options } = ears();
    const work = Promise.withResolvers<void>();
    await schedulerOn(clock, store, options).initialize([
      ['r', '* * * * *', () => clock.until(work.promise), 0],
    ]);
    await clock.advance(seconds(90));
    await clock.crash();
    assert.ok(told.includes('TaskRunStarted'));
    told.length = 0;
    if (end === 'resolve') work.resolve();
    else work.reject(new Error('too late'));
    await clock.advance(minutes(10));
    const next = schedulerOn(clock, store);
    let starts = 0;
    await next.initialize([['r', '* * * * *', () => starts++, 0]]);
    await clock.advance(minutes(5));
    await clock.step(-hours(2));
    await clock.advance(minutes(3));
    assert.deepEqual(told, []);
    assert.equal(starts, 6 + 3); // the orphan and five minutes, then three of the time that comes again
    await next.stop();
  });
}

test('a callback of a dead process does not come past the next thing that it asks of the clock', async () => {
  const clock = createTestClock(START, { patienceMs: 0 });
  const seen: string[] = [];
  const work = Promise.withResolvers<void>();
  const callback = async (): Promise<void> => {
    await work.promise; // nothing of the clock's, so it goes on after the crash
    seen.push('goes on');
    clock.setTimer(() => seen.push('has rung'), 0);
    void clock.advance(hours(1));
    await clock.sleep(minutes(1));
    seen.push('has slept');
  };
  await schedulerOn(clock).initialize([['r', '* * * * *', callback, 0]]);
  await clock.advance(minutes(1));
  await clock.crash();
  work.resolve();
  await clock.advance(minutes(5));
  assert.deepEqual(seen, ['goes on']);
  await clock.settle();
  assert.equal(clock.monotonic(), minutes(6));
});

test('a callback may crash its own process, and does not come back', async () => {
  const clock = createTestClock(START);
  const store = clock.store();
  const starts: string[] = [];
  const list = (life: number): Registration[] => [
    [
      'r',
      '1 12 * * *',
      async ({ reason }) => {
        starts.push(`${life} ${reason}`);
        if (life === 1) await clock.crash();
        starts.push(`${life} came back`);
      },
      0,
    ],
  ];
  await schedulerOn(clock, store).initialize(list(1));
  await clock.advance(minutes(5));
  const next = schedulerOn(clock, store);
  await next.initialize(list(2));
  await clock.advance(minutes(5));
  assert.deepEqual(starts, ['1 due', '2 orphaned', '2 came back']);
  await next.stop();
});

test('stop of a dead scheduler has nothing to do, and resolves; one that was called before the crash too', async () => {
  const clock = createTestClock(START);
  const store = clock.store();
  const list: Registration[] = [['slow', '* * * * *', () => clock.sleep(hours(1)), 0]];
  const { told, options } = ears();
  const [early, late] = [schedulerOn(clock, store), schedulerOn(clock, clock.store(), options)];
  await early.initialize(list);
  await late.initialize(list);
  await clock.advance(minutes(1));
  const stopped = early.stop();
  await clock.crash();
  await stopped;
  told.length = 0;
  await late.stop();
  assert.deepEqual(told, []);
  await assert.rejects(late.initialize(list), /died in clock\.crash\(\): make a new one/);
  const next = schedulerOn(clock, store);
  await next.initialize([]); // the store is free, though `stop` has not come to its end
  await next.stop();
});

test('a scheduler that had not begun is not touched by a crash', async () => {
  const clock = createTestClock(START);
  let starts = 0;
  const scheduler = schedulerOn(clock);
  await clock.crash();
  await scheduler.initialize([['r', '* * * * *', () => starts++, 0]]);
  await clock.advance(minutes(1));
  assert.equal(starts, 2);
  await scheduler.stop();
});

test('a stop that waits for a callback that sleeps ends as time passes, and says what it waits for', async (t) => {
  const warnings = warningsOf(t);
  const clock = createTestClock(START, { patienceMs: 20 });
  const scheduler = schedulerOn(clock);
  await scheduler.initialize([['slow', '* * * * *', () => clock.sleep(minutes(30)), 0]]);
  await clock.advance(minutes(1));
  const stopped = scheduler.stop();
  assert.match(
    await warnings.next(),
    /stop\(\) has waited .* waits for the test clock \(task "slow"\): let time pass/,
  );
  await clock.advance(minutes(30));
  await stopped;
});

/** `clock.crash()` ends a process: after it, the process does nothing, writes nothing, and its listeners hear nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createScheduler,
  hours,
  memory,
  minutes,
  type Registration,
  type Store,
  seconds,
} from '../../src/index.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import { PATIENT } from './moved-clock.ts';
import { warningsOf } from './warnings.ts';

const START = '2026-06-01T12:00:30Z';

interface Ears {
  readonly heard: string[];
  readonly options: Pick<Parameters<typeof createScheduler>[0] & object, 'onEvent' | 'trace' | 'logger'>;
}

/** Collects everything that a scheduler reports: events, trace records, log lines. */
function ears(): Ears {
  const heard: string[] = [];
  const log = (message: string): void => void heard.push(`log ${message}`);
  return {
    heard,
    options: {
      onEvent: ({ type }) => heard.push(type),
      trace: ({ event }) => heard.push(`trace ${event}`),
      logger: { debug: log, info: log, warn: log, error: log },
    },
  };
}

const schedulerOn = (clock: TestClock, store = clock.store(), options = {}) =>
  createScheduler({ clock, store, timeZone: 'UTC', ...options });

for (const end of ['resolve', 'reject'] as const) {
  test(`after a crash nothing is heard of a callback that ends (${end}), nor of a clock step`, async () => {
    const clock = createTestClock(START, PATIENT);
    const store = clock.store();
    const { heard, options } = ears();
    const work = Promise.withResolvers<void>();
    await schedulerOn(clock, store, options).initialize([
      ['r', '* * * * *', () => clock.until(work.promise), 0],
    ]);
    await clock.advance(seconds(90));
    await clock.crash();
    assert.ok(heard.includes('TaskRunStarted'));
    heard.length = 0;
    if (end === 'resolve') work.resolve();
    else work.reject(new Error('too late'));
    await clock.advance(minutes(10));
    const next = schedulerOn(clock, store);
    let starts = 0;
    await next.initialize([['r', '* * * * *', () => starts++, 0]]);
    await clock.advance(minutes(5));
    await clock.step(-hours(2));
    await clock.advance(minutes(3));
    assert.deepEqual(heard, []);
    assert.equal(starts, 6 + 2); // the orphan and five minutes, then two of the time that comes again: it is seen at the first
    await next.stop();
  });
}

test('E6 a store that a process was opening when it died is free', async (t) => {
  warningsOf(t);
  const clock = createTestClock(START, { patience: 0 });
  const [inner, gate] = [memory(), Promise.withResolvers<void>()];
  const open: Store['open'] = async (options) => {
    const session = await inner.open(options);
    await gate.promise;
    return session;
  };
  const store = clock.store({ location: 'slow', open });
  void schedulerOn(clock, store).initialize([]);
  await clock.crash();
  gate.resolve();
  await clock.settle();
  const next = schedulerOn(clock, store);
  await next.initialize([]);
  await next.stop();
});

test('a callback of a dead process goes on only until it asks the clock for something', async () => {
  const clock = createTestClock(START, { patience: 0 });
  const seen: string[] = [];
  const work = Promise.withResolvers<void>();
  const callback = async (): Promise<void> => {
    await work.promise; // a promise of the test, so it goes on after the crash
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

test('a callback may crash its own process, and then never goes on', async () => {
  const clock = createTestClock(START, PATIENT);
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

test('stop of a dead scheduler resolves; so does a stop that was called before the crash', async () => {
  const clock = createTestClock(START, PATIENT);
  const store = clock.store();
  const list: Registration[] = [['slow', '* * * * *', () => clock.sleep(hours(1)), 0]];
  const { heard, options } = ears();
  const [early, late] = [schedulerOn(clock, store), schedulerOn(clock, clock.store(), options)];
  await early.initialize(list);
  await late.initialize(list);
  await clock.advance(minutes(1));
  const stopped = early.stop();
  await clock.crash();
  await stopped;
  heard.length = 0;
  await late.stop();
  assert.deepEqual(heard, []);
  await assert.rejects(late.initialize(list), /died in clock\.crash\(\): make a new one/);
  const next = schedulerOn(clock, store);
  await next.initialize([]); // the store is free, although that stop never finished its work
  await next.stop();
});

test('a crash does not touch a scheduler that was not initialized yet', async () => {
  const clock = createTestClock(START, PATIENT);
  let starts = 0;
  const scheduler = schedulerOn(clock);
  await clock.crash();
  await scheduler.initialize([['r', '* * * * *', () => starts++, 0]]);
  await clock.advance(minutes(1));
  assert.equal(starts, 2);
  await scheduler.stop();
});

test('a stop that waits for a sleeping callback warns, and ends when time passes', async (t) => {
  const warnings = warningsOf(t);
  const clock = createTestClock(START, { patience: 20 });
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

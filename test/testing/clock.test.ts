/** The test clock: time passes only when the test says so, and when `advance` resolves everything has happened. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  createScheduler,
  days,
  hours,
  minutes,
  type Registration,
  seconds,
  sqlite,
} from '../../src/index.ts';
import { createTestClock } from '../../src/testing/index.ts';
import { PATIENT } from './moved-clock.ts';

const START = '2026-06-01T12:00:30Z';

test('a task that is due every hour has 169 starts in a week', async (t) => {
  const clock = createTestClock(START, PATIENT);
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  let calls = 0;
  await scheduler.initialize([['hourly', '0 * * * *', () => calls++, 0]]);
  const startedAt = performance.now();
  await clock.advance(days(7));
  t.diagnostic(`a week in ${Math.round(performance.now() - startedAt)} ms`);
  assert.equal(calls, 1 + 168); // the minute in which it begins matches too
  assert.equal(clock.now(), Date.parse(START) + days(7));
  await scheduler.stop();
});

test('A5 a callback that sleeps by the clock takes as long as it says', async () => {
  const clock = createTestClock(START, PATIENT);
  const starts: number[] = [];
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  const callback = async (): Promise<void> => {
    starts.push(clock.now());
    await clock.sleep(seconds(90));
  };
  await scheduler.initialize([['slow', '1,2 12 * * *', callback, 0]]);
  await clock.advanceTo('2026-06-01T12:10:00Z');
  const times = starts.map((at) => new Date(at).toISOString().slice(14, 19));
  assert.deepEqual(times, ['01:00', '02:30']);
  await scheduler.stop();
});

for (const kind of ['memory', 'sqlite'] as const) {
  test(`A1, E6 after a crash on ${kind} the running task is orphaned, the missed one is due, and the dead process writes nothing`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const clock = createTestClock(START, PATIENT);
    const store = clock.store(kind === 'sqlite' ? sqlite(join(folder, 'state.db')) : undefined);
    const reasons: string[] = [];
    const { promise: held, resolve } = Promise.withResolvers<void>();
    let lives = 0;
    const list = (): Registration[] => {
      const life = ++lives;
      const started = (name: string) => (reason: string) => reasons.push(`${life} ${name} ${reason}`);
      const heldOnce = ({ reason }: { reason: string }): unknown => {
        started('held')(reason);
        return life === 1 ? clock.until(held) : undefined;
      };
      return [
        ['held', '1 12 * * *', heldOnce, 0],
        ['missed', '5 12 * * *', ({ reason }) => void started('missed')(reason), 0],
      ];
    };
    await createScheduler({ clock, store, timeZone: 'UTC' }).initialize(list());
    await clock.advance(minutes(1));
    await clock.crash();
    resolve(); // the dead process's callback ends, and no scheduler hears it
    await clock.advance(hours(1));
    const scheduler = createScheduler({ clock, store, timeZone: 'UTC' });
    await scheduler.initialize(list());
    await clock.settle();
    assert.deepEqual(reasons.sort(), ['1 held due', '2 held orphaned', '2 missed due']);
    await scheduler.stop();
  });
}

test('B5 no time passes in a step', async () => {
  const clock = createTestClock(START, PATIENT);
  const starts: number[] = [];
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  await scheduler.initialize([['noon', '0 13 * * *', () => starts.push(clock.now()), 0]]);
  await clock.step(hours(1));
  assert.deepEqual(starts, []);
  await clock.advance(minutes(1));
  assert.equal(starts.length, 1);
  await scheduler.stop();
});

const refusedStarts: readonly (readonly [unknown, RegExp])[] = [
  ['yesterday', /^RangeError: createTestClock: "yesterday" is no instant: write it as '2026-/],
  ['2026-02-30', /^RangeError: createTestClock: "2026-02-30" is in no calendar: write/],
  ['2026-02-29T00:00:00Z', /^RangeError: .* is in no calendar/],
  ['2026-06-31T23:00:00+02:00', /^RangeError: .* is in no calendar/],
  ['2026-06-01T25:00:00Z', /^RangeError: .* is in no calendar/],
  ['2026-06-01T12:00', /^RangeError: .* has no offset, so it depends on the machine: write/],
  ['2026-06-01 12:00', /^RangeError: .* is no instant: write/],
  [null, /^TypeError: createTestClock takes an instant, as a text or a Date; got null: write/],
  [{}, /^TypeError: createTestClock takes an instant/],
  [Number.NaN, /^RangeError: createTestClock: NaN is no instant/],
  [1.5, /^RangeError: createTestClock: 1\.5 is no instant in whole epoch milliseconds/],
  [new Date(Number.NaN), /^RangeError: createTestClock: the Date is no instant/],
];
const refusedLengths: readonly (readonly [unknown, RegExp])[] = [
  ['7d', /^TypeError: \w+ takes a duration, such as minutes\(5\) or days\(7\); got "7d"/],
  [undefined, /^TypeError: \w+ takes a duration, .*; got undefined/],
  [days, /^TypeError: \w+ takes a duration, .*; got a function/],
  [Number.NaN, /^RangeError: \w+ takes a duration, .*; got NaN/],
  [Number.POSITIVE_INFINITY, /^RangeError: \w+ takes a duration/],
  [1.5, /^RangeError: \w+ takes whole milliseconds; got 1\.5/],
  [-5, /^RangeError: \w+: time only passes forward; got -5\. .* clock\.step\(-hours\(1\)\)/],
];
const refusedSteps: readonly (readonly [unknown, RegExp])[] = [
  [undefined, /^TypeError: step takes milliseconds, such as hours\(1\) or -hours\(1\); got undefined/],
  ['1h', /^TypeError: step takes milliseconds, .*; got "1h"/],
  [Number.NaN, /^RangeError: step takes milliseconds, .*; got NaN/],
  [0.5, /^RangeError: step takes whole milliseconds; got 0\.5/],
  [9e15, /^RangeError: step: no calendar reaches so far/],
];

/** Calls a method by its name, as a program without types can. Returns the error as text. */
async function refusal(target: object, method: string, value: unknown): Promise<string> {
  try {
    await Reflect.apply(Reflect.get(target, method), target, [value]);
    return 'it was taken';
  } catch (error) {
    return String(error);
  }
}

test('a wrong value is refused with what to write instead, and nothing moves', async () => {
  for (const [value, message] of refusedStarts)
    assert.match(await refusal({ createTestClock }, 'createTestClock', value), message);
  const clock = createTestClock(START, PATIENT);
  for (const [value, message] of refusedLengths) {
    assert.match(await refusal(clock, 'advance', value), message);
    assert.match(await refusal(clock, 'sleep', value), message);
  }
  for (const [value, message] of refusedSteps) assert.match(await refusal(clock, 'step', value), message);
  for (const [value, message] of refusedStarts.slice(0, 9))
    assert.match(
      await refusal(clock, 'advanceTo', value),
      new RegExp(message.source.replace('createTestClock', 'advanceTo')),
    );
  assert.match(
    await refusal(clock, 'advanceTo', hours(1)),
    /^TypeError: advanceTo takes an instant, .*; got 3600000/,
  );
  assert.throws(
    () => createTestClock(START, { patience: -1 }),
    /^RangeError: createTestClock: patience is how long/,
  );
  assert.deepEqual([clock.now(), clock.monotonic()], [Date.parse(START), 0]);
});

test('an instant may be a day, a time with an offset, a Date, or epoch milliseconds', () => {
  const instants = ['2026-06-01', '2026-06-01T00:00Z', '2026-06-01T02:00:00.000+02:00'] as const;
  for (const instant of [...instants, new Date('2026-06-01'), Date.parse('2026-06-01')])
    assert.equal(createTestClock(instant).now(), Date.parse('2026-06-01T00:00:00Z'));
});

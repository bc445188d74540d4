/** A turn looks at some tasks, and leaves the others to the next one: none of them waits for longer than that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSizedScheduler, type Registration, SIZES } from '../../src/scheduler/index.ts';
import { createTestClock } from '../../src/testing/index.ts';
import { createWorld, heldCallback } from './world.ts';

/** So small that a turn looks at five tasks. */
const sizes = { ...SIZES, batch: 1 };

test('A2 a due that a turn left to the next one starts its task in the same minute, though nothing else happens', async () => {
  const clock = createTestClock('2026-06-01T12:00:30Z');
  const calls: string[] = [];
  const forever = () => clock.sleep(3_600_000);
  const busy = Array.from(
    { length: 12 },
    (_, index): Registration => [`busy ${index}`, '* * * * *', forever, 0],
  );
  const last: Registration = [
    'last',
    '* * * * *',
    () => void calls.push(new Date(clock.now()).toISOString()),
    0,
  ];
  const scheduler = createSizedScheduler({ clock, store: clock.store(), timeZone: 'UTC' }, sizes);
  await scheduler.initialize([...busy, last]);
  await clock.advance(40_000);
  assert.deepEqual(calls, ['2026-06-01T12:00:30.000Z', '2026-06-01T12:01:00.000Z']);
  await clock.advance(3_600_000);
  await Promise.all([scheduler.stop(), clock.advance(3_600_000)]);
});

test('B5 a clock that is set between two slices of calls is noticed before the next call', async () => {
  const world = createWorld('2026-06-01T11:59:59Z');
  // None of them ends before the second slice: an end would notice the step too.
  const { callback, runs } = heldCallback();
  const holdThenStep: typeof callback = (context) => {
    world.clock.burn(SIZES.callSliceMs);
    world.clock.defer(() => world.clock.step(-2 * 3_600_000));
    return callback(context);
  };
  const twoSlices = Array.from(
    { length: 2 * SIZES.callsBetweenLooks },
    (_, index): Registration => [`task ${index}`, '0 12 * * *', index === 0 ? holdThenStep : callback, 0],
  );
  await world.scheduler.initialize(twoSlices);
  await world.clock.advance(10_000);
  assert.equal(runs.length, twoSlices.length);
  const step = world.trace.findIndex(({ event }) => event === 'ClockStep');
  const next = world.trace.findIndex(
    ({ event, at }) => event === 'RunStart' && at < Date.UTC(2026, 5, 1, 11),
  );
  assert.ok(step >= 0 && next > step, `the step is record ${step}, the first call after it record ${next}`);
  for (const run of runs) run.succeed();
  await world.scheduler.stop();
});

test('A2 what was pending before a life began is started at once, also behind many tasks that wait', async () => {
  const clock = createTestClock('2026-06-01T12:00:30Z');
  const calls: string[] = [];
  const idle = Array.from(
    { length: 12 },
    (_, index): Registration => [`idle ${index}`, '0 0 1 1 *', () => {}, 0],
  );
  const last: Registration = [
    'last',
    '0 12 1 6 *',
    () => void calls.push(new Date(clock.now()).toISOString()),
    0,
  ];
  const scheduler = createSizedScheduler({ clock, store: clock.store(), timeZone: 'UTC' }, sizes);
  await scheduler.initialize([...idle, last]);
  await clock.advance(1000);
  assert.deepEqual(calls, ['2026-06-01T12:00:30.000Z']);
  await scheduler.stop();
});

/** Twelve tasks that have failed at noon, and are to be retried at ten past. It is five past. */
async function failedAtNoon() {
  const clock = createTestClock('2026-06-01T11:59:30Z');
  const calls = new Map<string, string[]>();
  const failing = Array.from({ length: 12 }, (_, index): Registration => {
    const name = `task ${index}`;
    const fail = ({ reason }: { readonly reason: string }): void => {
      const call = `${new Date(clock.now()).toISOString().slice(11, 16)} ${reason}`;
      calls.set(name, [...(calls.get(name) ?? []), call]);
      if (reason === 'due') throw new Error('failed on purpose');
    };
    return [name, '0 12 * * *', fail, 600_000];
  });
  const store = clock.store();
  const scheduler = createSizedScheduler({ clock, store, timeZone: 'UTC', logger: false }, sizes);
  await scheduler.initialize(failing);
  await clock.advance(5 * 60_000 + 30_000);
  const assertRetried = (at: string): void => {
    assert.equal(calls.size, failing.length);
    for (const [name, each] of calls) assert.deepEqual(each, ['12:00 due', `${at} retry`], name);
  };
  return { clock, scheduler, store, failing, assertRetried };
}

test('B5 a clock that is set back moves every deadline, though a turn judges only some of the tasks', async () => {
  const { clock, scheduler, assertRetried } = await failedAtNoon();
  await clock.step(-4 * 3_600_000);
  // The step is seen a minute later at the latest, and the delay begins then.
  await clock.advance(12 * 60_000);
  assertRetried('08:16');
  await scheduler.stop();
});

test('B5 a second step, and a stop, come when not all are judged by the first', async () => {
  const { clock, scheduler, store, failing, assertRetried } = await failedAtNoon();
  const stepped = clock.step(-4 * 3_600_000);
  const steppedAgain = clock.step(-3_600_000);
  const stopped = scheduler.stop();
  await Promise.all([stepped, steppedAgain, stopped]);
  const again = createSizedScheduler({ clock, store, timeZone: 'UTC', logger: false }, sizes);
  await again.initialize(failing);
  await clock.advance(11 * 60_000);
  assertRetried('07:15');
  await again.stop();
});

test('B5 a queued task that a turn takes before it has judged it by a step is moved in the store, too', async () => {
  const clock = createTestClock('2026-06-02T11:59:30Z');
  const store = clock.store();
  const noon = Array.from(
    { length: 24 },
    (_, index): Registration => [`task ${index}`, '0 12 * * *', () => clock.sleep(1000), 0],
  );
  const options = { clock, store, timeZone: 'UTC', workers: 1, logger: false } as const;
  const scheduler = createSizedScheduler(options, sizes);
  await scheduler.initialize(noon);
  await clock.advance(30_500);
  await clock.step(-30 * 3_600_000);
  await clock.advance(60_000);
  const stopped = scheduler.stop();
  await clock.advance(1000);
  await stopped;
  const session = await store.open({ waitMs: 0 });
  for (const record of await session.read())
    assert.ok(Number(Reflect.get(Object(record), 'servedThrough')) <= clock.now(), 'ahead of the clock');
  await session.close();
});

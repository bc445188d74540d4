/** A turn looks at some tasks, and leaves the others to the next one: none of them waits for longer than that. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSizedScheduler, type Registration, SIZES } from '../../src/scheduler/index.ts';
import { createTestClock } from '../../src/testing/index.ts';

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

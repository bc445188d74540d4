/**
 * How to test your own schedule: weeks in milliseconds, a crash and a restart, a night in which the clocks change. Nothing
 * sleeps and no timer is faked. Run it: npm run example:testing
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createScheduler, days, hours, minutes, type Registration, type RunContext } from 'obbligato';
import { createTestClock } from 'obbligato/testing';

/** What is tested: a function that makes the list and takes what the callbacks need. */
const schedule = (send: (report: string) => Promise<void>): Registration[] => [
  ['daily report', '30 2 * * *', ({ scheduledFor }) => send(scheduledFor.toISOString()), minutes(5)],
];

test('the report is sent every night, but not in the one that has no half past two', async () => {
  const clock = createTestClock('2026-03-27T12:00:00Z');
  const sent: string[] = [];
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'Europe/Stockholm' });
  await scheduler.initialize(schedule(async (report) => void sent.push(report)));
  await clock.advance(days(3));
  assert.deepEqual(sent, ['2026-03-28T01:30:00.000Z', '2026-03-30T00:30:00.000Z']); // on the 29th it did not happen
  await scheduler.stop();
});

test('a report that could not be sent is tried again after five minutes', async () => {
  const clock = createTestClock('2026-06-01T00:29:00Z');
  const tries: number[] = [];
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'Europe/Stockholm' });
  const send = async (): Promise<void> => {
    tries.push(clock.now());
    if (tries.length < 3) throw new Error('the mail server is away');
  };
  await scheduler.initialize(schedule(send));
  await clock.advance(hours(1));
  assert.deepEqual(
    tries.map((at) => new Date(at).toISOString().slice(11, 16)),
    ['00:30', '00:35', '00:40'],
  );
  await scheduler.stop();
});

test('a report that was cut off by a crash is sent again under the same key, if the process is back before the next night', async () => {
  const clock = createTestClock('2026-06-01T00:29:00Z');
  const store = clock.store(); // survives the crash
  const runs: { key: string; reason: string; attempt: number }[] = [];
  const list: Registration[] = [
    [
      'slow report',
      '30 2 * * *',
      async ({ key, reason, attempt }) => {
        runs.push({ key, reason, attempt });
        await clock.sleep(minutes(10)); // by this clock, not by a real one
      },
      minutes(5),
    ],
  ];
  await createScheduler({ clock, store, timeZone: 'Europe/Stockholm' }).initialize(list);
  await clock.advance(minutes(5));
  await clock.crash();
  await clock.advance(hours(1)); // no process is running
  const next = createScheduler({ clock, store, timeZone: 'Europe/Stockholm' });
  await next.initialize(list);
  await clock.advance(minutes(15));
  const [first, again] = runs;
  assert.equal(runs.length, 2);
  assert.deepEqual([first.reason, first.attempt], ['due', 1]);
  assert.deepEqual(again, { key: first.key, reason: 'orphaned', attempt: 2 });
  await next.stop();
});

test('another night is other work: it is sent under a key of its own, and the night that was cut off is not made up for', async () => {
  const clock = createTestClock('2026-06-01T00:29:00Z');
  const store = clock.store();
  const keys: string[] = [];
  const send = ({ key }: RunContext): Promise<void> => {
    keys.push(key);
    return clock.sleep(minutes(10));
  };
  const list: Registration[] = [['report', '30 2 * * *', send, minutes(5)]];
  await createScheduler({ clock, store, timeZone: 'Europe/Stockholm' }).initialize(list);
  await clock.advance(minutes(5));
  await clock.crash();
  await clock.advance(days(1)); // no scheduler runs, and another night passes
  const next = createScheduler({ clock, store, timeZone: 'Europe/Stockholm' });
  await next.initialize(list);
  await clock.advance(minutes(15));
  assert.equal(keys.length, 2);
  assert.notEqual(keys[0], keys[1]);
  await next.stop();
});

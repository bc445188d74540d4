/** The alerting advice of docs/operating.md, as it is written there, played on the test clock. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createScheduler, days, minutes, type SchedulerEvent } from '../../src/index.ts';
import { createTestClock } from '../../src/testing/index.ts';
import { temporaryFolder } from '../store/kit.ts';
import { NOW, root } from './commands-kit.ts';

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

test('the listener of docs/operating.md alerts of a task that fails every minute for a week, once, and when it is well', async (t) => {
  const page = readFileSync(join(root, 'docs/operating.md'), 'utf8');
  const [, code] = /```ts\n(\/\/ alert\.ts\n.*?)```/s.exec(page) ?? [];
  const file = join(await temporaryFolder(t), 'alert.ts');
  writeFileSync(file, code);
  const { alertOnFailures } = await import(file);
  const clock = createTestClock(new Date(NOW).toISOString());
  const week = NOW + 7 * 86_400_000;
  const said: string[] = [];
  const seen = { TaskRunFailed: 0, TaskRetryStarted: 0, attempt: 0 };
  const listener = alertOnFailures((text: string) =>
    said.push(`${new Date(clock.now()).toISOString()} ${text}`),
  );
  const scheduler = createScheduler({
    clock,
    store: clock.store(),
    timeZone: 'UTC',
    logger: QUIET,
    onEvent: (event: SchedulerEvent) => {
      listener(event);
      if (event.type === 'TaskRunFailed') seen.TaskRunFailed++;
      if (event.type === 'TaskRetryStarted') seen.TaskRetryStarted++;
      if ('attempt' in event) seen.attempt = Math.max(seen.attempt, Number(event.attempt));
    },
  });
  const work = (): void => {
    if (clock.now() < week) throw new Error('no route');
  };
  await scheduler.initialize([['mail', '* * * * *', work, minutes(5)]]);
  await clock.advance(days(8));
  await scheduler.stop();
  assert.deepEqual(said, [
    '2027-01-10T12:02:00.000Z mail has failed 3 times in a row: Error: no route',
    '2027-01-17T12:00:00.000Z mail is well again',
  ]);
  // What one would first think of never fires: the schedule always comes before the retry.
  assert.deepEqual(seen, { TaskRunFailed: 7 * 1440, TaskRetryStarted: 0, attempt: 1 });
});

/** `obbligato health`: the exit code and its reasons, and a week in which a task fails, played on the test clock. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { healthCommand } from '../../src/cli/commands/health.ts';
import { isCliError } from '../../src/cli/errors.ts';
import {
  createScheduler,
  health as healthOf,
  hours,
  minutes,
  type Registration,
  sqlite,
  type TaskRecord,
} from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, NOW, obbligato, program, type Said, schedulerProgram } from './commands-kit.ts';

const MINUTE_MS = 60_000;
const UTC = ['--tz', 'UTC'];

/** A store with these records, owned by a session until the test is over, as by a scheduler. */
async function storeWith(t: TestContext, ...records: TaskRecord[]): Promise<string> {
  // Registered before the folder is, so that the session is closed before the folder goes.
  let close: () => Promise<void> = async () => {};
  t.after(() => close());
  const path = join(await temporaryFolder(t), 'obbligato.db');
  const session = await sqlite(path).open({ waitMs: 0 });
  close = () => session.close();
  await session.commit({ puts: records });
  return path;
}

const health = (...words: string[]): Promise<Said> => call(healthCommand, words);

const calm = (name: string): TaskRecord => ({
  ...newRecord(name, { cron: '0 * * * *' }),
  servedThrough: NOW,
});
const failed = (name: string, failures: number, forMs: number): TaskRecord => ({
  ...calm(name),
  lastAttemptAt: NOW - forMs,
  lastFailureAt: NOW - forMs,
  failures,
  failingSince: NOW - forMs,
  lastError: { name: 'Error', message: 'no route' },
});

describe('obbligato health', () => {
  test('is 0 while a scheduler runs and nothing is late or failing', async (t) => {
    const path = await storeWith(t, calm('a'), failed('b', 2, 59 * MINUTE_MS));
    const { code, out } = await health(path, ...UTC);
    assert.deepEqual([code, out], [0, `✓ all is well with ${path}, 2 tasks\n`]);
  });

  test('A5 is 1 for a run that hangs while its task is due again, and says for how long it runs', async (t) => {
    const run = {
      runId: 'r',
      instanceId: 'i',
      startedAt: NOW - 21 * MINUTE_MS,
      reason: 'due',
      cutOffAt: null,
    } as const;
    const hung = {
      ...newRecord('hung', { cron: '50 11 * * *', lastDurationMs: 7 * MINUTE_MS, run }),
      work: { key: 'k', scheduledFor: NOW - 21 * MINUTE_MS, attempt: 1 },
      servedThrough: NOW - 60 * MINUTE_MS,
    };
    const path = await storeWith(t, hung);
    const { code, out } = await health(path, ...UTC);
    assert.equal(code, 1);
    assert.equal(
      out.replace(/\s+/g, ' '),
      '✗ late: "hung" should have started 10 min ago, and still runs, for 21 min, the run before took 7 min ',
    );
  });

  test('is 1 for a task that should have started longer ago than --late: a due, or a retry', async (t) => {
    const path = await storeWith(
      t,
      { ...newRecord('due', { cron: '50 11 * * *' }), servedThrough: NOW - 60 * MINUTE_MS },
      {
        ...calm('retried'),
        pendingRetryUntil: NOW - 6 * MINUTE_MS,
        work: { key: 'k', scheduledFor: NOW - 60 * MINUTE_MS, attempt: 1 },
      },
    );
    const { code, out } = await health(path, ...UTC);
    assert.equal(code, 1);
    assert.equal(
      out,
      '✗ late: "due" should have started 10 min ago\n✗ late: "retried" should have started 6 min ago\n',
    );
    assert.equal((await health(path, ...UTC, '--late', '6m')).out.split('\n').length, 2);
    assert.equal((await health(path, ...UTC, '--late', '10m')).code, 0);
    assert.equal((await health(path, ...UTC, '--ignore', 'late')).code, 0);
    const unknown = await health(path);
    assert.deepEqual([unknown.code, /lateness was not judged/.test(unknown.out)], [0, true]);
  });

  test('is 1 for a task that has failed too often, or for too long', async (t) => {
    const path = await storeWith(t, failed('often', 3, MINUTE_MS), failed('long', 1, 61 * MINUTE_MS));
    const { code, out } = await health(path, ...UTC);
    assert.equal(code, 1);
    assert.deepEqual(out.trimEnd().split('\n').sort(), [
      '✗ failing: "long" has failed 1 time in a row, for 1 h 1 min: no route',
      '✗ failing: "often" has failed 3 times in a row, for 1 min: no route',
    ]);
    assert.equal((await health(path, ...UTC, '--failures', '4', '--failing', '2h')).code, 0);
    const { healthy, troubles, judged } = JSON.parse((await health(path, '--json')).out);
    assert.deepEqual([healthy, judged, troubles.length], [false, ['store', 'owner', 'failing'], 2]);
  });

  test('is 1 without a scheduler, without a store, and when the owner was killed', async (t) => {
    const folder = await temporaryFolder(t);
    const cwd = folder;
    const missing = await obbligato(t, ['health', 'store.db'], { cwd });
    assert.equal(missing.code, 1);
    assert.match(missing.out, /^✗ store: There is no store at /);
    const scheduler = program(t, [schedulerProgram(folder, `['a', '0 0 29 2 *', () => {}, hours(1)]`)], {
      cwd,
    });
    await scheduler.says(/up\n/);
    assert.deepEqual((await obbligato(t, ['health', 'store.db', ...UTC], { cwd })).code, 0);
    scheduler.child.kill('SIGKILL');
    await scheduler.ended;
    const killed = await obbligato(t, ['health', 'store.db', '--json'], { cwd });
    assert.equal(killed.code, 1);
    assert.deepEqual(
      JSON.parse(killed.out).troubles.map(({ reason }: { reason: string }) => reason),
      ['owner'],
    );
  });

  test('refuses limits that make no sense', async () => {
    for (const words of [
      ['--late', 'soon'],
      ['--failures', '0'],
      ['--ignore', 'everything'],
      ['--failing', '5'],
    ])
      await assert.rejects(health('x.db', ...words), (error) => isCliError(error, 'usage'));
  });
});

/** Plays a schedule for some days, and looks every ten minutes; answers when health would have said 1, and why. */
async function troublesWithin(
  days: number,
  clock: TestClock,
  list: readonly Registration[],
): Promise<string[]> {
  const store = clock.store();
  const scheduler = createScheduler({ clock, store, timeZone: 'UTC', logger: QUIET });
  await scheduler.initialize(list);
  const found: string[] = [];
  for (let look = 0; look < days * 24 * 6; look++) {
    await clock.advance(minutes(10));
    const { troubles } = await healthOf(store, { timeZone: 'UTC', now: clock.now() });
    found.push(
      ...troubles.map(({ reason, task }) => `${new Date(clock.now()).toISOString()} ${reason} ${task}`),
    );
  }
  await scheduler.stop();
  return found;
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };
const fails = (): never => {
  throw new Error('for a week');
};

describe('a task that fails for days, and health asked every ten minutes', () => {
  for (const [name, days, cron, retryDelay, first] of [
    ['every minute', 7, '* * * * *', minutes(5), '2027-01-10T12:10:00.000Z'],
    ['every hour', 2, '0 * * * *', minutes(10), '2027-01-10T12:20:00.000Z'],
    ['every day', 2, '0 12 * * *', hours(30), '2027-01-10T13:10:00.000Z'],
  ] as const) {
    test(`${name}, for ${days} days: says so within an hour, and never stops saying it`, async () => {
      const clock = createTestClock(new Date(NOW).toISOString());
      const found = await troublesWithin(days, clock, [
        ['bad', cron, fails, retryDelay],
        ['good', '* * * * *', () => {}, minutes(1)],
      ]);
      assert.equal(found[0], `${first} failing bad`);
      const looks = (NOW + days * 86_400_000 - Date.parse(first)) / (10 * MINUTE_MS) + 1;
      assert.deepEqual([found.length, found.filter((line) => !line.endsWith(' failing bad'))], [looks, []]);
    });
  }

  test('a task that recovers is well again at once', async () => {
    const clock = createTestClock(new Date(NOW).toISOString());
    const begun = clock.now();
    const found = await troublesWithin(2, clock, [
      ['flaky', '0 * * * *', () => clock.now() - begun < 86_400_000 && fails(), minutes(5)],
    ]);
    assert.equal(found.at(-1), '2027-01-11T11:50:00.000Z failing flaky');
    assert.ok(found.length > 100);
  });
});

/** `plan`: what it says of an initialize is what the initialize then does (E4), and it changes nothing. */
import assert from 'node:assert/strict';
import { linkSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import {
  control,
  createScheduler,
  inspect,
  minutes,
  plan,
  type Registration,
  type SchedulerEvent,
  sqlite,
  task,
} from '../../src/index.ts';
import { createTestClock, type TestClock } from '../../src/testing/index.ts';
import { fc } from '../property.ts';
import { temporaryFolder } from '../store/kit.ts';

const START = '2027-01-10T12:00:30Z';
const CRONS = ['* * * * *', '0 * * * *', '5 12 * * *', '0 0 1 1 *'];

interface Drawn {
  readonly name: string;
  readonly cron: string;
  readonly delay: number;
  readonly ends: 'well' | 'badly' | 'never';
}

const drawnTask: fc.Arbitrary<Drawn> = fc.record({
  name: fc.constantFrom('a', 'b', 'c', 'd'),
  cron: fc.constantFrom(...CRONS),
  delay: fc.constantFrom(60_000, 600_000),
  ends: fc.constantFrom('well', 'badly', 'never'),
});
const drawnList = fc.uniqueArray(drawnTask, { selector: ({ name }) => name, maxLength: 4 });

function registrationsOf(clock: TestClock, list: readonly Drawn[]): Registration[] {
  return list.map(({ name, cron, delay, ends }) => [
    name,
    cron,
    () => {
      if (ends === 'badly') throw new Error('badly');
      return ends === 'never' ? clock.until(new Promise(() => {})) : undefined;
    },
    delay,
  ]);
}

const QUIET = { debug() {}, info() {}, warn() {}, error() {} };

describe('plan', () => {
  test('E4 says of every initialize what it then does: new, changed, removed, cut off, started at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        drawnList,
        drawnList,
        fc.integer({ min: 1, max: 90 }),
        async (first, second, passed) => {
          const clock = createTestClock(START);
          const store = clock.store();
          const options = { clock, store, timeZone: 'UTC', logger: QUIET };
          await createScheduler(options).initialize(registrationsOf(clock, first));
          await clock.advance(minutes(passed));
          await clock.crash();
          await clock.advance(minutes(3));
          const before = new Map((await inspect(store)).records.map((record) => [record.name, record]));
          const list = registrationsOf(clock, second);
          const said = await plan(store, list, { timeZone: 'UTC', at: clock.now() });
          const started: string[] = [];
          const scheduler = createScheduler({
            ...options,
            onEvent: (event: SchedulerEvent) => {
              if (event.type === 'TaskRunStarted' || event.type === 'TaskRetryStarted')
                started.push(`${event.task} ${event.reason}`);
            },
          });
          await scheduler.initialize(list);
          await clock.settle();
          const after = new Map((await inspect(store)).records.map((record) => [record.name, record]));
          const names = [...before.keys(), ...after.keys()];
          assert.deepEqual(
            [...said.added].sort(),
            [...after.keys()].filter((name) => !before.has(name)).sort(),
          );
          assert.deepEqual(
            [...said.removed].sort(),
            [...before.keys()].filter((name) => !after.has(name)).sort(),
          );
          const changed = [...new Set(names)].filter((name) => {
            const [was, is] = [before.get(name), after.get(name)];
            return was && is && (was.cron !== is.cron || was.retryDelayMs !== is.retryDelayMs);
          });
          assert.deepEqual(said.overridden.map(({ name }) => name).sort(), changed.sort());
          assert.equal(said.preserved, second.length - said.added.length - changed.length);
          const cutOff = [...before.values()].filter(({ name, run }) => run !== null && after.has(name));
          assert.deepEqual([...said.orphaned].sort(), cutOff.map(({ name }) => name).sort());
          assert.deepEqual(said.starts.map(({ name, reason }) => `${name} ${reason}`).sort(), started.sort());
          await clock.crash();
        },
      ),
      { numRuns: 100 },
    );
  });

  test('changes no byte of the store, and takes a store that does not exist for an empty one', async (t) => {
    const path = join(await temporaryFolder(t), 'obbligato.db');
    const list: Registration[] = [['a', '0 0 1 1 *', () => {}, 0]];
    const missing = await plan(path, list, { timeZone: 'UTC' });
    assert.deepEqual([missing.owner, missing.added], ['missing', ['a']]);
    const scheduler = createScheduler({ store: sqlite(path), timeZone: 'UTC' });
    await scheduler.initialize(list);
    await scheduler.stop();
    const bytes = readFileSync(path);
    const said = await plan(path, [['b', '* * * * *', () => {}, 0]], { timeZone: 'UTC' });
    assert.deepEqual([said.owner, said.added, said.removed], ['free', ['b'], ['a']]);
    assert.deepEqual(readFileSync(path), bytes);
  });

  test('a task that runs under the owner is neither cut off nor owed what its run serves', async () => {
    const clock = createTestClock('2027-01-10T12:00:00Z');
    const store = clock.store();
    const list = registrationsOf(clock, [{ name: 'a', cron: '0 12 * * *', delay: 0, ends: 'never' }]);
    await createScheduler({ clock, store, timeZone: 'UTC' }).initialize(list);
    await clock.advance(minutes(5));
    const said = await plan(store, list, { timeZone: 'UTC', at: clock.now() });
    assert.deepEqual([said.owner, said.running, said.orphaned, said.starts], ['held', ['a'], [], []]);
    await clock.crash();
  });

  test('I2 I3 counts what was asked for since the last scheduler ran', async (t) => {
    const path = join(await temporaryFolder(t), 'obbligato.db');
    const list: Registration[] = ['a', 'b', 'c'].map((name) => [name, '0 0 1 1 *', () => {}, 0]);
    const scheduler = createScheduler({ store: sqlite(path), timeZone: 'UTC' });
    await scheduler.initialize(list);
    await scheduler.stop();
    await control(path).run('a', { wait: 0 });
    await control(path).pause('b', { wait: 0 });
    const later = Date.now() + 400 * 86_400_000;
    const { starts } = await plan(path, list, { timeZone: 'UTC' });
    assert.deepEqual(starts, [{ name: 'a', reason: 'manual' }]);
    const year = await plan(path, list, { timeZone: 'UTC', at: later });
    assert.deepEqual(
      year.starts.map(({ name }) => name),
      ['a', 'c'],
    );
    await control(path).resume('b', { wait: 0 });
    const resumed = await plan(path, list, { timeZone: 'UTC', at: later });
    assert.deepEqual(
      resumed.starts.map(({ name }) => name),
      ['a', 'c'],
    );
  });

  test('H4 what is too old to be started is not said to start', async () => {
    const clock = createTestClock('2027-01-10T11:00:00Z');
    const store = clock.store();
    const list = [task({ name: 'a', cron: '0 12 * * *', run: () => {}, startWithin: minutes(5) })];
    const scheduler = createScheduler({ clock, store, timeZone: 'UTC' });
    await scheduler.initialize(list);
    await scheduler.stop();
    await clock.advance(minutes(62));
    assert.equal((await plan(store, list, { timeZone: 'UTC', at: clock.now() })).starts.length, 1);
    await clock.advance(minutes(10));
    assert.equal((await plan(store, list, { timeZone: 'UTC', at: clock.now() })).starts.length, 0);
  });

  test('I6 says that a guard would refuse the list', async () => {
    const clock = createTestClock(START);
    const store = clock.store();
    const list: Registration[] = Array.from({ length: 12 }, (_, at) => [`t${at}`, '0 0 1 1 *', () => {}, 0]);
    await createScheduler({ clock, store, timeZone: 'UTC' }).initialize(list);
    const refuses = async (left: number): Promise<boolean> =>
      (await plan(store, list.slice(0, left), { timeZone: 'UTC', at: clock.now() })).forgetsMost;
    assert.deepEqual([await refuses(6), await refuses(5), await refuses(0)], [false, true, true]);
    await clock.crash();
  });

  test('a store that is gone: from under a scheduler that runs, or with only its lock left', async (t) => {
    const path = join(await temporaryFolder(t), 'obbligato.db');
    const list: Registration[] = [['a', '0 0 1 1 *', () => {}, 0]];
    const session = await sqlite(path).open({ waitMs: 0 });
    rmSync(path);
    await assert.rejects(plan(path, list, { timeZone: 'UTC' }), { name: 'StoreMissingError', lock: 'held' });
    await session.close().catch(() => {}); // says that the file is gone
    assert.equal((await plan(path, list, { timeZone: 'UTC' })).owner, 'lost');
  });

  test('E6 a file with two names is refused, as a start refuses it', async (t) => {
    const path = join(await temporaryFolder(t), 'obbligato.db');
    await (await sqlite(path).open({ waitMs: 0 })).close();
    linkSync(path, `${path}-2`);
    const list: Registration[] = [['a', '0 0 1 1 *', () => {}, 0]];
    await assert.rejects(plan(path, list, { timeZone: 'UTC' }), { name: 'StoreSharedFileError' });
    assert.equal((await inspect(path)).refusal?.name, 'StoreSharedFileError');
  });

  test('D3 refuses the list that initialize would refuse', async () => {
    const clock = createTestClock(START);
    await assert.rejects(plan(clock.store(), [['a', '*/5 * * * *', () => {}, 0]], { timeZone: 'UTC' }), {
      name: 'CronExpressionInvalidError',
    });
  });
});

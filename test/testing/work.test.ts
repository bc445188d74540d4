/** The test clock waits for the real work of callbacks and stores. If it gives up, it warns. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type Callback,
  createScheduler,
  hours,
  memory,
  minutes,
  type Store,
  type StoreSession,
  seconds,
  sqlite,
} from '../../src/index.ts';
import { createTestClock, until } from '../../src/testing/index.ts';
import { PATIENT } from './moved-clock.ts';
import { warningsOf } from './warnings.ts';

const START = '2026-06-01T12:00:30Z';

const immediates = async (): Promise<void> => {
  for (let count = 0; count < 40; count++) await new Promise(setImmediate);
};
const file = (): Promise<unknown> => readFile(import.meta.filename);
const realTimer = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 3));

const real: readonly (readonly [string, Callback])[] = [
  ['goes round the event loop forty times', immediates],
  ['reads a file', file],
  ['waits for a real timer', realTimer],
];
for (const [what, work] of real) {
  test(`a callback that ${what} ends at the instant at which it began, each time`, async (t) => {
    const warnings = warningsOf(t);
    const clock = createTestClock(START, PATIENT);
    const ends: string[] = [];
    const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
    const callback: Callback = async (context) => {
      await work(context);
      ends.push(new Date(clock.now()).toISOString().slice(11, 19));
    };
    await scheduler.initialize([['r', '* * * * *', callback, 0]]);
    await clock.advance(minutes(30));
    const minutesOf = (count: number): string[] =>
      Array.from({ length: count }, (_, index) => `12:${String(index + 1).padStart(2, '0')}:00`);
    assert.deepEqual(ends, ['12:00:30', ...minutesOf(30)]);
    assert.deepEqual(warnings.all, []);
    await scheduler.stop();
  });
}

test('real work between two sleeps takes no time by the clock', async () => {
  const clock = createTestClock(START, PATIENT);
  const seen: number[] = [];
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  const callback = async (): Promise<void> => {
    for (const wait of [seconds(10), seconds(20)]) {
      await file();
      await clock.sleep(wait);
      await immediates();
      seen.push(clock.monotonic());
    }
  };
  await scheduler.initialize([['r', '0 12 * * *', callback, 0]]);
  await clock.advance(hours(1));
  assert.deepEqual(seen, [10_000, 30_000]);
  await scheduler.stop();
});

test('the clock also waits for a store that does not come from it, and a crash frees that store', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const store = sqlite(join(folder, 'state.db'));
  const clock = createTestClock(START, PATIENT);
  let starts = 0;
  await createScheduler({ clock, store, timeZone: 'UTC' }).initialize([
    ['r', '* * * * *', () => starts++, 0],
  ]);
  await clock.advance(minutes(10));
  assert.equal(starts, 11);
  await clock.crash();
  const next = createScheduler({ clock, store, timeZone: 'UTC' });
  await next.initialize([]);
  await next.stop();
});

test('the clock names a callback that is busy for too long, once, and time goes on', async (t) => {
  const warnings = warningsOf(t);
  const clock = createTestClock(START, { patience: 20 });
  let work = Promise.withResolvers<void>();
  let others = 0;
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  await scheduler.initialize([
    ['stuck', '* * * * *', () => work.promise, 0],
    ['other', '* * * * *', () => others++, 0],
  ]);
  await clock.advance(minutes(5));
  assert.equal(others, 6);
  assert.match(
    await warnings.next(),
    /^task "stuck" has been busy for 20 ms .* clock\.sleep\(duration\).* clock\.until\(promise\)/,
  );
  const first = work;
  work = Promise.withResolvers();
  first.resolve();
  await clock.advance(minutes(5));
  assert.equal(others, 11);
  work.resolve();
  await scheduler.stop();
  assert.equal(warnings.all.length, 1);
});

test('the clock does not wait for a promise that a callback leaves to the test with until', async (t) => {
  const warnings = warningsOf(t);
  const clock = createTestClock(START, { patience: 2 ** 31 - 1 });
  const work = Promise.withResolvers<string>();
  const got: string[] = [];
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  await scheduler.initialize([['r', '0 12 * * *', async () => got.push(await clock.until(work.promise)), 0]]);
  await clock.advance(minutes(5));
  assert.deepEqual(got, []);
  work.resolve('ended');
  await clock.settle();
  assert.deepEqual(got, ['ended']);
  assert.deepEqual(warnings.all, []);
  await scheduler.stop();
});

test('a callback may move the clock that it runs on', async () => {
  const clock = createTestClock(START, { patience: 2 ** 31 - 1 });
  const starts: number[] = [];
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  const callback = async (): Promise<void> => {
    starts.push(clock.monotonic());
    await clock.advance(minutes(5));
  };
  await scheduler.initialize([['r', '0 * * * *', callback, 0]]);
  await clock.advance(hours(1));
  assert.deepEqual(starts, [0, minutes(59.5)]);
  await scheduler.stop();
});

/** A store in memory. Each commit waits for something first. */
const slow = (first: () => Promise<void>): Store => {
  const inner = memory();
  return {
    location: 'slow',
    async open(options) {
      const session = await inner.open(options);
      const commit: StoreSession['commit'] = async (batch) => {
        await first();
        return session.commit(batch);
      };
      return { read: (names) => session.read(names), commit, close: () => session.close() };
    },
  };
};

test('E8 a store may take its time by the clock, and a store that never answers does not stop the clock', async (t) => {
  const warnings = warningsOf(t);
  for (const kind of ['slow', 'silent'] as const) {
    const clock = createTestClock(START, { patience: 20 });
    let isCalm = true;
    const store = slow(async () => {
      if (isCalm) return;
      if (kind === 'slow') await clock.sleep(seconds(7));
      else await new Promise(() => {});
    });
    const troubles: string[] = [];
    const scheduler = createScheduler({
      clock,
      store,
      timeZone: 'UTC',
      onEvent: ({ type, at }) => {
        if (type.startsWith('StoreTrouble'))
          troubles.push(`${type} ${new Date(at).toISOString().slice(14, 19)}`);
      },
    });
    await scheduler.initialize([['r', '1 12 * * *', () => {}, 0]]);
    isCalm = false;
    await clock.advance(seconds(38));
    const ended = kind === 'slow' ? ['StoreTroubleEnded 01:07'] : [];
    assert.deepEqual(troubles, ['StoreTroubleStarted 01:05', ...ended]);
    await clock.crash();
  }
  assert.match(await warnings.next(), /^store "slow" has been busy for 20 ms/);
  assert.equal(warnings.all.length, 1);
});

test('a task that fails at once and is retried at once holds up neither time nor other tasks, and is named in a warning', async (t) => {
  const warnings = warningsOf(t);
  const clock = createTestClock(START, PATIENT);
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  let healthy = 0;
  await scheduler.initialize([
    ['hopeless', '0 12 * * *', () => Promise.reject(new Error('on purpose')), 0],
    ['healthy', '* * * * *', () => healthy++, 0],
  ]);
  await clock.advance(minutes(10));
  assert.equal(healthy, 11);
  const [warning, ...others] = warnings.all;
  assert.match(warning, /^task "hopeless" was called 100 times at one instant/);
  assert.deepEqual(others, []);
  await scheduler.stop();
});

test('a callback whose answer throws when its `then` is read is over', async (t) => {
  const warnings = warningsOf(t);
  const clock = createTestClock(START, PATIENT);
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  const answer = Object.defineProperty({}, 'then', {
    get() {
      throw new Error('on purpose');
    },
  });
  await scheduler.initialize([['odd', '* * * * *', () => answer, hours(1)]]);
  await clock.advance(minutes(1));
  assert.deepEqual(warnings.all, []);
  await scheduler.stop();
});

test('until lets time go on for a callback that does not know its clock; without a clock it is the promise', async () => {
  const { promise, resolve } = Promise.withResolvers<string>();
  const seen: unknown[] = [];
  const callback = async (): Promise<void> => {
    seen.push(await until(promise), clock.now() - new Date(START).getTime());
  };
  const clock = createTestClock(START, { patience: hours(1) });
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  await scheduler.initialize([['held', '0 12 * * *', callback, 0]]);
  await clock.advance(minutes(5));
  assert.deepEqual(seen, []);
  resolve('ended by the test');
  await clock.settle();
  assert.deepEqual(seen, ['ended by the test', minutes(5)]);
  assert.equal(await until(promise), 'ended by the test');
  await scheduler.stop();
});

test('time that is burnt passes at once, and what falls into it is late', async () => {
  const clock = createTestClock(START, PATIENT);
  const late: number[] = [];
  const scheduler = createScheduler({
    clock,
    store: clock.store(),
    timeZone: 'UTC',
    onEvent: (event) => {
      if (event.type === 'TaskStartedLate') late.push(event.lateMs);
    },
  });
  await scheduler.initialize([['each', '1 * * * *', () => {}, 0]]);
  await clock.settle();
  clock.burn(minutes(2));
  assert.equal(new Date(clock.now()).toISOString(), '2026-06-01T12:02:30.000Z');
  await clock.advance(0);
  assert.deepEqual(late, [seconds(90)]);
  await scheduler.stop();
});

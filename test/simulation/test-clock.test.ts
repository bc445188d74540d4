/** The clock that users are given: time passes when it is told to, and everything in it has happened when it says so. */
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
import { createTestClock } from '../../src/simulation/index.ts';

const START = '2026-06-01T12:00:30Z';
const noop = (): void => {};

test('a week of a task that is due every hour is 169 starts, and takes no time', async (t) => {
  const clock = createTestClock(START);
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
  const clock = createTestClock(START);
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
  test(`A1, E6 a crash on ${kind}: what ran is orphaned, what was missed is due, and the dead write nothing`, async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'obbligato-'));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const clock = createTestClock(START);
    const store = clock.store(kind === 'sqlite' ? sqlite(join(folder, 'state.db')) : undefined);
    const reasons: string[] = [];
    const { promise: held, resolve } = Promise.withResolvers<void>();
    let lives = 0;
    const list = (): Registration[] => {
      const life = ++lives;
      const told = (name: string) => (reason: string) => reasons.push(`${life} ${name} ${reason}`);
      const heldOnce = ({ reason }: { reason: string }): unknown => {
        told('held')(reason);
        return life === 1 ? held : undefined;
      };
      return [
        ['held', '1 12 * * *', heldOnce, 0],
        ['missed', '5 12 * * *', ({ reason }) => void told('missed')(reason), 0],
      ];
    };
    await createScheduler({ clock, store, timeZone: 'UTC' }).initialize(list());
    await clock.advance(minutes(1));
    await clock.crash();
    resolve(); // the dead process's callback ends, and nobody hears of it
    await clock.advance(hours(1));
    const scheduler = createScheduler({ clock, store, timeZone: 'UTC' });
    await scheduler.initialize(list());
    await clock.settle();
    assert.deepEqual(reasons.sort(), ['1 held due', '2 held orphaned', '2 missed due']);
    await scheduler.stop();
  });
}

test('B5 a step is not time that passes', async () => {
  const clock = createTestClock(START);
  const starts: number[] = [];
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  await scheduler.initialize([['noon', '0 13 * * *', () => starts.push(clock.now()), 0]]);
  await clock.step(hours(1));
  assert.deepEqual(starts, []);
  await clock.advance(minutes(1));
  assert.equal(starts.length, 1);
  await scheduler.stop();
});

test('what makes no sense is refused, with what would', async () => {
  assert.throws(() => createTestClock('yesterday'), /"yesterday" is no instant: write it as/);
  const clock = createTestClock();
  await assert.rejects(clock.advance(-1), /time only passes forward/);
  await assert.rejects(clock.advance(Number.NaN), RangeError);
  assert.throws(() => clock.sleep(Number.NaN), /sleep takes a duration/);
  const scheduler = createScheduler({ clock, store: clock.store(), timeZone: 'UTC' });
  await scheduler.initialize([['idle', '0 0 1 1 *', noop, 0]]);
  await scheduler.stop();
});

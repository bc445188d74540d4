/** The database's clock, as an instance tells it between two heartbeats (K6). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerClock } from '../../../src/store/cluster/server-clock.ts';

const NOON = Date.UTC(2026, 0, 1, 12);

test('K6 time goes on between two readings, and the reading with the shortest round trip counts', () => {
  let monotonic = 1000;
  const clock = new ServerClock(() => monotonic);
  clock.read(NOON, 990, 1000);
  assert.equal(clock.now(), NOON + 5);
  monotonic += 2000;
  assert.equal(clock.now(), NOON + 2005);
  // The answer took long: the instant lies anywhere in a second.
  clock.read(NOON + 1000, 2000, 3000);
  assert.equal(clock.now(), NOON + 2005);
  clock.read(NOON + 1999, 2998, 3000);
  assert.equal(clock.now(), NOON + 2005, 'it does not go back by some milliseconds');
  monotonic += 100;
  assert.equal(clock.now(), NOON + 2100);
});

test('K6 a step of the clock of the database is followed at once, in either direction', () => {
  let monotonic = 0;
  const clock = new ServerClock(() => monotonic);
  clock.read(NOON, 0, 0);
  for (const at of [NOON + 3_600_000, NOON - 3_600_000]) {
    monotonic += 2000;
    clock.read(at, monotonic - 500, monotonic);
    assert.equal(clock.now(), at + 250);
  }
});

test('K6 an instance that stood still while it first read the clock reads again; where every reading takes long, it goes on', async () => {
  const readings = async (trips: readonly number[]): Promise<readonly [number, number]> => {
    let monotonic = 0;
    let count = 0;
    const clock = new ServerClock(() => monotonic);
    await clock.begin(async () => {
      const sentAt = monotonic;
      monotonic += trips[count++];
      clock.read(NOON + sentAt, sentAt, monotonic);
    });
    return [count, clock.now() - NOON - monotonic];
  };
  assert.deepEqual(await readings([40]), [1, -20]);
  assert.deepEqual(await readings([12_000, 40]), [2, -20]);
  assert.deepEqual(await readings([3000, 2000, 3000, 2500, 40]), [4, -1000]);
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { dateOf, dayNumber, dayOf, monthLength, monthOf, weekdayOf, yearOf } from '../../src/time/civil.ts';

const DAY_MS = 86_400_000;
const anyDay = fc.oneof(fc.integer({ min: -1e8, max: 1e8 }), fc.integer({ min: -300_000, max: 300_000 }));

describe('the calendar in integers', () => {
  test('agrees with Date on every day from 1583 to 2400', () => {
    for (let day = dayNumber(1583, 1, 1); day <= dayNumber(2400, 12, 31); day++) agreesWithDate(day);
  });

  test('agrees with Date over its whole range', () => {
    fc.assert(fc.property(anyDay, agreesWithDate), { numRuns: 20_000 });
    for (const day of [-1e8, -1e8 + 1, -1, 0, 1, 1e8 - 1, 1e8]) agreesWithDate(day);
  });

  test('knows how long a month is', () => {
    for (let year = 1896; year <= 2104; year++) {
      for (let month = 1; month <= 12; month++) {
        assert.equal(
          monthLength(year, month),
          new Date(Date.UTC(year, month, 0)).getUTCDate(),
          `${year}-${month}`,
        );
      }
    }
  });
});

function agreesWithDate(day: number): void {
  const expected = new Date(day * DAY_MS);
  const date = dateOf(day);
  const found = [yearOf(date), monthOf(date), dayOf(date), weekdayOf(day)];
  assert.deepEqual(found, [
    expected.getUTCFullYear(),
    expected.getUTCMonth() + 1,
    expected.getUTCDate(),
    expected.getUTCDay(),
  ]);
  assert.equal(dayNumber(found[0], found[1], found[2]), day);
}

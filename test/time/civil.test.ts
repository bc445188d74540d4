import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dateOf, lengthOf, MONTHS_PER_CYCLE, monthAt } from '../../src/time/civil.ts';
import { fc } from '../property.ts';

const DAY_MS = 86_400_000;

describe('the calendar as a table', () => {
  test('agrees with Date on every day of 1583 to 2800', () => {
    for (let day = Date.UTC(1583, 0, 1) / DAY_MS; day < Date.UTC(2801, 0, 1) / DAY_MS; day++)
      agreesWithDate(day);
  });

  test('agrees with Date over its whole range', () => {
    fc.assert(fc.property(fc.integer({ min: -1e8, max: 1e8 }), agreesWithDate), { numRuns: 20_000 });
    for (const day of [-1e8, -1e8 + 1, -1, 0, 1, 1e8 - 1, 1e8]) agreesWithDate(day);
  });

  test('knows how long every month of a cycle is', () => {
    for (let position = 0; position < MONTHS_PER_CYCLE; position++) {
      const lastDay = new Date(Date.UTC(2000, position + 1, 0));
      assert.equal(lengthOf(monthAt(position)), lastDay.getUTCDate(), lastDay.toISOString());
    }
  });
});

function agreesWithDate(day: number): void {
  const date = new Date(day * DAY_MS);
  const found = dateOf(day);
  const same =
    found.year === date.getUTCFullYear() &&
    found.month === date.getUTCMonth() + 1 &&
    found.day === date.getUTCDate() &&
    found.weekday === date.getUTCDay();
  assert.ok(same, `${date.toISOString()} is not ${JSON.stringify(found)}`);
}

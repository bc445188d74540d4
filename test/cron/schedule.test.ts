/** What must not happen: these schedules and zones cannot be made by the public door. Each search must end all the same. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compile, isSatisfiable } from '../../src/cron/compile.ts';
import { nextDue, previousDue } from '../../src/cron/due.ts';
import { minuteFrom, minuteUpTo } from '../../src/cron/schedule.ts';
import { Zone } from '../../src/time/zone.ts';

function compiled(expression: string): NonNullable<ReturnType<typeof compile>> {
  const schedule = compile(expression);
  assert.ok(schedule !== undefined);
  return schedule;
}

test('B2 a clock that is set by nearly two days hides no due that is far away', () => {
  const HOUR = 3_600_000;
  const change = Date.UTC(2026, 2, 1);
  const back = change + 11 * HOUR;
  /** Twenty hours behind UTC, for eleven hours twenty ahead of it, then as UTC. */
  const zone = new Zone('x', () => 0);
  zone.at = (instant) => {
    if (instant < change) return { start: Number.NEGATIVE_INFINITY, end: change, offset: -20 * HOUR };
    if (instant < back) return { start: change, end: back, offset: 20 * HOUR };
    return { start: back, end: Number.POSITIVE_INFINITY, offset: 0 };
  };
  // 06:00 of 2 March comes ten hours after the first change, and again, by UTC, twenty hours later.
  const schedule = compiled('0 6 2 3 *');
  assert.equal(nextDue(schedule, zone, change - 240 * HOUR), change + 10 * HOUR);
  assert.equal(nextDue(schedule, zone, change + 10 * HOUR), change + 30 * HOUR);
});

test('B2 nor one that is far back', () => {
  const HOUR = 3_600_000;
  const change = Date.UTC(2026, 2, 1);
  const before = change - 11 * HOUR;
  /** As UTC, then for eleven hours twenty behind it, then twenty hours ahead of it. */
  const zone = new Zone('x', () => 0);
  zone.at = (instant) => {
    if (instant < before) return { start: Number.NEGATIVE_INFINITY, end: before, offset: 0 };
    if (instant < change) return { start: before, end: change, offset: -20 * HOUR };
    return { start: change, end: Number.POSITIVE_INFINITY, offset: 20 * HOUR };
  };
  // 18:00 of 27 February comes by UTC, and again ten hours before the second change.
  const schedule = compiled('0 18 27 2 *');
  assert.equal(previousDue(schedule, zone, change + 240 * HOUR), change - 10 * HOUR);
});

describe('a search that cannot end says so', () => {
  test('C3 a schedule that never matches, had the parser let it through', () => {
    for (const expression of ['0 0 30 2 *', '0 0 31 2,4,6,9,11 *']) {
      const schedule = compiled(expression);
      assert.equal(isSatisfiable(schedule), false);
      assert.throws(() => minuteFrom(schedule, 0), /Internal error: .*no day of the next chosen months/);
      assert.throws(() => minuteUpTo(schedule, 0), /Internal error: .*no day of the next chosen months/);
    }
  });

  test('C3 the longest wait there is does not count as one: 29 February, 1896 to 1904, from every month', () => {
    const schedule = compiled('0 0 29 2 *');
    const minuteOf = (year: number, month: number, day: number): number =>
      Date.UTC(year, month, day) / 60_000;
    for (let month = 2; month < 96; month++) {
      assert.equal(minuteFrom(schedule, minuteOf(1896, month, 1)), minuteOf(1904, 1, 29));
      assert.equal(minuteUpTo(schedule, minuteOf(1896, month, 1)), minuteOf(1896, 1, 29));
    }
  });

  test('B2 a zone that gives the same segment again and again', () => {
    const day = 86_400_000;
    const zone = new Zone('x', () => 0);
    zone.at = () => ({ start: -day, end: day, offset: 0 });
    const schedule = compiled('0 0 1 6 *');
    assert.throws(() => nextDue(schedule, zone, 0), /Internal error: .*zone x/);
    assert.throws(() => previousDue(schedule, zone, 0), /Internal error: .*zone x/);
  });
});

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

describe('a search that cannot end says so', () => {
  test('C3 a schedule that never matches, had the parser let it through', () => {
    for (const expression of ['0 0 30 2 *', '0 0 31 2,4,6,9,11 *']) {
      const schedule = compiled(expression);
      assert.equal(isSatisfiable(schedule), false);
      assert.throws(() => minuteFrom(schedule, 0), /Internal error: .*no day of nine years/);
      assert.throws(() => minuteUpTo(schedule, 0), /Internal error: .*no day of nine years/);
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

/** B5 as pure functions: what a clock that was set back does to a cursor and to a deadline. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cursorAfterStep, deadlineAfterStep } from '../../src/core/clock-step.ts';
import { fc } from '../property.ts';

const NOW = 1_000_000_000;
const MINUTE = 60_000;
const HOUR = 3_600_000;

describe('B5 the cursor', () => {
  const cases: ReadonlyArray<readonly [aheadMs: number, cron: string, moves: boolean]> = [
    [-HOUR, '* * * * *', false],
    [0, '* * * * *', false],
    [1, '* * * * *', false],
    [MINUTE, '* * * * *', false],
    [MINUTE + 1, '* * * * *', true],
    [MINUTE + 1, '30 * * * *', true],
    [MINUTE + 1, '0 12 * * *', false],
    [MINUTE + 1, '0 0-23 * * *', false],
    [3 * HOUR, '* * * * *', true],
    [3 * HOUR, '0 12 * * *', false],
    [3 * HOUR + 1, '0 12 * * *', true],
    [365 * 24 * HOUR, '0 12 * * *', true],
    [2 * HOUR, ' \t5,6\t* * * *', true],
    [2 * HOUR, '* 5 * * *', false],
  ];
  for (const [ahead, cron, moves] of cases) {
    test(`B5 ${ahead} ms ahead, "${cron}": it ${moves ? 'moves to now' : 'stays'}`, () => {
      assert.equal(cursorAfterStep(NOW + ahead, NOW, cron), moves ? NOW : NOW + ahead);
    });
  }

  test('B5 looking twice changes nothing more, and a cursor never moves forward', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), fc.maxSafeInteger(), fc.boolean(), (cursor, now, everyHour) => {
        const cron = everyHour ? '0 * * * *' : '0 1 * * *';
        const moved = cursorAfterStep(cursor, now, cron);
        assert.ok(moved <= cursor);
        assert.equal(cursorAfterStep(moved, now, cron), moved);
        assert.ok(moved - now <= 3 * HOUR);
      }),
    );
  });
});

describe('B5 the deadline', () => {
  test('B5 one that is not farther away than its delay stays', () => {
    assert.equal(deadlineAfterStep(NOW + 500, NOW - 500, 1000, NOW), NOW + 500);
    assert.equal(deadlineAfterStep(NOW + 1000, NOW, 1000, NOW), NOW + 1000);
    assert.equal(deadlineAfterStep(NOW - 1, NOW - 1001, 1000, NOW), NOW - 1);
  });

  test('B5 one that is farther away becomes now + its delay, the one under which it failed', () => {
    assert.equal(deadlineAfterStep(NOW + HOUR + 1000, NOW + HOUR, 5, NOW), NOW + 1000);
    assert.equal(deadlineAfterStep(NOW + 1001, NOW + 1, 5, NOW), NOW + 1000);
  });

  test('B5 stepped back again before it is served: the delay of the registration has to do', () => {
    assert.equal(deadlineAfterStep(NOW + 5000, NOW + HOUR, 1000, NOW), NOW + 1000);
  });

  test('B5 a deadline that a step has moved is not moved again by a later reading', () => {
    const [failedAt, steppedTo] = [NOW + HOUR / 2, NOW];
    const moved = deadlineAfterStep(failedAt + HOUR, failedAt, HOUR, steppedTo);
    assert.equal(moved, NOW + HOUR);
    assert.equal(deadlineAfterStep(moved, failedAt, HOUR, steppedTo + 60_000), moved);
  });

  test('B5 it is never farther away than the delay afterwards, nor later than it was', () => {
    const instant = fc.integer({ min: 0, max: 10 ** 12 });
    fc.assert(
      fc.property(instant, fc.integer({ min: 0, max: 10 ** 9 }), instant, (failedAt, delay, now) => {
        const moved = deadlineAfterStep(failedAt + delay, failedAt, delay, now);
        assert.ok(moved <= now + delay);
        assert.ok(moved <= failedAt + delay);
      }),
    );
  });
});

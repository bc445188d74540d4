import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type CronExpression, InvalidCronExpressionError, parseCron } from '../../src/cron/index.ts';
import { civilMinutes, naiveMatcher, wallClock } from '../oracle/brute-force.ts';
import { fc } from '../property.ts';
import { instant, strictExpression } from './generators.ts';

const MINUTE = 60_000;
const zone = fc.constantFrom(
  'UTC',
  'Europe/Stockholm',
  'Australia/Lord_Howe',
  'America/Santiago',
  'Pacific/Apia',
  'Africa/Monrovia',
  'Africa/Casablanca',
  'Asia/Kathmandu',
);

/** The expression, or undefined if it is one that is never due. */
function parseUnlessNeverDue(expression: string, timeZone: string): CronExpression | undefined {
  try {
    return parseCron(expression, { timeZone });
  } catch (error) {
    if (error instanceof InvalidCronExpressionError && /never due/.test(error.reason)) return undefined;
    throw error;
  }
}

describe('properties of next and previous', () => {
  const property = (check: (cron: CronExpression, at: Date) => void): void => {
    fc.assert(
      fc.property(strictExpression, zone, instant, (expression, timeZone, at) => {
        const cron = parseUnlessNeverDue(expression, timeZone);
        if (cron !== undefined) check(cron, new Date(at));
      }),
      { numRuns: 5000 },
    );
  };

  test('B4 previous ≤ at < next', () => {
    property((cron, at) => {
      assert.ok(cron.previous(at) <= at);
      assert.ok(at < cron.next(at));
    });
  });

  test('B4 nothing lies between: next(previous(t)) is next(t) and previous(next(t)) is next(t)', () => {
    property((cron, at) => {
      const next = cron.next(at);
      assert.deepEqual(cron.next(cron.previous(at)), next);
      assert.deepEqual(cron.previous(next), next);
      assert.deepEqual(cron.previous(new Date(next.getTime() - 1)), cron.previous(at));
    });
  });

  test('B3 every result matches, for the whole of its minute', () => {
    property((cron, at) => {
      for (const due of [cron.next(at), cron.previous(at)]) {
        assert.ok(cron.matches(due));
        assert.ok(cron.matches(new Date(due.getTime() + 999)));
      }
    });
  });

  test('B3 matches agrees with what the wall clock shows, at any instant and around the due ones', (t) => {
    const clocks = new Map<string, ReturnType<typeof wallClock>>();
    const counts = { true: 0, false: 0 };
    property((cron, at) => {
      const clock = clocks.get(cron.timeZone) ?? wallClock(cron.timeZone);
      clocks.set(cron.timeZone, clock);
      const shouldMatch = naiveMatcher(cron.expression);
      const due = cron.next(at).getTime();
      // A minute, an hour, a day and a month from a due instant, all fields but one still match.
      const near = [0, 1, 60, 1440, 43_200].flatMap((minutes) => [
        due + minutes * MINUTE,
        due - minutes * MINUTE,
      ]);
      for (const instant of [at.getTime(), due - 1, ...near]) {
        const expected = shouldMatch(clock(instant));
        assert.equal(cron.matches(new Date(instant)), expected, new Date(instant).toISOString());
        counts[`${expected}`]++;
      }
    });
    t.diagnostic(`${counts.true} matches and ${counts.false} others`);
    assert.ok(counts.true > 3000 && counts.false > 3000);
  });

  test('occurrences are strictly increasing and are what next says, one after the other', () => {
    property((cron, at) => {
      let last = at;
      for (const due of cron.occurrences(at).take(5)) {
        assert.ok(due > last);
        assert.deepEqual(due, cron.next(last));
        last = due;
      }
    });
  });

  test('next agrees with looking at every minute of two days, one by one', (t) => {
    let minutesLookedAt = 0;
    fc.assert(
      fc.property(strictExpression, zone, instant, (expression, timeZone, at) => {
        const cron = parseUnlessNeverDue(expression, timeZone);
        if (cron === undefined) return;
        const until = at + 2 * 1440 * MINUTE;
        const minutes = civilMinutes(timeZone, at + 1, until);
        minutesLookedAt += minutes.length;
        const expected = minutes.find(naiveMatcher(expression))?.instant;
        const next = cron.next(new Date(at)).getTime();
        if (expected === undefined) assert.ok(next >= until);
        else assert.equal(next, expected);
      }),
      { numRuns: 150 },
    );
    t.diagnostic(`${minutesLookedAt} minutes looked at`);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { type CronExpression, InvalidCronExpressionError, parseCron } from '../../src/cron/index.ts';
import { civilMinutes, naiveMatcher } from '../oracle/brute-force.ts';
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

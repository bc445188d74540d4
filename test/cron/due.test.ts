import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CronCalculationError, parseCron } from '../../src/cron/index.ts';

/** The due instants of an expression from one instant to before another. */
function dueBetween(expression: string, timeZone: string, from: string, to: string): string[] {
  const due: string[] = [];
  for (const instant of parseCron(expression, { timeZone }).occurrences(
    new Date(new Date(from).getTime() - 1),
  )) {
    if (instant >= new Date(to)) break;
    due.push(instant.toISOString().replace(':00.000Z', 'Z'));
  }
  return due;
}

describe('B1 skipped and repeated minutes', () => {
  test('B1 a skipped minute has no instant: Stockholm, 28 March 2027, 02:30', () => {
    assert.deepEqual(dueBetween('30 2 * * *', 'Europe/Stockholm', '2027-03-27T00:00Z', '2027-03-30T00:00Z'), [
      '2027-03-27T01:30Z',
      '2027-03-29T00:30Z',
    ]);
  });

  test('B1 a repeated minute is due twice: Stockholm, 31 October 2027, 02:30', () => {
    assert.deepEqual(dueBetween('30 2 * * *', 'Europe/Stockholm', '2027-10-30T12:00Z', '2027-11-01T12:00Z'), [
      '2027-10-31T00:30Z',
      '2027-10-31T01:30Z',
      '2027-11-01T01:30Z',
    ]);
  });

  test('B1 nothing is shifted: the hour after the gap keeps its own minutes only', () => {
    assert.deepEqual(
      dueBetween('0,30 2,3 * * *', 'Europe/Stockholm', '2027-03-28T00:00Z', '2027-03-28T12:00Z'),
      ['2027-03-28T01:00Z', '2027-03-28T01:30Z'],
    );
  });

  test('B1 every minute is due exactly once a real minute, through both changes', () => {
    for (const day of ['2027-03-28', '2027-10-31']) {
      const due = dueBetween('* * * * *', 'Europe/Stockholm', `${day}T00:00Z`, `${day}T04:00Z`);
      assert.equal(due.length, 240);
      assert.equal(new Set(due).size, 240);
    }
  });

  test('B1 a minute whose second 0 was skipped has no instant: Monrovia, 7 January 1972', () => {
    // At 00:00:00 local the clock went to 00:44:30.
    assert.deepEqual(
      dueBetween('44,45 0 * * *', 'Africa/Monrovia', '1972-01-06T00:00Z', '1972-01-08T00:00Z'),
      ['1972-01-06T01:28:30.000Z', '1972-01-06T01:29:30.000Z', '1972-01-07T00:45Z'],
    );
  });
});

describe('B2 zones', () => {
  test('B2 half an hour: Lord Howe, 4 April 2027, 01:45 twice; 3 October 2027, 02:15 not at all', () => {
    assert.deepEqual(
      dueBetween('45 1 * * *', 'Australia/Lord_Howe', '2027-04-03T12:00Z', '2027-04-04T12:00Z'),
      ['2027-04-03T14:45Z', '2027-04-03T15:15Z'],
    );
    assert.deepEqual(
      dueBetween('15 2 * * *', 'Australia/Lord_Howe', '2027-10-02T00:00Z', '2027-10-03T12:00Z'),
      [],
    );
  });

  test('B2 a whole skipped day: Apia, 30 December 2011', () => {
    assert.deepEqual(dueBetween('0 12 * * *', 'Pacific/Apia', '2011-12-29T00:00Z', '2011-12-31T12:00Z'), [
      '2011-12-29T22:00Z',
      '2011-12-30T22:00Z',
    ]);
    assert.deepEqual(dueBetween('0 12 30 12 *', 'Pacific/Apia', '2011-01-01T00:00Z', '2013-01-01T00:00Z'), [
      '2012-12-29T22:00Z',
    ]);
  });

  test('B2 a gap at midnight: Santiago, 5 September 2027', () => {
    assert.deepEqual(
      dueBetween('0,59 0,23 * * *', 'America/Santiago', '2027-09-04T12:00Z', '2027-09-05T12:00Z'),
      ['2027-09-05T03:00Z', '2027-09-05T03:59Z'],
    );
  });

  test('B2 offsets that are not whole hours: Kathmandu', () => {
    assert.deepEqual(dueBetween('0 6 * * *', 'Asia/Kathmandu', '2026-01-01T00:00Z', '2026-01-02T00:00Z'), [
      '2026-01-01T00:15Z',
    ]);
  });

  test('B2 the host’s zone by default', () => {
    // Told by Date, not by Intl, whose name for the host's zone can be another or none: see test/time/host.test.ts.
    const cron = parseCron('34 6 * * *');
    for (const due of cron.occurrences(new Date('2026-06-01T12:34:56Z')).take(200)) {
      assert.deepEqual([due.getHours(), due.getMinutes()], [6, 34]);
    }
    assert.equal(parseCron('34 6 * * *', { timeZone: undefined }).timeZone, cron.timeZone);
  });
});

describe('B4 next and previous', () => {
  const cron = parseCron('0 12 * * *', { timeZone: 'UTC' });
  const noon = new Date('2026-06-01T12:00:00.000Z');
  const at = (iso: string): Date => new Date(iso);

  test('B4 next is strictly after', () => {
    assert.deepEqual(cron.next(noon), at('2026-06-02T12:00:00Z'));
    assert.deepEqual(cron.next(at('2026-06-01T11:59:59.999Z')), noon);
  });

  test('B4 previous includes the instant itself', () => {
    assert.deepEqual(cron.previous(noon), noon);
    assert.deepEqual(cron.previous(at('2026-06-01T11:59:59.999Z')), at('2026-05-31T12:00:00Z'));
  });

  test('B3, B4 a match lasts the whole minute and no longer', () => {
    assert.equal(cron.matches(at('2026-06-01T12:00:00.000Z')), true);
    assert.equal(cron.matches(at('2026-06-01T12:00:59.999Z')), true);
    assert.equal(cron.matches(at('2026-06-01T12:01:00.000Z')), false);
    assert.equal(cron.matches(at('2026-06-01T11:59:59.999Z')), false);
  });

  test('the argument is not changed, and every result is a new Date', () => {
    const first = cron.previous(noon);
    first.setFullYear(1999);
    assert.equal(noon.toISOString(), '2026-06-01T12:00:00.000Z');
    assert.deepEqual(cron.previous(noon), noon);
  });

  test('what is no valid Date is refused', () => {
    for (const method of ['next', 'previous', 'matches'] as const) {
      assert.throws(() => cron[method](new Date(Number.NaN)), {
        name: 'RangeError',
        message: /Invalid Date/,
      });
      assert.throws(() => Reflect.apply(cron[method], cron, [0]), {
        name: 'TypeError',
        message: /is a Date; got 0/,
      });
      assert.throws(() => Reflect.apply(cron[method], cron, []), {
        name: 'TypeError',
        message: /got undefined/,
      });
    }
  });
});

describe('far answers', () => {
  test('29 February is found across a century that is no leap year, both ways', () => {
    const cron = parseCron('0 0 29 2 *', { timeZone: 'America/New_York' });
    assert.equal(cron.next(new Date('2096-03-01T00:00Z')).toISOString(), '2104-02-29T05:00:00.000Z');
    assert.equal(cron.previous(new Date('1904-02-28T00:00Z')).toISOString(), '1896-02-29T05:00:00.000Z');
    assert.equal(cron.next(new Date('2000-02-01T00:00Z')).toISOString(), '2000-02-29T05:00:00.000Z');
  });

  test('B1 a repeated minute far back is found at its second coming: Stockholm, 31 October 2027', () => {
    const cron = parseCron('30 2 31 10 *', { timeZone: 'Europe/Stockholm' });
    assert.equal(cron.previous(new Date('2028-07-01T00:00Z')).toISOString(), '2027-10-31T01:30:00.000Z');
    assert.equal(cron.next(new Date('2027-07-01T00:00Z')).toISOString(), '2027-10-31T00:30:00.000Z');
  });

  test('B1 a minute that was skipped fourteen years running is found beyond them: Asuncion, 1975 to 1988', () => {
    const cron = parseCron('30 0 1 10 *', { timeZone: 'America/Asuncion' });
    assert.equal(cron.next(new Date('1975-06-01T00:00Z')).toISOString(), '1989-10-01T04:30:00.000Z');
    assert.equal(cron.previous(new Date('1989-01-01T00:00Z')).toISOString(), '1974-10-01T04:30:00.000Z');
  });

  test('B1 where the clock goes back by less than eight minutes: Los Angeles, 18 November 1883', () => {
    // At 12:07:02 of local mean time, which was 20:00:00Z, the clock went back to 12:00:00.
    const cron = parseCron('7 12 * * *', { timeZone: 'America/Los_Angeles' });
    assert.equal(cron.previous(new Date('1883-11-18T20:00:00Z')).toISOString(), '1883-11-18T19:59:58.000Z');
  });

  test('years far from ours are no slower and no less right', () => {
    const cron = parseCron('30 2 * 3 0', { timeZone: 'America/New_York' });
    assert.equal(cron.next(new Date('+150000-03-05T12:00:00Z')).toISOString(), '+150000-03-19T06:30:00.000Z');
    assert.equal(cron.previous(new Date('-050000-03-20T12:00:00Z')).getUTCMonth(), 2);
  });

  test('where Date ends, next and previous say so and occurrences end', () => {
    for (const timeZone of ['UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago']) {
      const cron = parseCron('0 0 1 1 *', { timeZone });
      const last = new Date(8.64e15);
      const first = new Date(-8.64e15);
      assert.throws(
        () => cron.next(last),
        (error) => {
          assert.ok(error instanceof CronCalculationError);
          assert.equal(error.currentTime, '+275760-09-13T00:00:00.000Z');
          assert.equal(error.expression, '0 0 1 1 *');
          assert.match(
            error.message,
            /^Failed to calculate next occurrence: there is no due instant after \+275760/,
          );
          return true;
        },
      );
      assert.throws(() => cron.previous(first), CronCalculationError);
      assert.deepEqual(cron.occurrences(last).toArray(), []);
      assert.ok(cron.previous(last) < last);
      assert.ok(cron.next(first) > first);
      assert.equal(cron.occurrences(new Date('+275755-06-01T00:00:00Z')).toArray().length, 5);
    }
  });
});

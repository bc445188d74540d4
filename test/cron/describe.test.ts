import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseCron } from '../../src/cron/index.ts';

const from = new Date('2026-11-15T12:00:00Z');
const sentences = (expression: string, timeZone = 'UTC'): string[] =>
  parseCron(expression, { timeZone })
    .describe({ from })
    .split(/(?<=\.) /);

describe('describe()', () => {
  const when: ReadonlyArray<readonly [string, string]> = [
    ['* * * * *', 'Every minute'],
    ['0 * * * *', 'Every hour on the hour'],
    ['5 * * * *', 'At minute 5 of every hour'],
    ['0,15,30,45 * * * *', 'Every 15 minutes'],
    ['5,20,35,50 * * * *', 'Every 15 minutes from minute 5 of each hour'],
    ['1,2,3,30 * * * *', 'At minutes 1 to 3 and 30 of every hour'],
    ['30 2 * * *', 'At 02:30 every day'],
    ['0,30 6,18 * * *', 'At 06:00, 06:30, 18:00 and 18:30 every day'],
    ['0,30 9-17 * * 1-5', 'Every 30 minutes from 09:00 to 17:30 on Monday to Friday'],
    ['* 9 * * *', 'Every minute of hour 9 every day'],
    ['* 9-10 * * *', 'Every minute from 09:00 to 10:59 every day'],
    ['3,9 1,4,8,12-15 * * 0,6', 'At minutes 3 and 9 of hours 1, 4, 8 and 12 to 15 on Sunday and Saturday'],
    ['0 0 1,2,3,11,22,23,31 * *', 'At 00:00 on the 1st to 3rd, 11th, 22nd, 23rd and 31st of the month'],
    ['0 0 1-15 * *', 'At 00:00 on the 1st to 15th of the month'],
    ['0 12 14 2 *', 'At 12:00 on the 14th of February'],
    ['0 0 1,15 1 *', 'At 00:00 on the 1st and 15th of January'],
    ['0 0 1 1,7 *', 'At 00:00 on the 1st of the month in January and July'],
    ['0 9 * 5 1-5', 'At 09:00 on Monday to Friday in May'],
    ['* * * 5 *', 'Every minute in May'],
    ['0 12 * 1,3-5 *', 'At 12:00 every day in January and March to May'],
    ['0 0 1-31 * 1', 'At 00:00 every day'],
    ['* * * * 1', 'Every minute on Monday'],
  ];
  for (const [expression, expected] of when) {
    test(`${expression}: ${expected}`, () => {
      assert.equal(sentences(expression)[0], `${expected}, UTC time.`);
    });
  }

  test('C2 names the OR rule where it holds', () => {
    assert.equal(
      sentences('0 12 13 * 5')[0],
      'At 12:00 on the 13th of the month, and also on Friday (day and weekday are both given, so either is enough), UTC time.',
    );
  });

  test('C2 says in which months, for the day and for the weekday', () => {
    const why = '(day and weekday are both given, so either is enough), UTC time.';
    assert.equal(
      sentences('0 12 13 6 5')[0],
      `At 12:00 on the 13th of June, and also on Friday in June ${why}`,
    );
    assert.equal(
      sentences('0 12 13 6,7 5')[0],
      `At 12:00 on the 13th of the month in June and July, and also on Friday in June and July ${why}`,
    );
  });

  test('B1 says what the next two clock changes do: skipped and doubled', () => {
    assert.deepEqual(sentences('30 2 * * *', 'Europe/Stockholm').slice(1), [
      'On Sunday 28 March 2027 at 02:00 the clock goes forward to 03:00: 02:30 does not exist then and is skipped.',
      'On Sunday 31 October 2027 at 03:00 the clock goes back to 02:00: 02:30 happens twice and is due both times.',
    ]);
  });

  test('B1 says so where they do nothing', () => {
    assert.deepEqual(sentences('0 6 * * *', 'Europe/Stockholm').slice(1), [
      'On Sunday 28 March 2027 at 02:00 the clock goes forward to 03:00, which changes nothing here.',
      'On Sunday 31 October 2027 at 03:00 the clock goes back to 02:00, which changes nothing here.',
    ]);
  });

  test('B1 counts where there are many', () => {
    assert.match(
      sentences('* * * * *', 'America/New_York')[1],
      /60 of its minutes \(02:00 to 02:59\) do not exist then and are skipped/,
    );
  });

  test('B2 tells the day where a change crosses midnight, and a whole day that is skipped', () => {
    assert.match(
      sentences('30 23 * * *', 'America/Santiago')[1],
      /On Sunday 4 April 2027 at 00:00 the clock goes back to 23:00 of Saturday 3 April 2027: 23:30 happens twice/,
    );
    assert.match(
      parseCron('0 0 30 12 *', { timeZone: 'Pacific/Apia' }).describe({
        from: new Date('2011-12-01T00:00Z'),
      }),
      /On Friday 30 December 2011 at 00:00 the clock goes forward to 00:00 of Saturday 31 December 2011: 00:00 does not exist/,
    );
  });

  test('B1 tells the seconds of a change that has some', () => {
    const text = parseCron('44 0 * * *', { timeZone: 'Africa/Monrovia' }).describe({
      from: new Date('1971-12-01T00:00Z'),
    });
    assert.match(
      text,
      /On Friday 7 January 1972 at 00:00 the clock goes forward to 00:44:30: 00:44 does not exist then and is skipped\./,
    );
  });

  test('B2 names the zone as it was given', () => {
    assert.deepEqual(sentences('0 6 * * *', 'asia/kolkata'), ['At 06:00 every day, Asia/Kolkata time.']);
  });

  test('B2 says nothing of clocks that do not change', () => {
    for (const zone of ['Asia/Tokyo', 'UTC']) assert.equal(sentences('0 6 * * *', zone).length, 1);
  });

  test('speaks of the changes after now unless told otherwise', () => {
    const cron = parseCron('0 6 * * *', { timeZone: 'Europe/Stockholm' });
    const year = (text: string): number => Number(/\b20\d\d\b/.exec(text)?.[0]);
    assert.ok([0, 1].includes(year(cron.describe()) - new Date().getUTCFullYear()));
  });
});

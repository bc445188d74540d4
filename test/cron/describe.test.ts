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
    ['0 0 1,2,3,11,22,23,31 * *', 'At 00:00 on the 1st, 2nd, 3rd, 11th, 22nd, 23rd and 31st of the month'],
    ['0 12 14 2 *', 'At 12:00 on the 14th of the month in February'],
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

  test('B2 says so where the clocks do not change', () => {
    assert.deepEqual(sentences('0 6 * * *', 'Asia/Tokyo').slice(1), [
      'The clocks of Asia/Tokyo do not change in the next ten years.',
    ]);
  });

  test('speaks of the changes after now unless told otherwise', () => {
    const cron = parseCron('0 6 * * *', { timeZone: 'Europe/Stockholm' });
    const year = (text: string): number => Number(/\b20\d\d\b/.exec(text)?.[0]);
    assert.ok([0, 1].includes(year(cron.describe()) - new Date().getUTCFullYear()));
  });
});

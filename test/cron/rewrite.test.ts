import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { InvalidCronExpressionError, parseCron, rewriteCron } from '../../src/cron/index.ts';

/** [what somebody wrote, the field that is refused, what the reason tells them to write, the whole rewrite] */
const forms: ReadonlyArray<readonly [string, string, string, string]> = [
  ['*/15 * * * *', 'minute', '0,15,30,45', '0,15,30,45 * * * *'],
  ['5-20/5 * * * *', 'minute', '5,10,15,20', '5,10,15,20 * * * *'],
  ['5/15 * * * *', 'minute', '5,20,35,50', '5,20,35,50 * * * *'],
  ['*/1 * * * *', 'minute', '*', '* * * * *'],
  ['*/60 * * * *', 'minute', '0', '0 * * * *'],
  ['0 */6 * * *', 'hour', '0,6,12,18', '0 0,6,12,18 * * *'],
  ['0 0 */10 * *', 'day', '1,11,21,31', '0 0 1,11,21,31 * *'],
  ['0 0 1 */3 *', 'month', '1,4,7,10', '0 0 1 1,4,7,10 *'],
  ['0 0 * * mon', 'weekday', '1', '0 0 * * 1'],
  ['0 0 * * MON-FRI', 'weekday', '1-5', '0 0 * * 1-5'],
  ['0 0 * * sunday,tue', 'weekday', '0,2', '0 0 * * 0,2'],
  ['0 0 1 jan,JUL *', 'month', '1,7', '0 0 1 1,7 *'],
  ['0 0 1 sept *', 'month', '9', '0 0 1 9 *'],
  ['0 0 * * 7', 'weekday', '0', '0 0 * * 0'],
  ['0 0 * * 5-7', 'weekday', '0,5-6', '0 0 * * 0,5-6'],
  ['0 0 * * 1-7', 'weekday', '0-6', '0 0 * * 0-6'],
  ['0 22-2 * * *', 'hour', '0-2,22-23', '0 0-2,22-23 * * *'],
  ['0 0 * * fri-mon', 'weekday', '0-1,5-6', '0 0 * * 0-1,5-6'],
  ['0 0 ? * *', 'day', '*', '0 0 * * *'],
  ['0 0 * * ?', 'weekday', '*', '0 0 * * *'],
  ['*,5 * * * *', 'minute', '*', '* * * * *'],
  ['1,,3 * * * *', 'minute', '1,3', '1,3 * * * *'],
  ['@daily', 'expression', '0 0 * * *', '0 0 * * *'],
  ['@midnight', 'expression', '0 0 * * *', '0 0 * * *'],
  ['@Hourly', 'expression', '0 * * * *', '0 * * * *'],
  ['@weekly', 'expression', '0 0 * * 0', '0 0 * * 0'],
  ['@monthly', 'expression', '0 0 1 * *', '0 0 1 * *'],
  ['@yearly', 'expression', '0 0 1 1 *', '0 0 1 1 *'],
  ['@annually', 'expression', '0 0 1 1 *', '0 0 1 1 *'],
  [
    '0 */5 * * * *',
    'expression',
    '0,5,10,15,20,25,30,35,40,45,50,55 * * * *',
    '0,5,10,15,20,25,30,35,40,45,50,55 * * * *',
  ],
  ['0 0 12 * * ?', 'expression', '0 12 * * *', '0 12 * * *'],
  ['0 15 10 ? * MON-FRI', 'expression', '15 10 * * 1-5', '15 10 * * 1-5'],
  ['0 0 12 * * ? *', 'expression', '0 12 * * *', '0 12 * * *'],
  ['0 10 * * ? *', 'expression', '0 10 * * *', '0 10 * * *'],
  ['cron(0 10 * * ? *)', 'expression', '0 10 * * *', '0 10 * * *'],
  ['cron(15 10 ? * MON-FRI *)', 'expression', '15 10 * * 1-5', '15 10 * * 1-5'],
  ['0 0 5,* * *', 'day', '*', '0 0 * * *'],
  ['0 0 * * sun/2', 'weekday', '0,2,4,6', '0 0 * * 0,2,4,6'],
  ['000000000000007,*/15 * * * *', 'minute', '0,7,15,30,45', '0,7,15,30,45 * * * *'],
  ['0 0\n* * *', 'expression', '0 0 * * *', '0 0 * * *'],
];

/** What no POSIX expression says, or none that surely means the same. */
const withoutForm: ReadonlyArray<readonly [string, RegExp]> = [
  [
    '0 0 L * *',
    /"L", which POSIX cron cannot say; write \* and give the task a rule, days: lastDayOfMonth\(\)$/,
  ],
  ['0 0 L-3 * *', /"L-3".* days: lastDayOfMonth\(3\)$/],
  ['0 0 * * 5L', /"5L".* days: nthWeekday\(-1, 'fri'\) \(5 is fri here, and thu to Quartz\)$/],
  ['0 0 * * friL', /"friL".* days: nthWeekday\(-1, 'fri'\)$/],
  ['0 0 LW * *', /"LW".* choose all the days it may fall on and look at scheduledFor in the callback$/],
  ['0 0 15W * *', /"15W".* look at scheduledFor in the callback$/],
  ['0 0 * * 1#2', /"1#2".* days: nthWeekday\(2, 'mon'\) \(1 is mon here, and sun to Quartz\)$/],
  ['0 0 * * tue#2', /"tue#2".* days: nthWeekday\(2, 'tue'\)$/],
  ['0 0 * * 1#6', /"1#6".* look at scheduledFor in the callback$/],
  [
    '*/90 * * * *',
    /"\*\/90", and the field has only 60 values, of which cron would take the first alone; write 0$/,
  ],
  ['0 */48 * * *', /"\*\/48", and the field has only 24 values/],
  ['H * * * *', /Jenkins.*choose a number from 0-59/],
  ['@reboot', /where your program starts/],
  ['@every 5m', /no macros; choose the minutes of the hour, such as 0,15,30,45 \* \* \* \*$/],
  ['*/10 * * * * *', /has 6 fields.*no seconds/],
  ['30 0 12 * * *', /has 6 fields/],
  ['0 0 12 ? * 2', /has 6 fields/], // Quartz: 2 is Monday; elsewhere: Tuesday
  ['0 0 12 1 1 ? 2027', /has 7 fields/],
  ['*/0 * * * *', /no steps/],
  ['1/2/3 * * * *', /no steps/],
  ['60 * * * *', /60, which is outside 0-59/],
  ['0 24 * * *', /24, which is outside 0-23; midnight is 0/],
  ['0 0 30 feb *', /"feb".*write 2/],
  ['* * * *', /has 4 fields/],
  ['0 0 */2 * 1', /write 1,3,5.*either is enough/], // classic cron wants both to hold
  ['0 0 1 * */2', /write 0,2,4,6.*either is enough/],
  ['0 0 ?/2 * 1', /write 1,3,5.*either is enough/],
  ['0 0 5,*/10 * 1', /write 1,5,11,21,31 .*either is enough/],
  ['0 0 5,* * 1', /write \*$/], // some crons take it for a *, some do not
  ['0 0 *,5 * 1', /write \*$/],
  ['0 0 5,*/1 * 1', /write \*$/],
  ['0 0 ?,5 * 1', /write \*$/],
  ['0 0 1 * 3,*', /write \*$/],
  ['0 0 * * 7/2', /"7\/2", and POSIX cron has no steps$/], // from the second Sunday on?
  ['0 0 * * mon#1', /the Quartz token "mon#1"/],
  ['0 0 * * fril', /the Quartz token "fril"/],
  ['H/15 * * * *', /Jenkins token "H\/15"; choose numbers from 0-59/],
  ['H(0-29)/10 * * * *', /Jenkins token "H\(0-29\)\/10"/],
  ['CRON_TZ=Europe/Berlin 0 6 * * *', /the option \{ timeZone: "Europe\/Berlin" \} and write 0 6 \* \* \*$/],
  ['TZ=Asia/Tokyo */30 * * * *', /the option \{ timeZone: "Asia\/Tokyo" \} and write 0,30 \* \* \* \*$/],
  ['TZ=Asia/Tokyo', /the option \{ timeZone: "Asia\/Tokyo" \}$/],
  ['cron(0 10 ? * 2 *)', /cron\(\).*five bare fields.*give its name \(MON\)/],
  ['cron(0 10 * * 2 *)', /cron\(\).*five bare fields/], // AWS wants a ? here, and would not take 0 for seconds
  ['0 0 12 ? * 2-6', /has 6 fields.*with "\?" the weekday 1 is Sunday to Quartz.*give its name/],
  ['*/15,60 * * * *', /the value 60, which is outside 0-59$/],
  ['1,,x * * * *', /has "x"/],
];

const reasonOf = (expression: string): InvalidCronExpressionError => {
  try {
    parseCron(expression, { timeZone: 'UTC' });
  } catch (error) {
    if (error instanceof InvalidCronExpressionError) return error;
    throw error;
  }
  throw new assert.AssertionError({ message: `${expression} was accepted` });
};

describe('C4 what to write instead', () => {
  for (const [written, field, hint, whole] of forms) {
    test(`C4 ${JSON.stringify(written)} → ${whole}`, () => {
      const error = reasonOf(written);
      assert.equal(error.field, field);
      assert.ok(error.reason.endsWith(`write ${hint}`), error.reason);
      assert.equal(rewriteCron(written), whole);
      parseCron(whole);
    });
  }

  for (const [written, reason] of withoutForm) {
    test(`C4 ${JSON.stringify(written)} has no rewrite, and says why`, () => {
      assert.match(reasonOf(written).reason, reason);
      assert.equal(rewriteCron(written), undefined);
    });
  }

  test('C4 a POSIX expression is its own rewrite, unless it is never due', () => {
    assert.equal(rewriteCron(' 0  6 * * 1-5'), ' 0  6 * * 1-5');
    assert.equal(rewriteCron('0 0 30 2 *'), undefined);
    assert.equal(rewriteCron('x'.repeat(1001)), undefined);
  });
});

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseSchedule } from '../../src/cron/expression.ts';
import {
  CronCalculationError,
  FieldParseError,
  InvalidCronExpressionError,
  parseCron,
} from '../../src/cron/index.ts';

/** The error that parsing gives; fails if there is none. */
function refusalOf(expression: string): InvalidCronExpressionError {
  try {
    parseCron(expression, { timeZone: 'UTC' });
  } catch (error) {
    assert.ok(error instanceof InvalidCronExpressionError, `${expression}: ${error}`);
    return error;
  }
  throw new assert.AssertionError({ message: `"${expression}" was accepted` });
}

describe('C0 length', () => {
  const long = (length: number): string => `${'0'.repeat(length - 9)}7 * * * *`;

  test('C0 1,000 characters are read, 1,001 are refused as a whole', () => {
    assert.equal(parseCron(long(1000)).expression.length, 1000);
    const error = refusalOf(long(1001));
    assert.equal(error.field, 'expression');
    assert.match(error.reason, /1001 characters long, and 1000 is the limit/);
    assert.ok(error.message.length < 200, 'the message does not carry the whole text');
    assert.equal(error.details.expression, long(1001), 'the details do');
  });
});

describe('C1 the grammar', () => {
  const valid = [
    '* * * * *',
    '0 0 * * *',
    '15 3 * * 1-5',
    '0,30 * * * *',
    '0 12 14 2 *',
    '\t 5\t4  3 2 1 \t',
    '00 007 01 012 06', // leading zeros
    '5,5,5 * * * *', // repeated
    '1-10,5-20 * * * *', // overlapping
    '7-7 * * * *',
    '59 23 31 12 6',
    '0-59 0-23 1-31 1-12 0-6',
    '00000000000000000000000000000000000000000000007 * * * *',
  ];
  for (const expression of valid) {
    test(`C1 accepts ${JSON.stringify(expression)}`, () => {
      assert.equal(parseCron(expression).expression, expression);
    });
  }

  const invalid: ReadonlyArray<readonly [string, string]> = [
    ['', 'expression'],
    [' \t ', 'expression'],
    ['* * * *', 'expression'],
    ['* * * * * *', 'expression'],
    ['@daily', 'expression'],
    ['* * * *\n*', 'expression'],
    ['* * *\u00a0* *', 'expression'],
    ['\u2003* * * * *', 'expression'],
    ['* * * * *\r', 'expression'],
    ['60 * * * *', 'minute'],
    ['-1 * * * *', 'minute'],
    ['* 24 * * *', 'hour'],
    ['* * 0 * *', 'day'],
    ['* * 32 * *', 'day'],
    ['* * * 0 *', 'month'],
    ['* * * 13 *', 'month'],
    ['* * * * 7', 'weekday'],
    ['*/15 * * * *', 'minute'],
    ['1/2 * * * *', 'minute'],
    ['0-30/5 * * * *', 'minute'],
    ['0 0 * jan *', 'month'],
    ['0 0 * * mon', 'weekday'],
    ['0 0 * * Sunday', 'weekday'],
    ['0 0 ? * *', 'day'],
    ['0 0 L * *', 'day'],
    ['0 0 15W * *', 'day'],
    ['0 0 * * 5#3', 'weekday'],
    ['0 22-2 * * *', 'hour'],
    ['*,5 * * * *', 'minute'],
    ['5,* * * * *', 'minute'],
    ['** * * * *', 'minute'],
    ['*-5 * * * *', 'minute'],
    [',5 * * * *', 'minute'],
    ['5, * * * *', 'minute'],
    ['5,,6 * * * *', 'minute'],
    ['5- * * * *', 'minute'],
    ['-5 * * * *', 'minute'],
    ['5--6 * * * *', 'minute'],
    ['1-2-3 * * * *', 'minute'],
    ['1e1 * * * *', 'minute'],
    ['0x10 * * * *', 'minute'],
    ['+5 * * * *', 'minute'],
    ['5.0 * * * *', 'minute'],
    ['٣ * * * *', 'minute'], // a digit, but not of ours
    ['５ * * * *', 'minute'],
    ['4294967296 * * * *', 'minute'], // must not wrap round to 0
    ['18446744073709551616 * * * *', 'minute'],
    ['0-4294967300 * * * *', 'minute'],
    ['100 * * * *', 'minute'],
    ['0-159 * * * *', 'minute'],
    ['* 1000 * * *', 'hour'],
    ['* * 101 * *', 'day'],
    ['* * * 112 *', 'month'],
    ['* * * * 103', 'weekday'],
  ];
  for (const [expression, field] of invalid) {
    test(`C1 refuses ${JSON.stringify(expression)}, naming ${field}`, () => {
      const error = refusalOf(expression);
      assert.equal(error.field, field);
      assert.ok(error.cause instanceof FieldParseError);
      assert.equal(error.cause.fieldName, field);
    });
  }

  test('C1 the first field that is wrong is the one that is told', () => {
    assert.equal(refusalOf('0 25 32 13 8').field, 'hour');
  });

  test('what is no string is a TypeError', () => {
    for (const value of [undefined, null, 5, {}, ['* * * * *']]) {
      assert.throws(() => Reflect.apply(parseCron, undefined, [value]), {
        name: 'TypeError',
        message: /is a string such as/,
      });
    }
    assert.throws(() => Reflect.apply(parseCron, undefined, ['* * * * *', { timeZone: 5 }]), {
      name: 'TypeError',
      message: /IANA name/,
    });
  });
});

describe('C2 day and weekday', () => {
  // March 2026: the 1st is a Sunday, so Mondays are 2, 9, 16, 23, 30.
  const daysOfMarch = (expression: string): number[] =>
    parseCron(expression, { timeZone: 'UTC' })
      .occurrences(new Date('2026-02-28T23:59:59Z'))
      .take(40)
      .filter((due) => due.toISOString().startsWith('2026-03'))
      .map((due) => due.getUTCDate())
      .toArray();
  const everyDay = Array.from({ length: 31 }, (_, index) => index + 1);

  test('C2 neither restricted: every day', () => assert.deepEqual(daysOfMarch('0 0 * * *'), everyDay));
  test('C2 only weekday restricted', () => assert.deepEqual(daysOfMarch('0 0 * * 1'), [2, 9, 16, 23, 30]));
  test('C2 only day restricted', () => assert.deepEqual(daysOfMarch('0 0 15 * *'), [15]));
  test('C2 both restricted: either is enough', () =>
    assert.deepEqual(daysOfMarch('0 0 1,15 * 1'), [1, 2, 9, 15, 16, 23, 30]));
  test('C2 restricted is textual: 1-31 beside a weekday means every day', () =>
    assert.deepEqual(daysOfMarch('0 0 1-31 * 1'), everyDay));
  test('C2 restricted is textual: 0-6 beside a day means every day', () =>
    assert.deepEqual(daysOfMarch('0 0 15 * 0-6'), everyDay));
  test('C2 0-6 alone means every day', () => assert.deepEqual(daysOfMarch('0 0 * * 0-6'), everyDay));
  test('C2 month is always ANDed', () => {
    assert.deepEqual(daysOfMarch('0 0 1,15 4 1'), []);
    assert.deepEqual(daysOfMarch('0 0 15 3 1'), [2, 9, 15, 16, 23, 30]);
  });
});

describe('C3 expressions that can never be due', () => {
  for (const expression of [
    '0 0 30 2 *',
    '0 0 31 2 *',
    '0 0 30,31 2 *',
    '0 0 31 4 *',
    '0 0 31 2,4,6,9,11 *',
    '* * 31 2-2 *',
  ]) {
    test(`C3 ${expression} is refused, with the proof as cause`, () => {
      const error = refusalOf(expression);
      assert.equal(error.field, 'day');
      assert.match(error.reason, /never due/);
      assert.ok(error.cause instanceof CronCalculationError);
      assert.equal(error.details.cause, error.cause);
      assert.equal(error.cause.expression, expression);
      assert.ok(error.cause.cause instanceof Error);
      assert.equal(error.cause.message, `Failed to calculate next occurrence: ${error.cause.cause.message}`);
    });
  }

  for (const expression of [
    '0 0 29 2 *',
    '0 0 31 4 1',
    '0 0 30 2 0-6',
    '0 0 31 2,3 *',
    '0 0 30 4 *',
    '0 0 30,29 2 *',
  ]) {
    test(`C3 ${expression} is fine`, () => {
      const cron = parseCron(expression, { timeZone: 'UTC' });
      assert.ok(cron.matches(cron.next(new Date('2026-01-01T00:00:00Z'))));
    });
  }

  test('C3 every choice of days and months: refused exactly if no day of eight years matches', () => {
    const calendar = new Set<string>();
    for (let day = Date.UTC(2024, 0, 1); day < Date.UTC(2032, 0, 1); day += 86_400_000) {
      calendar.add(new Date(day).toISOString().slice(5, 10));
    }
    const pad = (value: number): string => String(value).padStart(2, '0');
    for (let month = 1; month <= 12; month++) {
      for (let day = 1; day <= 31; day++) {
        const expression = `0 0 ${day} ${month} *`;
        const exists = calendar.has(`${pad(month)}-${pad(day)}`);
        if (exists) parseSchedule(expression);
        else refusalOf(expression);
      }
    }
  });
});

/** Every expression that is imported is due exactly when cron would start the job, by a second reading of cron's own rules. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { rewriteCrontab } from '../../src/cron/crontab.ts';
import { naiveMatcher, utcClock, type WallClock } from '../oracle/brute-force.ts';
import { fc } from '../property.ts';

/**
 * Vixie cron in a few lines: bits for each field, the star flags by the first character (`DOM_STAR`, `DOW_STAR`), both day fields if
 * one has a flag, else either. Written from its documentation, and knows nothing of `src`.
 */
function vixieMatcher(time: string): (clock: WallClock) => boolean {
  const [minute, hour, day, month, weekday] = time.split(' ');
  const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
  const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
  const inMinute = vixieSet(minute, 0, 59, []);
  const inHour = vixieSet(hour, 0, 23, []);
  const inDay = vixieSet(day, 1, 31, []);
  const inMonth = vixieSet(month, 1, 12, ['', ...months]);
  const inWeekday = vixieSet(weekday, 0, 7, days);
  const hasStar = day.startsWith('*') || weekday.startsWith('*');
  return (clock) => {
    const isDay = inDay.has(clock.day);
    const isWeekday = inWeekday.has(clock.weekday) || (clock.weekday === 0 && inWeekday.has(7));
    return (
      inMinute.has(clock.minute) &&
      inHour.has(clock.hour) &&
      inMonth.has(clock.month) &&
      (hasStar ? isDay && isWeekday : isDay || isWeekday)
    );
  };
}

function vixieSet(field: string, low: number, high: number, names: readonly string[]): Set<number> {
  const found = new Set<number>();
  const value = (text: string): number =>
    names.includes(text.toLowerCase()) ? names.indexOf(text.toLowerCase()) : Number(text);
  for (const element of field.split(',')) {
    const [range, step = '1'] = element.split('/');
    const [from, to = from] = range === '*' ? [String(low), String(high)] : range.split('-');
    for (let each = value(from); each <= value(to); each += Number(step)) found.add(each);
  }
  return found;
}

interface Range {
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

/** What people write in a field: stars, numbers, names, ranges, all of them with steps. */
function fieldOf({ min, max, names = [] }: Range): fc.Arbitrary<string> {
  const number = fc.integer({ min, max });
  const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`);
  const step = fc.integer({ min: 1, max: 12 });
  const starStep = step.map((each) => `*/${each}`);
  const rangeStep = fc.tuple(range, step).map(([each, by]) => `${each}/${by}`);
  const named =
    names.length === 0
      ? number.map(String)
      : fc.constantFrom(...names, names.slice(1, 4).join('-').replace(/-.*-/, '-'));
  const element = fc.oneof(number.map(String), range, starStep, rangeStep, named, fc.constant('*'));
  return fc.oneof(
    fc.constant('*'),
    starStep,
    fc.array(element, { minLength: 1, maxLength: 3 }).map((list) => list.join(',')),
  );
}

const crontabTime = fc
  .tuple(
    fieldOf({ min: 0, max: 59 }),
    fieldOf({ min: 0, max: 23 }),
    fieldOf({ min: 1, max: 31 }),
    fieldOf({ min: 1, max: 12, names: ['jan', 'Feb', 'MAR', 'dec'] }),
    fieldOf({ min: 0, max: 7, names: ['sun', 'Mon', 'TUE', 'fri', 'sat'] }),
  )
  .map((fields) => fields.join(' '));

describe('expressions of a crontab', () => {
  const clocks = fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2040, 0, 1) }).map(utcClock);

  test('the POSIX form is due exactly when cron would start the job', () => {
    let carried = 0;
    fc.assert(
      fc.property(crontabTime, fc.array(clocks, { minLength: 50, maxLength: 50 }), (time, instants) => {
        const translation = rewriteCrontab(time);
        if (translation.posix === undefined) return;
        carried++;
        const byCron = vixieMatcher(time);
        const byPosix = naiveMatcher(translation.posix);
        // Every day of some years at one minute that matches, so that the day rule is tried thoroughly, and random instants.
        const [minute] = vixieSet(time.split(' ')[0], 0, 59, []);
        const [hour] = vixieSet(time.split(' ')[1], 0, 23, []);
        for (let day = Date.UTC(2027, 0, 1); day < Date.UTC(2029, 0, 1); day += 86_400_000) {
          const clock = utcClock(day + (hour * 60 + minute) * 60_000);
          assert.equal(
            byPosix(clock),
            byCron(clock),
            `${time} is not ${translation.posix} on ${new Date(day).toISOString()}`,
          );
        }
        for (const clock of instants)
          assert.equal(byPosix(clock), byCron(clock), `${time} is not ${translation.posix}`);
      }),
      { numRuns: 400 },
    );
    assert.ok(carried > 100, `only ${carried} were carried over`);
  });

  test('what is left out is never due, or wants both day and weekday', () => {
    fc.assert(
      fc.property(crontabTime, (time) => {
        const translation = rewriteCrontab(time);
        if (translation.posix !== undefined) return;
        const [, , day, , weekday] = time.split(' ');
        if (/must both hold/.test(translation.reason)) {
          assert.ok(day.startsWith('*') || weekday.startsWith('*'), time);
          assert.ok(vixieSet(day, 1, 31, []).size < 31, time);
          return;
        }
        assert.match(translation.reason, /never due/, time);
        const byCron = vixieMatcher(time);
        const [minute] = vixieSet(time.split(' ')[0], 0, 59, []);
        const [hour] = vixieSet(time.split(' ')[1], 0, 23, []);
        for (let at = Date.UTC(2027, 0, 1); at < Date.UTC(2036, 0, 1); at += 86_400_000) {
          assert.ok(!byCron(utcClock(at + (hour * 60 + minute) * 60_000)), time);
        }
      }),
      { numRuns: 400 },
    );
  });

  test('macros, and what has no form', () => {
    const posix = (time: string): string | undefined => rewriteCrontab(time).posix;
    assert.equal(posix('@hourly'), '0 * * * *');
    assert.equal(posix('@Weekly'), '0 0 * * 0');
    assert.equal(posix('@every_minute'), '* * * * *');
    for (const time of [
      '@reboot',
      '@fortnightly',
      '0~59 * * * *',
      '0 0 L * *',
      '61 * * * *',
      '*/0 * * * *',
    ]) {
      const translation = rewriteCrontab(time);
      assert.equal(translation.posix, undefined, time);
    }
  });

  test('a star within a list is not a star alone, and one in front is', () => {
    assert.equal(rewriteCrontab('0 0 1,* * 1').posix, '0 0 1-31 * 1');
    assert.equal(rewriteCrontab('0 0 */1 * 1').posix, '0 0 * * 1');
    assert.equal(rewriteCrontab('0 0 1 * *,1').posix, '0 0 1 * *');
    assert.equal(rewriteCrontab('0 0 */2 * 1').posix, undefined);
    assert.equal(rewriteCrontab('0 0 1-31/2 * 1').posix?.endsWith('* 1'), true);
  });

  test('a step beyond its field is taken as cron takes it, and told of', () => {
    const translation = rewriteCrontab('*/90 * * * *');
    assert.deepEqual(translation, {
      posix: '0 * * * *',
      caution: '"*/90" is a step beyond its field, of which cron takes the first value alone',
    });
  });

  test('a step behind a single number is told of', () => {
    const translation = rewriteCrontab('5/20 * * * *');
    assert.equal(translation.posix, '5,25,45 * * * *');
    assert.match(
      'caution' in translation ? (translation.caution ?? '') : '',
      /older crons take the first number alone/,
    );
  });
});

/** The oracle's minute matcher, held against looking at every minute and against the cron engine of the scheduler. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { type CronExpression, InvalidCronExpressionError, parseCron } from '../../src/cron/index.ts';
import { civilClock } from '../../src/theory/calendar/civil-clock.ts';
import { type MinuteMatcher, minuteMatcher } from '../../src/theory/calendar/minute-matcher.ts';
import { instant, strictExpression } from '../cron/generators.ts';
import { civilMinutes, naiveMatcher, transitions, wallClock } from '../oracle/brute-force.ts';
import { fc } from '../property.ts';
import { few } from '../sample.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Zones, each with a year in which its clocks do something odd. */
const ZONES: ReadonlyArray<readonly [string, number]> = [
  ['UTC', 2026],
  ['Europe/Berlin', 2026],
  ['Australia/Lord_Howe', 2026],
  ['America/Santiago', 2026],
  ['Pacific/Apia', 2011],
  ['Africa/Monrovia', 1972],
  ['Asia/Kathmandu', 1986],
  ['America/Asuncion', 1985],
];
const zone = fc.constantFrom(...ZONES.map(([name]) => name));
/** Some of them before 1970, where day numbers are negative. */
const anyInstant = fc.oneof(
  { weight: 9, arbitrary: instant },
  { weight: 1, arbitrary: fc.integer({ min: Date.UTC(1950, 0, 1), max: Date.UTC(1970, 0, 2) }) },
);

const iso = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString() : String(at));
const at = (text: string): number => Date.parse(text);

/** The changes of a zone's clocks in its odd year, or New Year if there are none; from New Year's Eve on. */
function changesOf(timeZone: string, year: number): readonly number[] {
  const changes = transitions(timeZone, Date.UTC(year - 1, 11, 31), Date.UTC(year + 1, 0, 1));
  return changes.length === 0 ? [Date.UTC(year, 0, 1)] : changes;
}

/** All due instants from one to before another, by what the matcher says is next. */
function duesOf(matcher: MinuteMatcher, from: number, to: number): string[] {
  const found: string[] = [];
  let last = from - 1;
  for (let due = matcher.next(last); due < to; due = matcher.next(last)) {
    assert.ok(due > last, `next(${iso(last)}) is ${iso(due)}`);
    found.push(iso(due));
    last = due;
  }
  return found;
}

/** Expressions whose minutes are any, and whose days are those around an instant. */
function expressionNear(instant: number): fc.Arbitrary<string> {
  const dates = [-DAY, 0, DAY].map((distance) => new Date(instant + distance));
  const days = dates.map((date) => String(date.getUTCDate()));
  const weekdays = dates.map((date) => String(date.getUTCDay()));
  return fc
    .tuple(
      strictExpression,
      fc.constantFrom('*', '*', '1-31', ...days),
      fc.constantFrom('*', '*', '1-12', String(dates[1].getUTCMonth() + 1)),
      fc.constantFrom('*', '*', '0-6', ...weekdays),
    )
    .map(([any, day, month, weekday]) => `${any.split(' ', 2).join(' ')} ${day} ${month} ${weekday}`);
}

describe('the oracle and its own reading of time', () => {
  test('shares no code with the scheduler', () => {
    const folder = join(import.meta.dirname, '../../src/theory/calendar');
    for (const file of ['minute-matcher.ts', 'civil-clock.ts', 'cron-fields.ts']) {
      const imports = [
        ...readFileSync(join(folder, file), 'utf8').matchAll(
          /^(?:import(?! type )|export|\}).* ?'([^']+)';$/gm,
        ),
      ];
      assert.deepEqual(
        imports.map(([, path]) => path).filter((path) => !/^\.\/[a-z-]+\.ts$/.test(path)),
        [],
      );
    }
  });
});

describe('C2 days and weekdays', () => {
  test('C2 one of day and weekday is enough if both are restricted, by the text; the month always counts', () => {
    const days = (cron: string): string[] =>
      duesOf(minuteMatcher(cron, 'UTC'), Date.UTC(2026, 1, 1), Date.UTC(2026, 2, 1)).map((due) =>
        due.slice(8, 10),
      );
    const all = Array.from({ length: 28 }, (_, index) => String(index + 1).padStart(2, '0'));
    assert.deepEqual(days('0 0 * * *'), all);
    assert.deepEqual(days('0 0 13 * *'), ['13']);
    assert.deepEqual(days('0 0 * * 1'), ['02', '09', '16', '23']);
    assert.deepEqual(days('0 0 13 * 1'), ['02', '09', '13', '16', '23']);
    assert.deepEqual(days('0 0 1-31 * 1'), all);
    assert.deepEqual(days('0 0 13 * 0-6'), all);
    assert.deepEqual(days('0 0 13 2 1'), ['02', '09', '13', '16', '23']);
    assert.deepEqual(days('0 0 13 3 1'), []);
  });
});

describe('B1, B2 clock changes', () => {
  test('B1 a skipped minute has no instant, a repeated one has two (Europe/Berlin)', () => {
    const matcher = minuteMatcher('30 2 * * *', 'Europe/Berlin');
    assert.deepEqual(duesOf(matcher, at('2026-03-28T00:00Z'), at('2026-03-31T00:00Z')), [
      '2026-03-28T01:30:00.000Z',
      '2026-03-30T00:30:00.000Z',
    ]);
    assert.deepEqual(duesOf(matcher, at('2026-10-24T00:00Z'), at('2026-10-26T00:00Z')), [
      '2026-10-24T00:30:00.000Z',
      '2026-10-25T00:30:00.000Z',
      '2026-10-25T01:30:00.000Z',
    ]);
  });

  test('B2 30 December 2011 did not happen in Apia', () => {
    const matcher = minuteMatcher('0 12 * * *', 'Pacific/Apia');
    assert.deepEqual(duesOf(matcher, at('2011-12-29T00:00Z'), at('2012-01-01T00:00Z')), [
      '2011-12-29T22:00:00.000Z',
      '2011-12-30T22:00:00.000Z',
      '2011-12-31T22:00:00.000Z',
    ]);
    assert.equal(
      iso(minuteMatcher('0 0 30 12 *', 'Pacific/Apia').next(at('2011-12-01'))),
      '2012-12-29T10:00:00.000Z',
    );
  });

  test('B1 a minute whose second 0 was skipped has no instant (Africa/Monrovia)', () => {
    // On 7 January 1972 the clocks went from 00:00:00 to 00:44:30, which was 00:44:30 UTC.
    const every = minuteMatcher('* * * * *', 'Africa/Monrovia');
    assert.deepEqual(duesOf(every, at('1972-01-07T00:42Z'), at('1972-01-07T00:47Z')), [
      '1972-01-07T00:42:30.000Z',
      '1972-01-07T00:43:30.000Z',
      '1972-01-07T00:45:00.000Z',
      '1972-01-07T00:46:00.000Z',
    ]);
    for (const cron of ['0 0 7 1 *', '44 0 7 1 *']) {
      assert.equal(
        minuteMatcher(cron, 'Africa/Monrovia').next(at('1972-01-01')) > at('1973-01-01'),
        true,
        cron,
      );
    }
  });

  for (const [timeZone, year] of ZONES) {
    test(`B1, B2, B4, C2 around the clock changes of ${timeZone}, ${year}, as if every minute were looked at`, (t) => {
      let comparisons = 0;
      for (const change of changesOf(timeZone, year)) {
        const from = change - 2 * DAY;
        const to = change + 2 * DAY;
        const minutes = civilMinutes(timeZone, from, to);
        const near = fc.oneof(
          fc.integer({ min: -2 * HOUR, max: 2 * HOUR }),
          fc.integer({ min: -DAY, max: DAY }),
        );
        const instants = fc.array(fc.tuple(near, fc.integer({ min: 0, max: DAY })), {
          minLength: 5,
          maxLength: 5,
        });
        fc.assert(
          fc.property(expressionNear(change), instants, (cron, distances) => {
            const matcher = minuteMatcher(cron, timeZone);
            const dues = minutes.filter(naiveMatcher(cron)).map((minute) => minute.instant);
            assert.deepEqual(duesOf(matcher, from, to), dues.map(iso), cron);
            const exact = [...dues.slice(0, 5), change].map((due) => [due - change, DAY] as const);
            for (const [distance, reach] of [...distances, ...exact]) {
              comparisons += checkAt(
                matcher,
                dues,
                change + distance,
                reach,
                `${cron} at ${iso(change + distance)}`,
              );
            }
          }),
          { numRuns: few(40, 100) },
        );
      }
      t.diagnostic(`${comparisons} comparisons`);
    });
  }

  test('B1, B2 minutes start where the clock of the zone shows second 0', () => {
    for (const [timeZone, year] of ZONES) {
      for (const change of changesOf(timeZone, year)) checkMinutes(timeZone, change);
    }
    // Here a minute lies across UTC midnight, since the offset is not whole minutes.
    checkMinutes('Africa/Monrovia', Date.UTC(1971, 5, 1));
    const clock = civilClock('Africa/Monrovia');
    assert.equal(iso(clock.minuteStart(at('1971-06-01T00:00:10Z'))), '1971-05-31T23:59:30.000Z');
    assert.equal(iso(clock.minuteStart(at('1972-01-07T00:44:40Z'))), '1972-01-07T00:44:30.000Z');
    assert.equal(
      iso(minuteMatcher('* * * * *', 'Africa/Monrovia').next(at('1972-01-07T00:43:30Z'))),
      '1972-01-07T00:45:00.000Z',
    );
  });
});

/** Whether an instant is due: `next` and `previous` must agree on that. */
function isDue(matcher: MinuteMatcher, at: number): boolean {
  const isPrevious = matcher.previous(at, at - 1) === at;
  assert.equal(matcher.next(at - 1) === at, isPrevious, `next and previous of ${iso(at)}`);
  return isPrevious;
}

/** Compares what a matcher says of one instant with a list of all due instants two days either way. */
function checkAt(
  matcher: MinuteMatcher,
  dues: readonly number[],
  instant: number,
  reach: number,
  what: string,
): number {
  const floor = instant - reach;
  const earlier = dues.filter((due) => due <= instant && due > floor);
  assert.equal(iso(matcher.previous(instant, floor)), iso(earlier.at(-1) ?? Number.NEGATIVE_INFINITY), what);
  const next = dues.find((due) => due > instant);
  if (next !== undefined) assert.equal(iso(matcher.next(instant)), iso(next), what);
  // Of its own, and not only of the instants that the list has: in particular of those that are not aligned.
  for (const each of [instant, instant - 1, instant + 1, instant + 1000]) {
    assert.equal(isDue(matcher, each), dues.includes(each), `${what}: ${iso(each)} is due`);
  }
  return 6;
}

/** Walks the seconds around an instant, and compares where minutes start. */
function checkMinutes(timeZone: string, around: number): void {
  const everyMinute = minuteMatcher('* * * * *', timeZone);
  const clock = civilClock(timeZone);
  const read = wallClock(timeZone);
  const minuteShown = (instant: number): string => {
    const { day, hour, minute } = read(instant);
    return `${day} ${hour}:${minute}`;
  };
  let start = Number.NaN;
  let shown = minuteShown(around - 4 * MINUTE);
  const starts = civilMinutes(timeZone, around - 5 * MINUTE, around + 5 * MINUTE).map(
    ({ instant }) => instant,
  );
  for (let second = around - 4 * MINUTE; second < around + 3 * MINUTE; second += 1000) {
    const now = minuteShown(second);
    if (now !== shown) start = second;
    shown = now;
    if (Number.isNaN(start)) continue;
    for (const instant of [second, second + 1, second + 999]) {
      assert.equal(iso(clock.minuteStart(instant)), iso(start), `${timeZone} ${iso(instant)}`);
      const next = starts.find((each) => each > instant) ?? Number.NaN;
      assert.equal(iso(everyMinute.next(instant)), iso(next), `${timeZone} ${iso(instant)}`);
    }
  }
}

describe('B4 next and previous', () => {
  test('B1, B2, B4, C2 agree with the engine, for any expression, zone and instant', (t) => {
    let comparisons = 0;
    fc.assert(
      fc.property(
        strictExpression,
        zone,
        anyInstant,
        fc.integer({ min: 0, max: 60 * DAY }),
        (cron, name, now, reach) => {
          const engine = unlessNeverDue(cron, name);
          const matcher = minuteMatcher(cron, name);
          if (engine === undefined) {
            assert.equal(matcher.next(now), Number.POSITIVE_INFINITY);
            assert.equal(matcher.previous(now, Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY);
            return;
          }
          const next = engine.next(new Date(now)).getTime();
          const previous = engine.previous(new Date(now)).getTime();
          const what = `${cron} in ${name} at ${iso(now)}`;
          assert.equal(iso(matcher.next(now)), iso(next), what);
          assert.equal(iso(matcher.previous(now, Number.NEGATIVE_INFINITY)), iso(previous), what);
          const wanted = previous > now - reach ? previous : Number.NEGATIVE_INFINITY;
          assert.equal(iso(matcher.previous(now, now - reach)), iso(wanted), what);
          // The floor itself is excluded, the instant itself included.
          assert.equal(matcher.previous(now, previous), Number.NEGATIVE_INFINITY, what);
          assert.equal(matcher.previous(next, next - 1), next, what);
          assert.ok(isDue(matcher, next) && isDue(matcher, previous), what);
          assert.ok(
            !isDue(matcher, next + 1) && !isDue(matcher, next - 1) && !isDue(matcher, next + 30_000),
            what,
          );
          assert.equal(
            isDue(matcher, next + MINUTE),
            engine.next(new Date(next)).getTime() === next + MINUTE,
            what,
          );
          comparisons += 8;
        },
      ),
      { numRuns: few(1000, 3000) },
    );
    t.diagnostic(`${comparisons} comparisons`);
  });

  test('B4 29 February, over a century that is no leap year', () => {
    const matcher = minuteMatcher('0 0 29 2 *', 'America/Santiago');
    const local = (due: number): string => wallClock('America/Santiago')(due).year.toString();
    assert.equal(local(matcher.next(at('2096-03-01'))), '2104');
    assert.equal(local(matcher.previous(at('2104-02-01'), Number.NEGATIVE_INFINITY)), '2096');
    assert.equal(iso(matcher.next(at('2027-01-01'))), '2028-02-29T03:00:00.000Z');
    assert.equal(matcher.previous(at('2027-01-01'), at('2024-03-01')), Number.NEGATIVE_INFINITY);
  });

  test('B4 every minute of a year, one after the other, there and back', () => {
    const matcher = minuteMatcher('* * * * *', 'Europe/Berlin');
    const [from, to] = [Date.UTC(2026, 0, 1), Date.UTC(2027, 0, 1)];
    let due = from;
    for (let each = from + MINUTE; each <= to; each += MINUTE) {
      due = matcher.next(due);
      if (due !== each) assert.equal(iso(due), iso(each));
    }
    assert.equal(due, to);
    let count = 0;
    for (; due > from; due = matcher.previous(due - 1, from - 1)) count++;
    assert.equal(count, 525_600);
  });

  test('B4 where Date ends there is nothing more', () => {
    const end = 8.64e15;
    for (const cron of ['* * * * *', '0 0 1 1 *', '0 0 30 2 *']) {
      const matcher = minuteMatcher(cron, 'Europe/Berlin');
      assert.equal(matcher.next(end - 1), Number.POSITIVE_INFINITY);
      assert.equal(matcher.previous(-end, Number.NEGATIVE_INFINITY), Number.NEGATIVE_INFINITY);
    }
    for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, end]) {
      assert.throws(() => minuteMatcher('* * * * *', 'UTC').next(wrong), /is not an instant of a Date/);
    }
  });
});

/** What the engine makes of an expression; undefined if it refuses it because it is never due (C3). */
function unlessNeverDue(cron: string, timeZone: string): CronExpression | undefined {
  try {
    return parseCron(cron, { timeZone });
  } catch (error) {
    if (error instanceof InvalidCronExpressionError && /never due/.test(error.reason)) return undefined;
    throw error;
  }
}

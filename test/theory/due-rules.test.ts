/** Dues by policy (H3, H5), as the oracle reads them, held against looking at every minute of a zone. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  type DueRules,
  type MinuteMatcher,
  minuteMatcher,
} from '../../src/theory/calendar/minute-matcher.ts';
import {
  type CivilMinute,
  civilMinutes,
  naiveMatcher,
  offsetOf,
  transitions,
  wallClock,
} from '../oracle/brute-force.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

const iso = (at: number): string => (Number.isFinite(at) ? new Date(at).toISOString() : String(at));

function duesOf(matcher: MinuteMatcher, from: number, to: number): string[] {
  const found: number[] = [];
  for (let due = matcher.next(from - 1); due < to; due = matcher.next(due)) {
    assert.equal(matcher.next(due - 1), due, `${iso(due)} is next and not due`);
    assert.equal(iso(matcher.previous(due, from - DAY)), iso(due));
    found.push(due);
  }
  return found.map(iso);
}

/** Zones, each with a year in which its clocks change in some way. */
const ZONES = [
  ['Europe/Berlin', 2026],
  ['Australia/Lord_Howe', 2026],
  ['America/Santiago', 2026],
  ['Pacific/Apia', 2011],
  ['Africa/Monrovia', 1972],
  ['America/Asuncion', 1985],
] as const;

const CRONS = [
  '30 2 * * *',
  '15 2 * * *',
  '0,15,30,45 0-4 * * *',
  '* 0,2 * * *',
  '5 * * * *',
  '0 12 30 12 *',
  '10 0 * * 0,6',
];

/** The dues of `once` by its definition: the first instant of each local time, and what a jump ahead has skipped. */
function onceByMinutes(cron: string, timeZone: string, from: number, to: number): string[] {
  const matches = naiveMatcher(cron);
  const read = wallClock(timeZone);
  const localOf = (at: number): number => at + offsetOf(read(at), at);
  const minutes = civilMinutes(timeZone, from - 2 * DAY, to);
  const first = new Map<number, CivilMinute>();
  for (const minute of minutes) {
    const local = localOf(minute.instant);
    if (!first.has(local)) first.set(local, minute);
  }
  const dues = new Set([...first.values()].filter(matches).map(({ instant }) => instant));
  for (const change of transitions(timeZone, from - DAY, to)) {
    const [before, after] = [localOf(change - 1000) + 1000, localOf(change)];
    for (let local = Math.ceil(before / MINUTE) * MINUTE; local < after; local += MINUTE) {
      const date = new Date(local);
      const clock = {
        ...minutes[0],
        month: date.getUTCMonth() + 1,
        day: date.getUTCDate(),
        weekday: date.getUTCDay(),
      };
      if (matches({ ...clock, hour: date.getUTCHours(), minute: date.getUTCMinutes() })) dues.add(change);
    }
  }
  return [...dues]
    .filter((at) => at >= from && at < to)
    .sort((a, b) => a - b)
    .map(iso);
}

describe('H3 each local time once', () => {
  for (const [timeZone, year] of ZONES)
    test(`H3 around the clock changes of ${timeZone}, ${year}`, () => {
      let compared = 0;
      for (const change of transitions(timeZone, Date.UTC(year - 1, 11, 31), Date.UTC(year + 1, 0, 1)))
        for (const cron of CRONS) {
          const [from, to] = [change - DAY, change + DAY];
          const matcher = minuteMatcher(cron, timeZone, { clockChanges: 'once' });
          const posix = minuteMatcher(cron, timeZone);
          const isEveryHour = cron.split(' ')[1] === '*';
          const expected = isEveryHour ? duesOf(posix, from, to) : onceByMinutes(cron, timeZone, from, to);
          assert.deepEqual(duesOf(matcher, from, to), expected, `${cron} around ${iso(change)}`);
          compared += expected.length;
        }
      assert.ok(compared > 0);
    });

  test('H3 in Berlin 02:30 is due at 03:00 in spring, and the first time in autumn', () => {
    const matcher = minuteMatcher('30 2 * * *', 'Europe/Berlin', { clockChanges: 'once' });
    assert.deepEqual(duesOf(matcher, Date.UTC(2026, 2, 29), Date.UTC(2026, 2, 30)), [
      '2026-03-29T01:00:00.000Z',
    ]);
    assert.deepEqual(duesOf(matcher, Date.UTC(2026, 9, 25), Date.UTC(2026, 9, 26)), [
      '2026-10-25T00:30:00.000Z',
    ]);
  });
});

/** The dates of a weekday in a month, counted from January 2026. */
function weekdaysOf(month: number, weekday: number): string[] {
  const found: string[] = [];
  for (let at = Date.UTC(2026, month, 1); at < Date.UTC(2026, month + 1, 1); at += DAY)
    if (new Date(at).getUTCDay() === weekday) found.push(iso(at).slice(0, 10));
  return found;
}

describe('H3 rules for days', () => {
  const datesOf = (days: NonNullable<DueRules['days']>, from: string, to: string): string[] =>
    duesOf(minuteMatcher('0 12 * * *', 'UTC', { days }), Date.parse(from), Date.parse(to)).map((due) =>
      due.slice(0, 10),
    );

  test('H3 the last day of a month, and days before it', () => {
    const last = ['2027-11-30', '2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31'];
    assert.deepEqual(datesOf({ last: 0 }, '2027-11-01', '2028-04-01'), last);
    assert.deepEqual(datesOf({ last: 28 }, '2027-02-01', '2027-05-01'), ['2027-03-03', '2027-04-02']);
  });

  test('H3 a weekday of a month, counted from either end, for ten years', () => {
    for (const nth of [1, 2, 3, 4, 5, -1, -2, -5])
      for (const weekday of [0, 3, 6]) {
        const expected = Array.from({ length: 120 }, (_, month) => month).flatMap(
          (month) => weekdaysOf(month, weekday).at(nth > 0 ? nth - 1 : nth) ?? [],
        );
        assert.deepEqual(
          datesOf({ nth, weekday }, '2026-01-01', '2036-01-01'),
          expected,
          `${nth} of ${weekday}`,
        );
      }
  });

  test('H3 every second week from a date on', () => {
    const days = { everyWeeks: 2, from: '2026-03-04' };
    const weeks = duesOf(
      minuteMatcher('0 12 * * 2', 'UTC', { days }),
      Date.UTC(2026, 0, 1),
      Date.UTC(2026, 4, 1),
    );
    assert.deepEqual(
      weeks.map((due) => due.slice(0, 10)),
      ['2026-03-10', '2026-03-24', '2026-04-07', '2026-04-21'],
    );
  });

  test('H3 a skipped minute counts by its own date', () => {
    // Samoa had no 30 December 2011.
    const once = { clockChanges: 'once', days: { last: 1 } } as const;
    const matcher = minuteMatcher('0 12 * * *', 'Pacific/Apia', once);
    assert.deepEqual(duesOf(matcher, Date.UTC(2011, 11, 1), Date.UTC(2012, 0, 1)), [
      '2011-12-30T10:00:00.000Z',
    ]);
  });
});

test('H5 all dues are later by the offset', () => {
  const moved = minuteMatcher('0 * * * *', 'UTC', { offsetMs: 317_000 });
  const at = Date.UTC(2026, 2, 2, 12, 5, 17);
  assert.equal(iso(moved.next(at - 1)), iso(at));
  assert.equal(iso(moved.next(at)), iso(at + 60 * MINUTE));
  assert.equal(iso(moved.previous(at, at - DAY)), iso(at));
  assert.equal(iso(moved.previous(at - 1, at - DAY)), iso(at - 60 * MINUTE));
  assert.equal(moved.previous(at - 1, at - MINUTE), Number.NEGATIVE_INFINITY);
});

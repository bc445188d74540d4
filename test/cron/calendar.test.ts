/** H3, H5: the due instants of a task with a policy, compared with a walk over every minute, straight from the definition. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CalendarRules, calendarOf, jitterOffset } from '../../src/cron/calendar.ts';
import {
  type DayRule,
  everyNthWeek,
  hasSuchDay,
  lastDayOfMonth,
  nthWeekday,
} from '../../src/cron/day-rule.ts';
import { parseSchedule } from '../../src/cron/expression.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { fc } from '../property.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;

/** The due instants from one instant to another, by the definition: minute for minute. */
function walked(cron: string, zoneName: string, rules: CalendarRules, from: number, to: number): number[] {
  const zone = zoneOf(zoneName);
  const schedule = parseSchedule(cron);
  const plain = calendarOf(schedule, zoneOf('UTC'), { days: undefined, once: false, offsetMs: 0 });
  /** A local time matches if the expression does in UTC, where no clock changes. */
  const matches = (local: number): boolean =>
    plain.previous(local) === local && passes(rules.days, new Date(local));
  const dues = new Set<number>();
  const seen = new Set<number>();
  let before = from - 2 * DAY + zone.at(from - 2 * DAY).offset - MINUTE;
  for (let at = from - 2 * DAY; at < to; at += MINUTE) {
    const local = at + zone.at(at).offset;
    for (let skipped = before + MINUTE; rules.once && skipped < local; skipped += MINUTE)
      if (matches(skipped)) dues.add(at);
    if (matches(local) && !(rules.once && seen.has(local))) dues.add(at);
    seen.add(local);
    before = local;
  }
  return [...dues].map((due) => due + rules.offsetMs).filter((due) => due >= from && due < to);
}

function passes(rule: DayRule | undefined, date: Date): boolean {
  if (rule === undefined) return true;
  const inMonth = (days: number): boolean =>
    new Date(date.getTime() + days * DAY).getUTCMonth() === date.getUTCMonth();
  if ('last' in rule) return inMonth(rule.last) && !inMonth(rule.last + 1);
  if ('nth' in rule) {
    const step = rule.nth > 0 ? -7 : 7;
    const others = Math.abs(rule.nth) - 1;
    return date.getUTCDay() === rule.weekday && inMonth(step * others) && !inMonth(step * (others + 1));
  }
  const sinceFrom = Math.floor((date.getTime() - Date.parse(`${rule.from}T00:00Z`)) / DAY);
  return sinceFrom >= 0 && sinceFrom % (7 * rule.everyWeeks) < 7;
}

const zones = ['Europe/Stockholm', 'Australia/Lord_Howe', 'America/Santiago', 'Africa/Casablanca', 'UTC'];
const expressions = [
  '30 2 * * *',
  '15,45 0-3 * * *',
  '0 0 * * *',
  '30 1,2 * * 0',
  '59 23 28-31 * *',
  '7 * * * *',
];
const dayRules = fc.oneof(
  fc.constant(undefined),
  fc.nat(2).map(lastDayOfMonth),
  fc.tuple(fc.constantFrom(1, 2, 3, 4, -1, -2), fc.nat(6)).map(([nth, weekday]) => nthWeekday(nth, weekday)),
  fc.integer({ min: 1, max: 4 }).map((weeks) => everyNthWeek(weeks, '2026-01-06')),
);

test('H3 H5: next and previous find every due instant of a policy, and no other, across clock changes', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...expressions),
      dayRules,
      fc.boolean(),
      fc.constantFrom(0, 17_000, 3_599_000),
      fc.integer({ min: 0, max: 59 }),
      (zoneName, cron, days, once, offsetMs, month) => {
        const rules = { days, once, offsetMs };
        const from = Date.UTC(2024, month, 1);
        const to = Date.UTC(2024, month + 1, 12);
        const dues = walked(cron, zoneName, rules, from, to);
        const calendar = calendarOf(parseSchedule(cron), zoneOf(zoneName), rules);
        const forward: number[] = [];
        for (let due = calendar.next(from - 1); due < to; due = calendar.next(due)) forward.push(due);
        assert.deepEqual(forward, dues);
        const backward: number[] = [];
        for (let due = calendar.previous(to - 1); due >= from; due = calendar.previous(due - 1))
          backward.unshift(due);
        assert.deepEqual(backward, dues);
      },
    ),
    { numRuns: 60 },
  );
});

test('H3: a time that spring skips is due right after the gap, and one that autumn repeats is due the first time', () => {
  const rules = { days: undefined, once: true, offsetMs: 0 };
  const calendar = calendarOf(parseSchedule('30 2 * * *'), zoneOf('Europe/Stockholm'), rules);
  const iso = (instant: number): string => new Date(instant).toISOString();
  assert.equal(iso(calendar.next(Date.UTC(2026, 2, 28, 12))), '2026-03-29T01:00:00.000Z');
  assert.equal(iso(calendar.next(Date.UTC(2026, 2, 29, 1))), '2026-03-30T00:30:00.000Z');
  assert.equal(iso(calendar.next(Date.UTC(2026, 9, 24, 12))), '2026-10-25T00:30:00.000Z');
  assert.equal(iso(calendar.next(Date.UTC(2026, 9, 25, 0, 30))), '2026-10-26T01:30:00.000Z');
});

test('the last day of the month, its second Tuesday and every second week are exact over forty years', () => {
  const from = Date.UTC(2000, 0, 1);
  for (const days of [
    lastDayOfMonth(),
    lastDayOfMonth(3),
    nthWeekday(2, 'tue'),
    nthWeekday(-1, 'friday'),
    everyNthWeek(2, '2003-05-06'),
  ]) {
    const calendar = calendarOf(parseSchedule('0 9 * * *'), zoneOf('UTC'), {
      days,
      once: false,
      offsetMs: 0,
    });
    const found: number[] = [];
    for (let due = calendar.next(from - 1); due < Date.UTC(2040, 0, 1); due = calendar.next(due))
      found.push(due);
    const expected: number[] = [];
    for (let day = from; day < Date.UTC(2040, 0, 1); day += DAY) {
      if (passes(days, new Date(day))) expected.push(day + 9 * 60 * MINUTE);
    }
    assert.deepEqual(found, expected, JSON.stringify(days));
  }
});

test('C3: a rule that leaves no day of an expression is known', () => {
  assert.equal(hasSuchDay(parseSchedule('0 0 15 * *'), lastDayOfMonth()), false);
  assert.equal(hasSuchDay(parseSchedule('0 0 29 2 *'), lastDayOfMonth()), true);
  assert.equal(hasSuchDay(parseSchedule('0 0 29 2 *'), nthWeekday(5, 'sunday')), true);
  assert.equal(hasSuchDay(parseSchedule('0 0 * * 1'), nthWeekday(2, 'tue')), false);
  assert.equal(hasSuchDay(parseSchedule('0 9 * * 2'), everyNthWeek(2, '2026-01-06')), true);
});

test('a rule that makes no sense is refused, and the error says what to write', () => {
  assert.throws(() => lastDayOfMonth(31), /days\.last must be a whole number from 0 to 30/);
  assert.throws(() => nthWeekday(0, 'tue'), /days\.nth must be a whole number from 1 to 5, or from -1 to -5/);
  assert.throws(() => nthWeekday(2, 'tuesdi'), /"tuesdi" is no weekday; write "tue", or 2/);
  assert.throws(() => everyNthWeek(2, '2026-02-30'), /days\.from must be a date such as "2026-01-06"/);
  assert.throws(() => everyNthWeek(0, '2026-02-03'), /days\.everyWeeks must be a whole number from 1/);
});

test('H5: the offset of a name is whole seconds below the jitter, the same for ever, and spread evenly', () => {
  assert.equal(jitterOffset('nightly-report', 3_600_000), 1_348_000);
  const tenths = new Array<number>(10).fill(0);
  for (let task = 0; task < 10_000; task++) {
    const offset = jitterOffset(`task-${task}`, 600_000);
    assert.ok(offset % 1000 === 0 && offset >= 0 && offset < 600_000);
    tenths[Math.floor(offset / 60_000)]++;
  }
  for (const count of tenths) assert.ok(count > 800 && count < 1200, tenths.join());
});

test('H5 neighbouring names lie far apart, whatever the jitter is', () => {
  for (const length of [60, 120, 180, 300, 3600]) {
    const offsets = Array.from(
      { length: 1000 },
      (_, shard) => jitterOffset(`shard-${shard}`, length * 1000) / 1000,
    );
    const near = offsets.filter((offset, shard) => {
      const distance = Math.abs(offset - offsets[(shard + 1) % 1000]);
      return Math.min(distance, length - distance) <= length / 10;
    });
    // A fifth of all pairs, by chance.
    assert.ok(near.length > 150 && near.length < 250, `${near.length} of 1000 within ${length} s`);
  }
});

test('B2 the last day of a month is found after a night in which clocks change', () => {
  const calendar = calendarOf(parseSchedule('30 0 * * *'), zoneOf('Europe/Stockholm'), {
    days: lastDayOfMonth(),
    once: false,
    offsetMs: 0,
  });
  // On 30 March 2025, the day before, clocks go forward: that day is an hour shorter than the one that was passed over first.
  assert.equal(calendar.next(Date.UTC(2025, 2, 29, 12)), Date.UTC(2025, 2, 30, 22, 30));
  assert.equal(calendar.previous(Date.UTC(2025, 3, 29, 12)), Date.UTC(2025, 2, 30, 22, 30));
});

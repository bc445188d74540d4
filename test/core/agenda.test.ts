/** The agenda against the cron engine itself: it tells of every task that has become due, and says when to look next. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { Agenda } from '../../src/core/agenda.ts';
import { nextDue, previousDue } from '../../src/cron/due.ts';
import { parseSchedule } from '../../src/cron/expression.ts';
import { zoneOf } from '../../src/time/zone.ts';

const UTC = zoneOf('UTC');
const START = Date.UTC(2026, 0, 1, 11, 58, 30);
const schedules = ['* * * * *', '0 12 * * *', '0,30 * * * *', '5 12 1 1 *', '0 0 29 2 *'].map(parseSchedule);

/** Hands an agenda the time, and collects whom it tells of. */
function toldBy(agenda: Agenda, now: number): number[] {
  const told: number[] = [];
  agenda.advance(now, (task) => told.push(task));
  return told.toSorted((a, b) => a - b);
}

describe('the agenda', () => {
  test('without tasks there is nothing to wake for', () => {
    const agenda = new Agenda([], UTC, START);
    assert.equal(agenda.next, Number.POSITIVE_INFINITY);
    assert.deepEqual(toldBy(agenda, START + 1e9), []);
  });

  test('tasks of equal schedules are told of together, once each, at their minute', () => {
    const [minutely, noon] = schedules;
    const agenda = new Agenda([noon, minutely, noon, noon], UTC, START);
    assert.equal(agenda.next, Date.UTC(2026, 0, 1, 11, 59));
    assert.deepEqual(toldBy(agenda, agenda.next - 1), []);
    assert.deepEqual(toldBy(agenda, agenda.next), [1]);
    assert.equal(agenda.next, Date.UTC(2026, 0, 1, 12));
    assert.deepEqual(toldBy(agenda, agenda.next), [0, 1, 2, 3]);
    assert.deepEqual(toldBy(agenda, Date.UTC(2026, 0, 1, 12)), []);
  });

  test('with a task comes the first instant at which it became due, however many have passed', () => {
    const [minutely, noon] = schedules;
    const agenda = new Agenda([minutely, noon], UTC, START);
    const told: [number, number][] = [];
    agenda.advance(Date.UTC(2026, 0, 1, 15), (task, dueAt) => told.push([task, dueAt]));
    assert.deepEqual(told, [
      [0, Date.UTC(2026, 0, 1, 11, 59)],
      [1, Date.UTC(2026, 0, 1, 12)],
    ]);
  });

  test('whatever the steps in which time passes, nobody is forgotten and nobody told of without a due', () => {
    const picks = fc.array(fc.nat({ max: schedules.length - 1 }), { minLength: 1, maxLength: 12 });
    const steps = fc.array(fc.integer({ min: 1, max: 7_200_000 }), { maxLength: 20 });
    const zones = fc.constantFrom('UTC', 'Europe/London', 'Asia/Kathmandu').map(zoneOf);
    fc.assert(
      fc.property(picks, steps, zones, (picked, passes, zone) => {
        const tasks = picked.map((pick) => schedules[pick]);
        const agenda = new Agenda(tasks, zone, START);
        let now = START;
        for (const pass of passes) {
          const before = now;
          now += pass;
          const expected = tasks.flatMap((schedule, task) =>
            nextDue(schedule, zone, before) <= now ? [task] : [],
          );
          assert.deepEqual(toldBy(agenda, now), expected);
          assert.equal(agenda.next, Math.min(...tasks.map((schedule) => nextDue(schedule, zone, now))));
          for (const [task, schedule] of tasks.entries()) {
            assert.equal(agenda.lastDue(task, now), previousDue(schedule, zone, now));
            assert.equal(
              agenda.lastDue(task, before),
              previousDue(schedule, zone, before),
              'B5: also back in time',
            );
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  test('B5 after a reset it begins anew from that instant, either way', () => {
    const agenda = new Agenda([schedules[1]], UTC, START);
    agenda.reset(START + 86_400_000);
    assert.equal(agenda.next, Date.UTC(2026, 0, 2, 12));
    agenda.reset(START);
    assert.equal(agenda.next, Date.UTC(2026, 0, 1, 12));
    assert.deepEqual(toldBy(agenda, Date.UTC(2026, 0, 1, 12)), [0]);
  });
});

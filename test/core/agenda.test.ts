/** The agenda against the cron engine itself: it tells of every task that has become due, and says when to look next. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Agenda } from '../../src/core/agenda.ts';
import { PLAIN } from '../../src/core/policy.ts';
import { nextDue, previousDue } from '../../src/cron/due.ts';
import { parseSchedule } from '../../src/cron/expression.ts';
import type { Schedule } from '../../src/cron/schedule.ts';
import { type Zone, zoneOf } from '../../src/time/zone.ts';
import { fc } from '../property.ts';

const UTC = zoneOf('UTC');
const START = Date.UTC(2026, 0, 1, 11, 58, 30);
const schedules = ['* * * * *', '0 12 * * *', '0,30 * * * *', '5 12 1 1 *', '0 0 29 2 *'].map(parseSchedule);

/** An agenda of these schedules, one task each, from an instant on. */
function agendaOf(tasks: readonly Schedule[], zone: Zone, now: number): Agenda {
  const agenda = new Agenda(
    tasks.map((schedule, index) => ({ name: `task ${index}`, cron: '', schedule, policy: PLAIN })),
    zone,
  );
  agenda.reset(now);
  return agenda;
}

/** Hands an agenda the time, and collects which tasks it reports, so many per step. */
function toldBy(agenda: Agenda, now: number, limit = 3): number[] {
  const told: number[] = [];
  while (!agenda.advance(now, limit, (task) => told.push(task))) assert.ok(told.length % limit === 0);
  return told.toSorted((a, b) => a - b);
}

describe('the agenda', () => {
  test('without tasks there is nothing to wake for', () => {
    const agenda = agendaOf([], UTC, START);
    assert.equal(agenda.next, Number.POSITIVE_INFINITY);
    assert.deepEqual(toldBy(agenda, START + 1e9), []);
  });

  test('tasks of equal schedules are told of together, once each, at their minute', () => {
    const [minutely, noon] = schedules;
    const agenda = agendaOf([noon, minutely, noon, noon], UTC, START);
    assert.equal(agenda.next, Date.UTC(2026, 0, 1, 11, 59));
    assert.deepEqual(toldBy(agenda, agenda.next - 1), []);
    assert.deepEqual(toldBy(agenda, agenda.next), [1]);
    assert.equal(agenda.next, Date.UTC(2026, 0, 1, 12));
    assert.deepEqual(toldBy(agenda, agenda.next), [0, 1, 2, 3]);
    assert.deepEqual(toldBy(agenda, Date.UTC(2026, 0, 1, 12)), []);
  });

  test('with a task comes the first instant at which it became due, however many have passed', () => {
    const [minutely, noon] = schedules;
    const agenda = agendaOf([minutely, noon], UTC, START);
    const told: [number, number][] = [];
    agenda.advance(Date.UTC(2026, 0, 1, 15), 10, (task, dueAt) => told.push([task, dueAt]));
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
        const agenda = agendaOf(tasks, zone, START);
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

  test('many tasks are reported some at a time, also when the next minute comes in between', () => {
    const [minutely] = schedules;
    const agenda = agendaOf(Array(10).fill(minutely), UTC, START);
    const told: number[] = [];
    const noon = Date.UTC(2026, 0, 1, 12);
    assert.equal(
      agenda.advance(noon - 60_000, 4, (task) => told.push(task)),
      false,
    );
    assert.equal(
      agenda.advance(noon, 8, (task) => told.push(task)),
      false,
    );
    assert.equal(
      agenda.advance(noon, 9, (task) => told.push(task)),
      true,
    );
    assert.deepEqual(told, [...Array(10).keys(), ...Array(10).keys()]);
  });

  test('B5 after a reset it begins anew from that instant, either way', () => {
    const agenda = agendaOf([schedules[1]], UTC, START);
    agenda.reset(START + 86_400_000);
    assert.equal(agenda.next, Date.UTC(2026, 0, 2, 12));
    agenda.reset(START);
    assert.equal(agenda.next, Date.UTC(2026, 0, 1, 12));
    assert.deepEqual(toldBy(agenda, Date.UTC(2026, 0, 1, 12)), [0]);
  });
});

/** `obbligato preview`: the load, collisions and clock changes of a configuration, in a terminal and as data. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { previewCommand } from '../../src/cli/commands/preview.ts';
import { isCliError } from '../../src/cli/errors.ts';
import { type Forecast, forecast } from '../../src/cli/preview/forecast.ts';
import { busiestOf, collisionsOf, peaksOf } from '../../src/cli/preview/load.ts';
import { surprisesOf } from '../../src/cli/preview/surprises.ts';
import { mapText } from '../../src/cli/preview/text.ts';
import { parseSchedule } from '../../src/cron/expression.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { civilMinutes, naiveMatcher } from '../oracle/brute-force.ts';
import { fc } from '../property.ts';
import { temporaryFolder } from '../store/kit.ts';
import { call, NOW, obbligato, writeConfig } from './commands-kit.ts';

const STOCKHOLM = zoneOf('Europe/Stockholm');
const MARCH = Date.parse('2027-03-20T00:00:00+01:00');

const planned = (tasks: Readonly<Record<string, string>>) =>
  Object.entries(tasks).map(([name, cron]) => ({ name, cron, schedule: parseSchedule(cron) }));

const look = (tasks: Readonly<Record<string, string>>, days = 30, from = MARCH): Forecast =>
  forecast(planned(tasks), STOCKHOLM, from, days);

const CONFIG = `timeZone: 'Europe/Stockholm', tasks: [
  ['poll', '0,15,30,45 * * * *', nothing, minutes(1)],
  ['report', '0 6 * * 1-5', nothing, minutes(1)],
  ['invoices', '0 6 * * 1-5', nothing, minutes(1)],
  ['backup', '30 2 * * *', nothing, minutes(1)],
  ['<b>&"yearly"', '0 0 1 7 *', nothing, minutes(1)],
]`;

describe('the forecast', () => {
  const days = ['2027-03-27T23:00:00Z', '2027-10-30T22:00:00Z'].map((day) => Date.parse(day));
  const seen = new Map(
    days.map((from) => [from, civilMinutes('Europe/Stockholm', from, from + 26 * 3_600_000)]),
  );
  const expression = fc.constantFrom(
    '0,30 * * * *',
    '30 2 * * *',
    '0-10 1-3 * * *',
    '15 2,14 * * 0',
    '0 0 * * *',
    '* 2 * * *',
  );

  test('B1 the most starts in each minute of the day are those that the oracle counts, clock changes and all', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...days),
        fc.array(expression, { minLength: 1, maxLength: 5 }),
        (from, crons) => {
          const result = look(
            Object.fromEntries(crons.map((cron, index) => [`task ${index}`, cron])),
            1,
            from,
          );
          const clocks = (seen.get(from) ?? []).filter(({ instant }) => instant < result.to);
          const expected = new Uint32Array(1440);
          let starts = 0;
          for (const clock of clocks) {
            const load = crons.filter((cron) => naiveMatcher(cron)(clock)).length;
            starts += load;
            expected[clock.hour * 60 + clock.minute] = Math.max(
              expected[clock.hour * 60 + clock.minute],
              load,
            );
          }
          assert.deepEqual(peaksOf(result), expected);
          assert.equal(result.starts, starts);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('days are those of the calendar: one of them has 23 hours', () => {
    assert.equal(look({ a: '0 0 * * *' }).to, Date.parse('2027-04-19T00:00:00+02:00'));
    assert.equal(look({ a: '0 12 * * *' }).starts, 30);
  });

  test('an instant that is due now counts, the last one does not', () => {
    assert.equal(look({ a: '0 0 * * *' }, 1).starts, 1);
  });

  test('tasks that meet, the most first, and how often', () => {
    const busiest = busiestOf(
      look({ a: '0 6 * * *', b: '0 6 * * *', c: '0 6,18 * * *', d: '1 1 * * *' }, 10),
      5,
    );
    assert.deepEqual(
      busiest.map(({ tasks, times, minutes }) => ({ tasks, times, minutes })),
      [{ tasks: ['a', 'b', 'c'], times: 10, minutes: [360] }],
    );
    assert.equal(busiest[0].first, Date.parse('2027-03-20T06:00:00+01:00'));
  });

  test('a minute stands in one line, whoever meets in it on which day', () => {
    const busiest = busiestOf(
      look({ a: '0 0 * * *', b: '0 0 * * 1-5', c: '0 0 * * 1', d: '0 12 * * *', e: '0 12 * * *' }, 14),
      5,
    );
    assert.deepEqual(
      busiest.map(({ tasks, fewest, most, times, minutes }) => ({ tasks, fewest, most, times, minutes })),
      [
        { tasks: ['a', 'b', 'c'], fewest: 2, most: 3, times: 10, minutes: [0] },
        { tasks: ['d', 'e'], fewest: 2, most: 2, times: 14, minutes: [720] },
      ],
    );
  });

  test('tasks that always meet: the same minutes in other words, and minutes within others’', () => {
    const found = collisionsOf(
      look({
        a: '0 6 * * *',
        b: '0 6 1-31 * *',
        c: '0 6,18 * * *',
        d: '0 7 * * *',
        every: '* * * * *',
        once: '0 18 25 3 *',
      }),
    );
    assert.deepEqual(found, [
      { kind: 'always together', tasks: ['a', 'b'], beside: [], starts: 30 },
      { kind: 'never alone', tasks: ['a', 'b'], beside: ['c'], starts: 30 },
    ]);
  });

  test('B1 what a clock change does is told once for all tasks it does it to', () => {
    const [surprise, ...rest] = surprisesOf(
      look({ a: '30 2 * * *', b: '30 2 * * 0', c: '30 2 * * 1', d: '30 * * * *' }),
    );
    assert.deepEqual(rest, []);
    assert.equal(surprise.isWithin, true);
    assert.deepEqual(surprise.hits, [{ effect: 'skipped', tasks: ['a', 'b'], minutes: '02:30' }]);
  });

  test('a change beyond the days is the next one; a zone without any has none', () => {
    const [next] = surprisesOf(look({ a: '30 2 * * *' }, 1));
    assert.deepEqual([next.isWithin, next.hits[0].effect], [false, 'skipped']);
    assert.deepEqual(surprisesOf(forecast(planned({ a: '30 2 * * *' }), zoneOf('UTC'), NOW, 30)), []);
  });

  test('a hundred thousand tasks are looked at as fast as their expressions', () => {
    const tasks = Array.from({ length: 100_000 }, (_, index) => ({
      name: `task ${index}`,
      cron: '0 0 * * *',
      schedule: parseSchedule('0 0 * * *'),
    }));
    const result = forecast(tasks, STOCKHOLM, MARCH, 30);
    assert.deepEqual([result.starts, peaksOf(result)[0], result.groups.length], [3_000_000, 100_000, 1]);
  });
});

describe('the map', () => {
  const plain = { bold: String, dim: String, red: String, green: String, yellow: String };
  const peaks = new Uint32Array(1440);
  peaks[0] = 1;
  peaks[61] = 12;
  peaks[1439] = 3;

  test('one row an hour, one cell a minute, and digits that a pipe can carry', () => {
    const lines = mapText(peaks, 80, plain).split('\n');
    assert.equal(lines[0].indexOf(':10'), 14);
    assert.equal(lines[1], `00  1${'·'.repeat(59)}`);
    assert.equal(lines[2], `01  ·#${'·'.repeat(58)}`);
    assert.equal(lines[24], `23  ${'·'.repeat(59)}3`);
  });

  test('in a narrow terminal a cell stands for several minutes, and nothing is lost', () => {
    for (let width = 20; width < 70; width++) {
      const lines = mapText(peaks, width, plain).split('\n');
      for (const line of lines) assert.ok(line.length <= width, `${width}: ${line}`);
      assert.ok(lines[1].slice(4).includes('1'), `${width}: ${lines[1]}`);
      assert.ok(lines[2].slice(4).includes('#'), `${width}: ${lines[2]}`);
      assert.ok(lines[24].slice(4).includes('3'), `${width}: ${lines[24]}`);
    }
  });
});

describe('obbligato preview', () => {
  test('as a process: the map, the busiest minutes, collisions and surprises', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(folder, CONFIG);
    const { code, out, err } = await obbligato(t, ['preview', '--from', '2027-03-20'], { cwd: folder });
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^5 tasks, 2,945 starts in 30 days, 2027-03-20 to 2027-04-18 {2}Europe\/Stockholm\n/);
    assert.match(out, /^02 {2}1·{14}1·{14}2·{14}1·{14}$/m);
    assert.match(out, /^ {2}3 tasks {2}06:00 +20 times +poll, report, invoices$/m);
    assert.match(out, /^ {2}report, invoices always start together \(20 starts\)$/m);
    assert.match(out, /^ {2}- backup: 02:30 does not happen and is skipped$/m);
    assert.match(out, /Not due in these days\n {2}<b>&"yearly"\n/);
    assert.ok(!existsSync(join(folder, 'obbligato.db')), 'no store is touched');
  });

  test('as JSON, from a configuration that is named', async (t) => {
    const folder = await temporaryFolder(t);
    const path = writeConfig(folder, CONFIG);
    const { out } = await obbligato(t, ['preview', path, '--from', '2027-03-20', '--days', '10', '--json'], {
      cwd: '/',
    });
    const { starts, days, byExpression, clockChanges, peaksByMinuteOfDay, collisions } = JSON.parse(out);
    assert.deepEqual(
      [days, starts, byExpression.length, peaksByMinuteOfDay.length],
      [10, 956 + 12 + 9, 4, 1440],
    );
    assert.deepEqual(clockChanges[0].hits, [{ effect: 'skipped', tasks: ['backup'], minutes: '02:30' }]);
    assert.equal(collisions[0].kind, 'always together');
  });

  test('what is wrong is told', async (t) => {
    const folder = await temporaryFolder(t);
    const none = await obbligato(t, ['preview'], { cwd: folder });
    assert.equal(none.code, 2);
    assert.match(none.err, /no obbligato\.config\.ts/);
    writeConfig(folder, `tasks: [['x', '*/5 * * * *', nothing, 0]]`);
    const bad = await obbligato(t, ['preview'], { cwd: folder });
    assert.notEqual(bad.code, 0);
    assert.match(bad.err, /write 0,5,10,15/);
    await assert.rejects(call(previewCommand, ['--days', '0'], { cwd: folder }), (error) => {
      assert.ok(isCliError(error, 'usage'));
      assert.match(error.message, /--days takes a whole number from 1 to 366/);
      return true;
    });
  });

  test('has no picture and no page of its own, and says where they are', async (t) => {
    const folder = await temporaryFolder(t);
    writeConfig(folder, CONFIG);
    for (const option of ['--svg', '--html']) {
      const { code, out, err } = await obbligato(t, ['preview', option, 'load'], { cwd: folder });
      assert.deepEqual([code, out], [2, '']);
      assert.match(
        err,
        new RegExp(`There is no ${option} here: the Load and Plan views of "obbligato dashboard"`),
      );
      assert.ok(!existsSync(join(folder, 'load')));
    }
  });
});

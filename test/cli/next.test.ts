/** `obbligato next` and `obbligato explain`: local times, skipped and doubled minutes, and refusals that say what to write. */
import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { describe, test } from 'node:test';
import { explainCommand } from '../../src/cli/commands/explain.ts';
import { nextCommand } from '../../src/cli/commands/next.ts';
import { isCliError } from '../../src/cli/errors.ts';
import { upcoming } from '../../src/cli/schedule/upcoming.ts';
import { parseCron } from '../../src/cron/index.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { civilMinutes, naiveMatcher } from '../oracle/brute-force.ts';
import { call, obbligato } from './commands-kit.ts';

const STOCKHOLM = ['--tz', 'Europe/Stockholm'];

describe('obbligato next', () => {
  test('B1 a skipped minute is marked, with the change that skips it', async () => {
    const { code, out } = await call(nextCommand, [
      '30 2 * * *',
      ...STOCKHOLM,
      '--from',
      '2027-03-27',
      '-n',
      '2',
    ]);
    assert.equal(code, 0);
    assert.equal(
      out,
      `30 2 * * *  Europe/Stockholm

  Sat 2027-03-27 02:30 +01:00  in 2 h 30 min
  Sun 2027-03-28 02:30         skipped        the clock goes from 02:00 to 03:00
  Mon 2027-03-29 02:30 +02:00  in 2 d 1 h
`,
    );
  });

  test('B1 a minute that comes twice is due twice, and told apart', async () => {
    const { out } = await call(nextCommand, [
      '30 2 * * *',
      ...STOCKHOLM,
      '--from',
      '2027-10-31',
      '-n',
      '3',
      '--json',
    ]);
    const { due, skipped, timeZone } = JSON.parse(out);
    assert.equal(timeZone, 'Europe/Stockholm');
    assert.deepEqual(skipped, []);
    assert.deepEqual(
      due.map(({ local, coming, inMs }: Record<string, unknown>) => [local, coming, inMs]),
      [
        ['2027-10-31T02:30:00+02:00', 'first', 9_000_000],
        ['2027-10-31T02:30:00+01:00', 'second', 12_600_000],
        ['2027-11-01T02:30:00+01:00', 'only', 99_000_000],
      ],
    );
  });

  test('whole days that are skipped, and half hours', async () => {
    const apia = await call(nextCommand, [
      '0 12 * * *',
      '--tz',
      'Pacific/Apia',
      '--from',
      '2011-12-29',
      '-n',
      '2',
      '--json',
    ]);
    assert.deepEqual(JSON.parse(apia.out).skipped, [
      { local: '2011-12-30T12:00', clockChangeAt: '2011-12-30T10:00:00.000Z' },
    ]);
    const lordHowe = await call(nextCommand, [
      '15,45 1 * * *',
      '--tz',
      'Australia/Lord_Howe',
      '--from',
      '2027-04-04',
      '-n',
      '3',
      '--json',
    ]);
    assert.deepEqual(
      JSON.parse(lordHowe.out).due.map(({ coming }: { coming: string }) => coming),
      ['only', 'first', 'second'],
    );
  });

  for (const day of ['2027-03-28', '2027-10-31']) {
    for (const text of ['0,7,14,21,28,35,42,49,56 * * * *', '0,30 1-3 * * *', '59 2 * * *', '* * * * *']) {
      test(`B1 on ${day}, "${text}" has every minute that the oracle sees, and marks those that it sees twice or never`, () => {
        const zone = zoneOf('Europe/Stockholm');
        const from = Date.parse(`${day}T00:00:00Z`) - 7_200_000;
        const seen = civilMinutes(zone.name, from, from + 86_400_000);
        const shown = seen.map(({ day: date, hour, minute }) => `${date} ${hour}:${minute}`);
        const expected = seen.filter(naiveMatcher(text)).map(({ instant }) => instant);
        const expression = parseCron(text, { timeZone: zone.name });
        const found = upcoming({ name: '', cron: text }, expression, zone, from - 1, expected.length);
        const due = found.filter((each) => each.kind === 'due');
        assert.deepEqual(
          due.map(({ at }) => at),
          expected,
        );
        for (const { at, coming } of due) {
          const place = seen.findIndex(({ instant }) => instant === at);
          const isFirst = shown.indexOf(shown[place]) === place;
          const isLast = shown.lastIndexOf(shown[place]) === place;
          assert.equal(coming, isFirst ? (isLast ? 'only' : 'first') : 'second', shown[place]);
        }
        const skipped = found.filter((each) => each.kind === 'skipped');
        for (const { minute } of skipped) {
          const clock = new Date(minute * 60_000);
          const time = `${clock.getUTCDate()} ${clock.getUTCHours()}:${clock.getUTCMinutes()}`;
          assert.ok(!shown.includes(time), `${time} does happen`);
        }
        assert.equal(skipped.length > 0, day === '2027-03-28' && text !== '59 2 * * *');
      });
    }
  }

  test('C4 what other crons write is understood, and its POSIX form told', async () => {
    const { out } = await call(nextCommand, ['@daily', '--tz', 'UTC', '-n', '1']);
    assert.match(
      out,
      /^0 0 \* \* \* {2}UTC\n\(the POSIX form of @daily\)\n\n {2}Mon 2027-01-11 00:00 \+00:00 {2}in 12 h\n$/,
    );
    const { out: text } = await call(nextCommand, [
      '*/20 9-17 * * mon-fri',
      '--tz',
      'UTC',
      '-n',
      '1',
      '--json',
    ]);
    assert.equal(JSON.parse(text).posix, '0,20,40 9-17 * * 1-5');
  });

  test('every wrong word is refused with the way out', async () => {
    const refused: ReadonlyArray<readonly [readonly string[], RegExp]> = [
      [['0 0 L * *'], /Quartz token "L".*days: lastDayOfMonth\(\)/],
      [['0 24 * * *'], /midnight is 0/],
      [['0 0 30 2 *'], /never due/],
      [['30', '2', '*', '*', '1'], /put it in quotes, '30 2 \* \* 1'/],
      [['* * * * *', '-n', '0'], /--count takes a whole number from 1 to 10000, such as --count 5; got "0"/],
      [['* * * * *', '-n', 'many'], /got "many"/],
      [['* * * * *', '--tz', 'Europe/Stokholm'], /did you mean "Europe\/Stockholm"/],
      [['* * * * *', '--tz', 'BST'], /Europe\/London/],
      [['* * * * *', '--from', 'tomorrow'], /write 2027-03-28, 2027-03-28T02:30/],
      [['* * * * *', '--from', '2027-02-30'], /is not a date/],
      [['\u001b[31m'], /u\{1b\}/],
      [[], /write one in quotes/],
    ];
    for (const [words, message] of refused) {
      await assert.rejects(call(nextCommand, words), (error) => {
        assert.ok(isCliError(error, 'usage'), String(error));
        assert.match(error.message, message);
        assert.doesNotMatch(error.message, /\p{Cc}/u);
        return true;
      });
    }
  });

  test('in a narrow terminal no line is too long, and no date is cut', async () => {
    for (const columns of [30, 40, 60]) {
      const { out } = await call(nextCommand, ['30 2 * * *', ...STOCKHOLM, '--from', '2027-03-27'], {
        isTTY: true,
        columns,
        env: { NO_COLOR: '1' },
      });
      const lines = out.split('\n').slice(2, -1);
      for (const line of lines) {
        assert.ok(line.length <= columns, `${columns}: ${line}`);
        assert.match(line, /^ {2}\w{3} \d{4}-\d\d-\d\d \d\d:\d\d( |$)/);
      }
      assert.match(lines[1], /02:30 +skipped/);
    }
  });

  test('as a process: exit codes, and an answer that a program can read', async (t) => {
    const good = await obbligato(t, ['next', '0 6 * * *', '--json', '-n', '2'], { cwd: tmpdir() });
    assert.deepEqual([good.code, good.err, JSON.parse(good.out).due.length], [0, '', 2]);
    const bad = await obbligato(t, ['next', '61 * * * *'], { cwd: tmpdir() });
    assert.deepEqual([bad.code, bad.out], [2, '']);
    assert.match(bad.err, /outside 0-59/);
  });
});

describe('obbligato explain', () => {
  test('says what it means, field by field, and what clock changes do', async () => {
    const { code, out } = await call(explainCommand, ['30 2 * * *', ...STOCKHOLM]);
    assert.equal(code, 0);
    assert.match(out, /^30 2 \* \* \*\n\nAt 02:30 every day, Europe\/Stockholm time\./);
    assert.match(
      out.replaceAll('\n', ' '),
      /On Sunday 28 March 2027 .* 02:30 does not exist then and is skipped/,
    );
    assert.match(out, /^ {2}hour {5}2 {3}of 0-23$/m);
    assert.match(out, /^Next: Mon 2027-01-11 02:30 \+01:00 \(in 13 h 30 min\)$/m);
  });

  test('C4 gives the POSIX form of what is not POSIX, and says why it is not', async () => {
    const { out } = await call(explainCommand, ['*/15 * * * mon', '--tz', 'UTC']);
    assert.match(out, /\*\/15 \* \* \* mon is not POSIX cron: its minute field has the step "\*\/15"/);
    assert.match(out, /^In POSIX it is {2}0,15,30,45 \* \* \* 1$/m);
  });

  test('C4 of the expression as a whole it does not speak as of a field', async (t) => {
    const short = await obbligato(t, ['explain', '0 0 * *'], { cwd: tmpdir() });
    assert.equal(short.code, 2);
    assert.match(short.err, /^error: Invalid cron expression "0 0 \* \*": it has 4 fields/);
    const macro = await obbligato(t, ['explain', '@daily'], { cwd: tmpdir() });
    assert.match(macro.out, /^@daily is not POSIX cron: it is the macro /);
  });

  test('as JSON, the clock changes with what they do', async () => {
    const { out } = await call(explainCommand, ['30 2 * * *', ...STOCKHOLM, '--json']);
    const { valid, clockChanges } = JSON.parse(out);
    assert.equal(valid, true);
    assert.deepEqual(clockChanges, [
      { at: '2027-03-28T01:00:00.000Z', forward: true, effect: 'skipped', minutes: ['2027-03-28T02:30'] },
      { at: '2027-10-31T01:00:00.000Z', forward: false, effect: 'doubled', minutes: ['2027-10-31T02:30'] },
    ]);
  });

  test('what has no POSIX form exits with 2, in words or as JSON', async () => {
    await assert.rejects(call(explainCommand, ['0 0 L * *']), { kind: 'usage' });
    const { code, out } = await call(explainCommand, ['0 0 L * *', '--json']);
    assert.equal(code, 2);
    const { valid, posix, problem } = JSON.parse(out);
    assert.deepEqual([valid, posix, problem.field], [false, null, 'day']);
  });
});

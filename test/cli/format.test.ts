/** Text for terminals: widths, tables, colours, and moments as people write them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { json } from '../../src/cli/json.ts';
import { roomOf } from '../../src/cli/room.ts';
import { styleFor } from '../../src/cli/terminal/style.ts';
import { table, withoutSpare } from '../../src/cli/terminal/table.ts';
import { printable, truncate, widthOf, wrap } from '../../src/cli/terminal/text.ts';
import { distanceText, localIso, offsetText, readMoment } from '../../src/cli/words.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { fakeIo } from './commands-kit.ts';

const coloured = styleFor({ write() {}, isTTY: true }, {});

describe('text', () => {
  test('colours are for a terminal whose user wants them', () => {
    const red = (surroundings: Parameters<typeof fakeIo>[0]): string => {
      const { stdout, env } = fakeIo(surroundings).io;
      return styleFor(stdout, env).red('x');
    };
    assert.equal(red({ isTTY: true }), '\u001b[31mx\u001b[39m');
    assert.equal(red({ isTTY: false }), 'x');
    assert.equal(red({ isTTY: true, env: { NO_COLOR: '1' } }), 'x');
    assert.equal(red({ isTTY: true, env: { NO_COLOR: '' } }), '\u001b[31mx\u001b[39m');
    assert.equal(red({ isTTY: true, env: { TERM: 'dumb' } }), 'x');
    assert.equal(red({ isTTY: false, env: { FORCE_COLOR: '1' } }), '\u001b[31mx\u001b[39m');
  });

  test('a pipe has no width, a terminal never none', () => {
    assert.equal(roomOf(fakeIo({ isTTY: false, columns: 40 }).io.stdout), Number.POSITIVE_INFINITY);
    assert.equal(roomOf(fakeIo({ isTTY: true, columns: 40 }).io.stdout), 40);
    assert.equal(roomOf({ write() {}, isTTY: true }), 80);
    assert.equal(roomOf(fakeIo({ isTTY: true, columns: 0 }).io.stdout), 80);
  });

  test('no control character gets through', () => {
    assert.equal(printable('a\u001b[2Jb\nc'), 'a\\u{1b}[2Jb\\u{a}c');
  });

  test('wide and combining characters are measured as terminals show them', () => {
    assert.equal(widthOf('日本'), 4);
    assert.equal(widthOf('e\u0301'), 1);
    assert.equal(widthOf(coloured.red('abc')), 3);
    assert.equal(truncate('日本語', 5), '日本…');
    assert.equal(truncate('abc', 3), 'abc');
  });

  test('a table fits whatever it is put into', () => {
    const cell = fc.oneof(
      fc.string({ maxLength: 30 }).map(printable),
      fc.constant('日本語のタスク'),
      fc.constant(coloured.green('green')),
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 20, max: 120 }),
        (rows, width) => {
          const lines = table(rows, width);
          assert.equal(lines.length, rows.length);
          for (const line of lines) assert.ok(widthOf(line) <= width, line);
        },
      ),
    );
  });

  test('a table that has room cuts nothing and stands in line', () => {
    assert.deepEqual(
      table(
        [
          ['a', 'bb', 'c'],
          ['dddd', 'e', ''],
        ],
        80,
      ),
      ['a     bb  c', 'dddd  e'],
    );
    assert.deepEqual(table([['a'.repeat(30), 'short']], 20), [`${'a'.repeat(12)}…  short`]);
  });

  test('columns that can be spared go, in their order, before others are cut', () => {
    const rows = [
      ['a', 'bbbb', 'cccc', 'dddd'],
      ['1', '2', '3', '4'],
    ];
    assert.deepEqual(withoutSpare(rows, 19, [1, 3]), rows);
    assert.deepEqual(withoutSpare(rows, 18, [1, 3])[0], ['a', 'cccc', 'dddd']);
    assert.deepEqual(withoutSpare(rows, 12, [1, 3])[0], ['a', 'cccc']);
    assert.deepEqual(withoutSpare(rows, 12, [3, 1])[0], ['a', 'cccc']);
    assert.deepEqual(withoutSpare(rows, 2, [1, 3])[0], ['a', 'cccc'], 'the others stay');
  });

  test('wrapped text has all its words, and no line that could be shorter is too long', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1 }),
        fc.integer({ min: 14, max: 60 }),
        (words, width) => {
          const text = wrap(words.join(' '), width, '  ');
          assert.deepEqual(text.split(/\s+/).filter(Boolean), words);
          for (const line of text.split('\n')) assert.ok(line.length <= width);
        },
      ),
    );
  });

  test('JSON keeps lists of numbers on one line and strings as they are', () => {
    assert.equal(json({ a: [1, -2, 3], b: '[ 1, 2 ]' }), '{\n  "a": [1,-2,3],\n  "b": "[ 1, 2 ]"\n}\n');
    fc.assert(
      fc.property(fc.jsonValue(), (value) =>
        assert.deepEqual(JSON.parse(json(value)), JSON.parse(JSON.stringify(value))),
      ),
    );
  });
});

describe('moments', () => {
  const stockholm = zoneOf('Europe/Stockholm');
  const iso = (text: string): string => new Date(readMoment(text, stockholm)).toISOString();

  test('a time without an offset is the zone’s, with one it is exact', () => {
    assert.equal(iso('2027-01-10'), '2027-01-09T23:00:00.000Z');
    assert.equal(iso('2027-07-10 06:30'), '2027-07-10T04:30:00.000Z');
    assert.equal(iso('2027-07-10T06:30:15Z'), '2027-07-10T06:30:15.000Z');
    assert.equal(iso('2027-07-10T06:30-0330'), '2027-07-10T10:00:00.000Z');
  });

  test('of a time that comes twice it is the first, of a skipped one the change', () => {
    assert.equal(iso('2027-10-31T02:30'), '2027-10-31T00:30:00.000Z');
    assert.equal(iso('2027-03-28T02:30'), '2027-03-28T01:00:00.000Z');
  });

  test('every local time that exists is read back', () => {
    const zones = ['Europe/Stockholm', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia', 'UTC'].map(
      zoneOf,
    );
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 2_000_000_000 }), (zone, seconds) => {
        const text = localIso(zone, seconds * 1000);
        assert.equal(readMoment(text, zone), seconds * 1000);
        const again = readMoment(text.slice(0, 19), zone);
        assert.equal(localIso(zone, again).slice(0, 19), text.slice(0, 19));
      }),
    );
  });

  test('offsets and distances', () => {
    assert.equal(offsetText(0), '+00:00');
    assert.equal(offsetText(-12_600_000), '-03:30');
    assert.equal(distanceText(400), 'now');
    assert.equal(distanceText(90_061_000), 'in 1 d 1 h');
    assert.equal(distanceText(-59_999), '59 s ago');
    assert.equal(distanceText(3_600_000), 'in 1 h');
  });
});

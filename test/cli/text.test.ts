/** Text for terminals: widths, tables, colours, JSON. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { roomOf, styleFor } from '../../src/cli/terminal/style.ts';
import { table, withoutSpare } from '../../src/cli/terminal/table.ts';
import { fill, json, oneLine, printable, truncate, widthOf, wrap } from '../../src/cli/terminal/text.ts';
import { fc } from '../property.ts';
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
    assert.equal(oneLine('\u001b[31ma\tb\nc\u0007\u001b[39m '), 'a b c\ufffd');
  });

  test('width, cut and fill, as terminals show wide and combining characters', () => {
    const widths = ['abc', '日本', '👍', 'é', 'e\u0301', coloured.red('abc')].map(widthOf);
    assert.deepEqual(widths, [3, 4, 2, 1, 1, 3]);
    const cuts = [
      ['abcdef', 4, 'abc…'],
      ['日本語', 4, '日…'],
      ['日本語', 5, '日本…'],
      ['abc', 3, 'abc'],
      ['abc', 1, '…'],
      ['abc', 0, ''],
    ] as const;
    for (const [whole, columns, cut] of cuts) assert.equal(truncate(whole, columns), cut);
    assert.deepEqual([fill('a', 3), fill('a', 3, 'right'), fill('日', 3)], ['a  ', '  a', '日 ']);
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

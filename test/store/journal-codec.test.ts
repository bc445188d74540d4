/** The packed numbers of the journal: what goes in comes out, and what is damaged is named. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { END_WIDTH, ROW } from '../../src/core/rows.ts';
import { RunNames } from '../../src/core/run-names.ts';
import { DamagedEntry, decodeRows, encodeRows } from '../../src/store/journal-codec.ts';
import { ENTRY_WIDTHS, packEntry, unpackEntry } from '../../src/store/journal-entry.ts';
import { fc } from '../property.ts';

const around = (base: number, range: number) => fc.integer({ min: 0, max: range }).map((n) => base + n);

/** Columns as they are: one value, values close together, far apart, with gaps, or anything. */
const column = fc.oneof(
  fc.constant(fc.constant(Number.NaN)),
  fc.double().map((value) => fc.constant(value)),
  ...[0, 200, 255, 256, 65_535, 65_536, 0xffff_fffe, 0xffff_ffff, 2 ** 32].map((range) =>
    fc.maxSafeInteger().map((base) => around(Math.trunc(base / 2), range)),
  ),
  ...[254, 255, 65_534, 0xffff_ffff].map((range) =>
    fc.constant(fc.oneof(around(1.7e12, range), fc.constant(Number.NaN))),
  ),
  fc.constant(fc.double()),
);

const rows = fc
  .tuple(fc.array(column, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 40 }))
  .chain(([columns, count]) => fc.array(fc.tuple(...columns), { minLength: count, maxLength: count }))
  .map((list) => ({ count: list.length, width: list[0].length, cells: Float64Array.from(list.flat()) }));

describe('the codec of the journal', () => {
  test('gives back the very numbers that it was given', () => {
    fc.assert(
      fc.property(rows, ({ count, width, cells }) => {
        // Zero is zero, whatever its sign.
        const plain = (numbers: Float64Array) => numbers.map((number) => number + 0);
        assert.deepEqual(plain(decodeRows(encodeRows(cells, width), count, width)), plain(cells));
      }),
    );
  });

  test('takes one byte where the values are close together, and none where they are equal', () => {
    const cells = Float64Array.from({ length: 200 }, (_, at) => (at % 2 === 0 ? 1.7e12 : 1.7e12 + at));
    assert.equal(encodeRows(cells, 2).length, 4 + 9 + 9 + 100);
  });

  test('the largest difference of each width fits, and the next one is wider', () => {
    const sizes = [0xff, 0x100, 0xffff, 0x1_0000, 0xffff_ffff, 0x1_0000_0000].map((range) => {
      const cells = Float64Array.of(-5, -5 + range, 0);
      const bytes = encodeRows(cells, 1);
      assert.deepEqual(decodeRows(bytes, 3, 1), cells);
      const gap = Float64Array.of(-5, -5 + range, Number.NaN);
      assert.deepEqual(decodeRows(encodeRows(gap, 1), 3, 1), gap);
      return (bytes.length - 13) / 3;
    });
    assert.deepEqual(sizes, [1, 2, 2, 4, 4, 8]);
  });

  test('E7 bytes that are no such rows are damage, whatever they are', () => {
    fc.assert(
      fc.property(rows, fc.nat(), fc.integer({ min: 1, max: 255 }), ({ count, width, cells }, at, flip) => {
        const bytes = encodeRows(cells, width);
        assert.throws(() => decodeRows(bytes.subarray(0, at % bytes.length), count, width), DamagedEntry);
        assert.throws(() => decodeRows(bytes, count + 1, width), DamagedEntry);
        bytes[at % bytes.length] ^= flip;
        try {
          assert.equal(decodeRows(bytes, count, width).length, cells.length);
        } catch (error) {
          assert.ok(error instanceof DamagedEntry);
        }
      }),
    );
  });

  test('E7 H9 an entry from before ends had cursors is read: the cursor is the instant of the call', () => {
    const instance = 'an instance';
    // Without the cursor, and without the version behind the instance.
    const width = ENTRY_WIDTHS.ends - 2;
    const older = Float64Array.from({ length: 2 * width }, (_, at) => at % width);
    for (const at of [0, width]) older.set([at, 0, 1, 0, 1], at);
    for (const at of [0, width]) older[at + ROW.reason] = 0;
    for (const at of [0, width]) older.set([0, 0, Number.NaN, 0, Number.NaN, 0, 0], at + 9);
    const texts = JSON.stringify({ names: [instance], errors: [] });
    const entry = { part: 'ends', runs: 2, at: 0, data: encodeRows(older, width), texts };
    const names = new RunNames();
    const { cells } = unpackEntry(entry, names);
    for (const [row, at] of [0, ENTRY_WIDTHS.ends].entries()) {
      assert.deepEqual(
        [...cells.subarray(at, at + width - 1)],
        [...older.subarray(row * width, row * width + width - 1)],
      );
      assert.ok(Number.isNaN(cells[at + ROW.servedThrough]));
      assert.equal(names.text(cells[at + END_WIDTH], 0), instance);
    }
  });

  test('E7 an entry whose texts or numbers refer to nothing is damage', () => {
    const names = new RunNames();
    const cells = new Float64Array(ENTRY_WIDTHS.ends);
    cells[0] = 1;
    names.place('an instance');
    const good = packEntry({ part: 'ends', count: 1, cells, errors: [] }, names);
    assert.equal(unpackEntry(good, new RunNames()).count, 1);
    const odd = (over: object): void =>
      assert.throws(() => unpackEntry({ ...good, ...over }, new RunNames()), DamagedEntry);
    odd({ part: 'other' });
    odd({ part: 'starts' });
    odd({ runs: 2 });
    odd({ texts: '{"names":[]}' });
    odd({ texts: '{"names":[5]}' });
    odd({ texts: '{"names":"x"}' });
    odd({ texts: '{' });
    odd({ texts: '{"names":["an instance"],"errors":[{}]}' });
    for (const [column, value] of [
      [0, 0.5],
      [2, -1],
      [7, 9],
      [10, 9],
      [14, 1],
    ]) {
      const cells = new Float64Array(ENTRY_WIDTHS.ends);
      cells[column] = value;
      odd({ data: encodeRows(cells, ENTRY_WIDTHS.ends) });
    }
  });
});

/** Small words: suggestions, widths, lengths of time, clocks. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nearest } from '../../src/cli/suggest.ts';
import { fill, oneLine, truncate, widthOf } from '../../src/cli/terminal/text.ts';
import { complaintAbout } from '../../src/cli/versions.ts';
import { clock, countdown, dayAndTime, duration, timestamp, wholeDuration } from '../../src/cli/when.ts';
import { zoneOf } from '../../src/time/zone.ts';

describe('words of the command line', () => {
  test('the nearest word is one that could have been meant', () => {
    const words = ['run', 'next', 'status', 'completion', 'preview'];
    for (const [written, meant] of [
      ['rnu', 'run'],
      ['ru', 'run'],
      ['RUN', 'run'],
      ['stauts', 'status'],
      ['comp', 'completion'],
      ['prevew', 'preview'],
      ['s', undefined],
      ['banana', undefined],
      ['', undefined],
    ] as const) {
      assert.equal(nearest(written, words), meant, written);
    }
  });

  test('an older Node is told so', () => {
    for (const version of ['22.18.0', '22.23.3', '24.0.0', '100.1.0'])
      assert.equal(complaintAbout(version), undefined);
    for (const version of ['20.20.2', '22.17.9', '8.0.0']) {
      assert.equal(
        complaintAbout(version),
        `obbligato needs Node 22.18 or later, and this is ${version}. Install a newer one from https://nodejs.org; or only for this project, by "npm install node@24", and start it by "npx obbligato"`,
      );
    }
  });

  test('width, cut and fill', () => {
    assert.deepEqual(['abc', '日本', '👍', 'é', '\u001b[31mred\u001b[39m'].map(widthOf), [3, 4, 2, 1, 3]);
    assert.deepEqual(
      [
        truncate('abcdef', 4),
        truncate('日本語', 4),
        truncate('abc', 3),
        truncate('abc', 1),
        truncate('abc', 0),
      ],
      ['abc…', '日…', 'abc', '…', ''],
    );
    assert.deepEqual([fill('a', 3), fill('a', 3, 'right'), fill('日', 3)], ['a  ', '  a', '日 ']);
    assert.equal(oneLine('\u001b[31ma\tb\nc\u0007\u001b[39m '), 'a b c\ufffd');
  });

  test('lengths of time', () => {
    const all = [0, 340, 1234, 12_345, 60_000, 184_000, 7_500_000, 273_600_000];
    assert.deepEqual(all.map(duration), [
      '0 ms',
      '340 ms',
      '1.2 s',
      '12 s',
      '1 min',
      '3 min 4 s',
      '2 h 5 min',
      '3 d 4 h',
    ]);
    assert.deepEqual([wholeDuration(-5), wholeDuration(999), wholeDuration(1999)], ['0 s', '0 s', '1 s']);
    assert.deepEqual([1, 1000, 1001, 59_500, -5].map(countdown), ['1 s', '1 s', '2 s', '1 min', '0 s']);
  });

  test('clocks, in the zone of the schedule', () => {
    const zone = zoneOf('Asia/Kathmandu');
    const at = Date.UTC(2027, 0, 31, 18, 30, 5);
    assert.equal(clock(at, zone), '00:15:05');
    assert.equal(timestamp(at, zone), '2027-02-01T00:15:05.000+05:45');
    assert.equal(timestamp(at, zoneOf('UTC')), '2027-01-31T18:30:05.000Z');
    assert.equal(timestamp(at, zoneOf('America/St_Johns')), '2027-01-31T15:00:05.000-03:30');
    const hour = 3_600_000;
    assert.equal(dayAndTime(at, at - hour, zone), '00:15');
    assert.equal(dayAndTime(at, at - 50 * hour, zone), 'Mon 00:15');
    assert.equal(dayAndTime(at, at - 500 * hour, zone), '2027-02-01 00:15');
  });
});

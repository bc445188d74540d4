/** Words: suggestions, lengths of time, clocks, and moments as people write them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { complaintAbout } from '../../src/cli/versions.ts';
import {
  clock,
  countdown,
  dayAndTime,
  distanceText,
  duration,
  localIso,
  offsetText,
  readMoment,
  timestamp,
  wholeDuration,
} from '../../src/cli/words.ts';
import { nearest } from '../../src/text/nearest.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { fc } from '../property.ts';

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

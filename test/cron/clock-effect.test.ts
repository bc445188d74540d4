/** What the public door says of clock changes: when they are, and what they do to an expression. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { clockChanges, describeClockChange, parseCron, zoneOf } from '../../src/cron/index.ts';

const stockholm = zoneOf('Europe/Stockholm');
const [forward, back] = clockChanges(stockholm, Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1));
const local = (minute: number): string => new Date(minute * 60_000).toISOString().slice(0, 16);

describe('clock changes', () => {
  test('are those of the zone between two instants, and none where there are none', () => {
    assert.equal(new Date(forward.at).toISOString(), '2027-03-28T01:00:00.000Z');
    assert.deepEqual([forward.offsetBefore, forward.offsetAfter], [3_600_000, 7_200_000]);
    assert.equal(new Date(back.at).toISOString(), '2027-10-31T01:00:00.000Z');
    assert.equal([...clockChanges(stockholm, forward.at, back.at)].length, 0, 'strictly between');
    assert.equal([...clockChanges(zoneOf('UTC'), 0)].length, 0);
    assert.equal([...clockChanges(stockholm, Date.UTC(2027, 0, 1))].length, 20, 'ten years of them');
  });

  test('read as a sentence, with the date of the new time where it is another day', () => {
    assert.equal(
      describeClockChange(forward),
      'On Sunday 28 March 2027 at 02:00 the clock goes forward to 03:00',
    );
    const [beirut] = clockChanges(zoneOf('Asia/Beirut'), Date.UTC(2027, 9, 1));
    assert.equal(
      describeClockChange(beirut),
      'On Sunday 31 October 2027 at 00:00 the clock goes back to 23:00 of Saturday 30 October 2027',
    );
  });

  test('B1 skip the minutes of an expression, double them, or do nothing to it', () => {
    const expression = parseCron('0,30 2 * * *', { timeZone: 'Europe/Stockholm' });
    const skipped = expression.effectOf(forward);
    assert.deepEqual(
      [skipped.effect, skipped.minutes.map(local)],
      ['skipped', ['2027-03-28T02:00', '2027-03-28T02:30']],
    );
    assert.deepEqual([local(skipped.before), local(skipped.after)], ['2027-03-28T02:00', '2027-03-28T03:00']);
    const doubled = expression.effectOf(back);
    assert.deepEqual(
      [doubled.effect, doubled.minutes.map(local)],
      ['doubled', ['2027-10-31T02:00', '2027-10-31T02:30']],
    );
    assert.deepEqual(parseCron('0 3 * * *', { timeZone: 'UTC' }).effectOf(forward).effect, 'none');
  });
});

/** E2: where the cursor of a name stands that comes for the first time. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { cursorOfFirstComing } from '../../src/core/first-cursors.ts';
import { zoneOf } from '../../src/time/zone.ts';
import { fc } from '../property.ts';

const UTC = zoneOf('UTC');

describe('E2 the cursor of a first coming', () => {
  test('E2 it stands right before the current civil minute, in zones of every offset', () => {
    const zones = ['UTC', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'America/St_Johns', 'Pacific/Apia'].map(
      zoneOf,
    );
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 4e12 }), (zone, now) => {
        const cursor = cursorOfFirstComing(now, zone);
        assert.ok(cursor < now && now - cursor <= 60_000);
        const localMinute = (at: number): number => Math.floor((at + zone.at(at).offset) / 60_000);
        assert.equal(localMinute(cursor + 1), localMinute(now));
        assert.notEqual(localMinute(cursor), localMinute(now));
      }),
    );
  });

  test('E2 where the zone was cut for no reason but its size, the minute goes on across the cut', () => {
    const monrovia = zoneOf('Africa/Monrovia'); // 44 minutes and 30 seconds behind, until 1972
    const localMinute = (at: number): number => Math.floor((at + monrovia.at(at).offset) / 60_000);
    let cuts = 0;
    for (let at = Date.UTC(1930, 0); at < Date.UTC(1971, 0); at = monrovia.at(at).end) {
      const { start, offset } = monrovia.at(at);
      if (monrovia.at(start - 1).offset !== offset || localMinute(start - 1) !== localMinute(start)) continue;
      cuts++;
      const cursor = cursorOfFirstComing(start + 1, monrovia);
      assert.equal(localMinute(cursor + 1), localMinute(start));
      assert.notEqual(localMinute(cursor), localMinute(start));
    }
    assert.ok(cuts > 0, 'no cut within a minute');
  });

  test('E2 B1 where a clock changed within the minute, it stands right before the change', () => {
    const monrovia = zoneOf('Africa/Monrovia');
    const change = Date.UTC(1972, 0, 7, 0, 44, 30);
    assert.equal(monrovia.at(change).start, change);
    assert.equal(cursorOfFirstComing(change + 10_000, monrovia), change - 1);
  });

  test('E2 at the first millisecond of a minute and at its last (B3)', () => {
    const minute = Date.UTC(2026, 0, 1, 12);
    assert.equal(cursorOfFirstComing(minute, UTC), minute - 1);
    assert.equal(cursorOfFirstComing(minute + 59_999, UTC), minute - 1);
    assert.equal(cursorOfFirstComing(minute + 60_000, UTC), minute + 59_999);
  });
});

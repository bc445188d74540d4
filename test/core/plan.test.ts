/** E1–E4 as a pure function: every mixture of stored and registered names. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cursorOfFirstComing, planInitialization } from '../../src/core/plan.ts';
import type { TaskRecord } from '../../src/core/record.ts';
import { checkRegistrations } from '../../src/core/registration.ts';
import { zoneOf } from '../../src/time/zone.ts';

const UTC = zoneOf('UTC');
const NOW = Date.UTC(2026, 0, 1, 12, 0, 30);

const run = { runId: 'run', instanceId: 'dead', startedAt: 1 };
const work = { key: 'key', scheduledFor: 1, attempt: 1 };
const instant = fc.integer({ min: 0, max: NOW });
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const cron = fc.constantFrom('* * * * *', '0 12 * * *');
const delay = fc.constantFrom(0, 1000);

const record: fc.Arbitrary<TaskRecord> = fc
  .record({
    name,
    cron,
    retryDelayMs: delay,
    firstSeenAt: instant,
    servedThrough: instant,
    lastAttemptAt: fc.option(instant),
    lastSuccessAt: fc.option(instant),
    lastFailureAt: fc.option(instant),
    isCutOff: fc.boolean(),
  })
  .map(({ isCutOff, ...fields }) => ({
    ...fields,
    pendingRetryUntil: null,
    work: isCutOff ? work : null,
    run: isCutOff ? run : null,
  }));
const stored = fc.uniqueArray(record, { selector: (fields) => fields.name });
const registrations = fc
  .uniqueArray(
    fc.tuple(
      name,
      cron,
      fc.constant(() => {}),
      delay,
    ),
    { selector: ([first]) => first },
  )
  .map(checkRegistrations);

const byName = (records: readonly TaskRecord[]): Map<string, TaskRecord> =>
  new Map(records.map((record) => [record.name, record]));

describe('E4 the plan', () => {
  test('E4 each name is new, kept or removed, and only what differs is written', () => {
    fc.assert(
      fc.property(stored, registrations, (records, checked) => {
        const plan = planInitialization(byName(records), checked, NOW, UTC);
        const old = new Map(records.map((fields) => [fields.name, fields]));
        const wanted = new Set(checked.map((registration) => registration.name));
        assert.deepEqual(
          plan.removes,
          records.filter((fields) => !wanted.has(fields.name)).map((fields) => fields.name),
        );
        assert.deepEqual(
          plan.puts.map((fields) => fields.name),
          checked
            .filter((registration) => !old.has(registration.name))
            .map((registration) => registration.name),
        );
        const kept = checked.flatMap((registration) => {
          const before = old.get(registration.name);
          return before === undefined ? [] : [{ registration, before }];
        });
        assert.deepEqual(
          plan.overridden,
          kept
            .filter(
              ({ registration, before }) =>
                registration.cron !== before.cron || registration.retryDelayMs !== before.retryDelayMs,
            )
            .map(({ before }) => before.name),
        );
        assert.deepEqual(
          plan.orphaned,
          kept.filter(({ before }) => before.run !== null).map(({ before }) => before.name),
        );
        assert.deepEqual(plan.moves, [], 'the clock was not set back');
      }),
    );
  });

  test('E1 every field of the history is kept, whatever becomes of the configuration', () => {
    fc.assert(
      fc.property(stored, registrations, (records, checked) => {
        const { records: planned } = planInitialization(byName(records), checked, NOW, UTC);
        assert.equal(planned.length, checked.length);
        for (const [index, after] of planned.entries()) {
          const { name: wanted, cron: text, retryDelayMs } = checked[index];
          const before = records.find((fields) => fields.name === wanted);
          const history = before ?? {
            firstSeenAt: NOW,
            servedThrough: Date.UTC(2026, 0, 1, 12) - 1,
            lastAttemptAt: null,
            lastSuccessAt: null,
            lastFailureAt: null,
            pendingRetryUntil: null,
            work: null,
            run: null,
          };
          assert.deepEqual(after, { ...history, name: wanted, cron: text, retryDelayMs });
        }
      }),
    );
  });

  test('B5 a clock set back since then moves cursor and deadline, in the same plan', () => {
    const year = 365 * 86_400_000;
    const ahead: TaskRecord = {
      name: 'a',
      cron: '0 12 * * *',
      retryDelayMs: 1000,
      firstSeenAt: NOW,
      servedThrough: NOW + year,
      lastAttemptAt: NOW + year,
      lastSuccessAt: null,
      lastFailureAt: NOW + year,
      pendingRetryUntil: NOW + year + 1000,
      work,
      run: null,
    };
    const plan = planInitialization(
      byName([ahead]),
      checkRegistrations([['a', '0 12 * * *', () => {}, 1000]]),
      NOW,
      UTC,
    );
    const moved = { servedThrough: NOW, pendingRetryUntil: NOW + 1000 };
    assert.deepEqual(plan.moves, [{ name: 'a', runId: null, lastAttemptAt: NOW + year, ...moved }]);
    assert.deepEqual(plan.records, [{ ...ahead, ...moved }]);
    assert.deepEqual(plan.overridden, []);
  });
});

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

  test('E2 at the first millisecond of a minute and at its last (B3)', () => {
    const minute = Date.UTC(2026, 0, 1, 12);
    assert.equal(cursorOfFirstComing(minute, UTC), minute - 1);
    assert.equal(cursorOfFirstComing(minute + 59_999, UTC), minute - 1);
    assert.equal(cursorOfFirstComing(minute + 60_000, UTC), minute + 59_999);
  });
});

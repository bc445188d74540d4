/** Entries and orders that are brought up to date are those that are made anew, whatever has changed. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { zoneOfStore } from '../../src/config.ts';
import { Entries } from '../../src/dashboard/entries.ts';
import { Orders } from '../../src/dashboard/orders.ts';
import { Past } from '../../src/dashboard/past.ts';
import type { Selection } from '../../src/dashboard/query.ts';
import { nothing, type Snapshot } from '../../src/dashboard/snapshot.ts';
import { memory, type TaskRecord } from '../../src/index.ts';
import { fc } from '../property.ts';
import { recordOf } from './records.ts';

const NOON = Date.UTC(2027, 5, 1, 12);

/** What a task may be, but for its name: of few kinds, so that states and keys meet. */
const kind = fc
  .tuple(
    fc.constantFrom('* * * * *', '0 0 1 1 *', '30 12 * * *'),
    fc.constantFrom(null, null, NOON),
    fc.nat(3),
    fc.constantFrom(NOON - 120_000, NOON, NOON + 3_600_000),
  )
  .map(
    ([cron, pausedAt, value, servedThrough]): Partial<TaskRecord> => ({
      cron,
      pausedAt,
      servedThrough,
      failures: value,
      failingSince: value === 0 ? null : NOON - value,
      lastSuccessAt: value === 1 ? null : NOON - value,
      lastDurationMs: value === 2 ? null : value,
    }),
  );

const TASKS = 12;
/** Between two looks few tasks change, and the names seldom do. */
const step = fc.record({
  changes: fc.array(fc.tuple(fc.nat(TASKS - 1), kind), { maxLength: 3 }),
  gone: fc.constantFrom(-1, -1, -1, -1, 0, 5),
  minutes: fc.constantFrom(0, 1, 1, 2, 40, -5),
  owner: fc.constantFrom('held' as const, 'held' as const, 'free' as const),
});

const selection: fc.Arbitrary<Selection> = fc.record({
  search: fc.constantFrom('', '1', 'no such'),
  filter: fc.constantFrom('all', 'failing', 'waiting', 'owed', 'paused'),
  sort: fc.constantFrom('name', 'state', 'next', 'last', 'duration', 'failing', 'late'),
  order: fc.constantFrom('up', 'down'),
});

interface Look {
  readonly records: readonly TaskRecord[];
  readonly at: number;
  readonly owner: 'held' | 'free';
}

async function snapshotAfter(
  entries: Entries,
  { records, at, owner }: Look,
  revision: number,
): Promise<Snapshot> {
  await entries.update(records, { timeZone: 'UTC', owner, at }, revision);
  return { ...nothing(revision, zoneOfStore({}, 'UTC')), ...entries.layout, at, counts: entries.counts };
}

describe('what is brought up to date', () => {
  test('is as if it were made anew: entries, counts, and orders of every kind', async () => {
    const property = fc.asyncProperty(
      fc.array(kind, { minLength: TASKS, maxLength: TASKS }),
      fc.array(step, { minLength: 2, maxLength: 8 }),
      fc.array(selection, { minLength: 1, maxLength: 4 }),
      async (kinds, steps, selections) => {
        const past = new Past(memory());
        const [entries, orders] = [new Entries(), new Orders(past)];
        // Records that are as they were are the same objects, as a store hands them out.
        const all = kinds.map((each, index) => ({ ...recordOf(`task ${index}`, index), ...each }));
        let at = NOON;
        for (const [place, { changes, gone, minutes, owner }] of steps.entries()) {
          for (const [index, change] of changes) all[index] = { ...all[index], ...change };
          at += minutes * 60_000;
          const look = { records: all.filter((_, index) => index !== gone), at, owner };
          const kept = await snapshotAfter(entries, look, place + 1);
          const anew = await snapshotAfter(new Entries(), look, place + 1);
          assert.deepEqual([...kept.list], [...anew.list]);
          assert.deepEqual(new Map(kept.byName), new Map(anew.byName));
          assert.deepEqual(kept.counts, anew.counts);
          for (const wanted of selections) {
            const [one, other] = [orders.of(kept, wanted), new Orders(past).of(anew, wanted)];
            assert.deepEqual(one.slice(0, 99), other.slice(0, 99));
            assert.equal(one.length, other.length);
          }
        }
      },
    );
    await fc.assert(property, { numRuns: 150 });
  });

  test('sorts as a plain comparison does, and equal ones by name; what has no such value comes last both ways', async () => {
    const records = Array.from(
      { length: 500 },
      (_, index): TaskRecord => ({
        ...recordOf(`task ${String(index).padStart(3, '0')}`, index),
        lastDurationMs: index % 7 === 0 ? null : index % 5,
      }),
    );
    const snapshot = await snapshotAfter(new Entries(), { records, at: NOON, owner: 'held' }, 1);
    for (const order of ['up', 'down'] as const) {
      const sign = order === 'up' ? 1 : -1;
      const expected = records.toSorted((a, b) => {
        const [one, other] = [a, b].map(({ lastDurationMs: ms }) => (ms === null ? Infinity : sign * ms));
        return one === other ? (a.name < b.name ? -1 : 1) : one - other;
      });
      const found = new Orders(new Past(memory())).of(snapshot, {
        search: '',
        filter: 'all',
        sort: 'duration',
        order,
      });
      assert.deepEqual(
        found.slice(0, 500).map(({ record: { name } }) => name),
        expected.map(({ name }) => name),
      );
    }
  });
});

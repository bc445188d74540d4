/** Looks at a store again and again: each is what a first look would find, and records that have not changed are the same objects. */
import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { readRecord } from '../../src/core/stored.ts';
import { newRecord, startOf, successOf } from '../../src/store/conformance-kit.ts';
import { StoreMissingError } from '../../src/store/errors.ts';
import { type Inspection, inspect } from '../../src/store/inspect.ts';
import { memory } from '../../src/store/memory.ts';
import type { Batch, Store, StoreSnapshot } from '../../src/store/port.ts';
import { sqlite } from '../../src/store/sqlite.ts';
import { fc } from '../property.ts';
import { temporaryFolder } from './kit.ts';

/** More than a page, so that some pages change and others do not. */
const TASKS = 2600;
const nameOf = (index: number): string => `task ${index}`;

/** Any change to one of a few tasks at either end and in the middle. */
const change = fc
  .tuple(
    fc.constantFrom(0, 1, 999, 2499, 2500, 2501, TASKS - 1),
    fc.constantFrom('put', 'pause', 'start', 'end', 'remove', 'other name'),
    fc.integer({ min: 1, max: 1000 }),
  )
  .map(([index, kind, value]): Batch => {
    const name = nameOf(index);
    switch (kind) {
      case 'put':
        return { puts: [newRecord(name, { lastDurationMs: value, cron: `${value % 60} * * * *` })] };
      case 'pause':
        return { pauses: [{ name, pausedAt: value }] };
      case 'start':
        return { starts: [startOf(name)] };
      case 'end':
        return { ends: [successOf(name, 1)] };
      case 'remove':
        return { removes: [name] };
      default:
        return { puts: [newRecord(`another ${value}`)] };
    }
  });

async function agrees(store: Store, batches: readonly Batch[]): Promise<void> {
  const session = await store.open({ waitMs: 0 });
  try {
    await session.commit({ puts: Array.from({ length: TASKS }, (_, index) => newRecord(nameOf(index))) });
    let since: Inspection | 'the beginning' = 'the beginning';
    for (const batch of [{}, ...batches]) {
      await session.commit(batch);
      const before: Inspection | undefined = since === 'the beginning' ? undefined : since;
      since = await inspect(store, { since });
      assert.deepEqual(since, await inspect(store));
      assert.deepEqual(since.records, (await session.read()).map(readRecord));
      const kept = new Set(before?.records);
      const shared = since.records.filter((record) => kept.has(record)).length;
      const isSameLength = before?.records.length === since.records.length;
      if (isSameLength) assert.ok(shared >= since.records.length - 1, `${shared} of ${since.records.length}`);
    }
  } finally {
    await session.close();
  }
}

describe('a look after another', () => {
  test('finds what a first look finds, and hands out unchanged records again: in a file', async (t) => {
    const batches: readonly Batch[] = [
      { puts: [newRecord(nameOf(999), { lastDurationMs: 5, cron: '5 * * * *' })] },
      { pauses: [{ name: nameOf(1000), pausedAt: 7 }] },
      { starts: [startOf(nameOf(TASKS - 1))] },
      { ends: [successOf(nameOf(TASKS - 1), 1)] },
      { removes: [nameOf(1)] },
      { puts: [newRecord('another')] },
    ];
    await agrees(sqlite(join(await temporaryFolder(t), 'jobs.db')), batches);
  });

  test('finds what a first look finds, and hands out unchanged records again: in memory', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 3, maxLength: 6 }), (batches) =>
        agrees(memory(), batches),
      ),
      { numRuns: 20 },
    );
  });

  test('between two looks no file is open: a scheduler that stops leaves one whole file behind', async (t) => {
    const folder = await temporaryFolder(t);
    const store = sqlite(join(folder, 'jobs.db'));
    const session = await store.open({ waitMs: 0 });
    t.after(() => session.close().catch(() => {}));
    await session.commit({ puts: [newRecord('a')] });
    const first = await inspect(store, { since: 'the beginning' });
    await session.close();
    assert.deepEqual(readdirSync(folder).toSorted(), ['jobs.db', 'jobs.db.lock']);
    const second = await inspect(store, { since: first });
    assert.deepEqual([first.owner, second.owner], ['held', 'free']);
    // What was looked into is another file now.
    rmSync(join(folder, 'jobs.db'));
    await assert.rejects(inspect(store, { since: second }), StoreMissingError);
    const again = await store.open({ waitMs: 0 });
    t.after(() => again.close().catch(() => {})); // the folder may be gone before it
    await again.commit({ puts: [newRecord('b')] });
    const third = await inspect(store, { since: second });
    assert.deepEqual(
      third.records.map(({ name }) => name),
      ['b'],
    );
    await again.close();
  });

  test('a store that changes its objects and does not say that it shares them is believed each time', async () => {
    const live = { ...newRecord('a'), failures: 0 };
    const snapshot = (): StoreSnapshot => ({ location: 'x', version: 1, owner: 'free', records: [live] });
    const store: Store = { ...memory(), location: 'x', inspect: async () => snapshot() };
    const first = await inspect(store, { since: 'the beginning' });
    live.failures = 3;
    const second = await inspect(store, { since: first });
    assert.deepEqual([first.records[0].failures, second.records[0].failures], [0, 3]);
  });

  test('E7 a damaged record is reported at each look, and so is its repair', async () => {
    const values: unknown[] = [newRecord('a'), { name: 'b' }];
    const store: Store = {
      ...memory(),
      inspect: async ({ since } = {}) => ({
        location: 'x',
        version: 1,
        owner: 'free',
        records: [...values],
        ...(typeof since === 'object' ? { sharesRecords: true } : {}),
      }),
    };
    const first = await inspect(store, { since: 'the beginning' });
    const second = await inspect(store, { since: first });
    assert.deepEqual([first.damaged.length, second.damaged.length], [1, 1]);
    assert.equal(second.records[0], first.records[0]);
    values[1] = newRecord('b');
    const third = await inspect(store, { since: second });
    assert.deepEqual([third.damaged.length, third.records.length], [0, 2]);
  });
});

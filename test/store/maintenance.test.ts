/** `maintainStore`, as a program uses it. `test/cli/repair.test.ts` and `forget.test.ts` have every kind of damage. */
import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { describe, test } from 'node:test';
import { inspect, maintainStore, StoreLockedError, StoreMissingError, sqlite } from '../../src/index.ts';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { backups, DAMAGED_WORK, storeWith } from '../cli/damaged-store.ts';

describe('maintenance of a store', () => {
  test('E7 a damaged record is found, and repaired after a copy', async (t) => {
    const { folder, path } = await storeWith(t, [fullRecord('a'), fullRecord('work')], DAMAGED_WORK);
    const { damaged } = await inspect(path);
    assert.deepEqual(
      damaged.map(({ task, field }) => `${task} ${field}`),
      ['work work.attempt'],
    );
    const store = await maintainStore(relative(process.cwd(), path), { now: () => 0 });
    assert.equal(store.path, path);
    assert.deepEqual(store.names(), ['a', 'work']);
    const { healthy, repairs, removals } = store.diagnose();
    assert.deepEqual(
      [healthy, repairs.map(({ field }) => field), removals],
      [1, ['work.attempt', 'work.key'], []],
    );
    assert.deepEqual(backups(folder), [], 'a look changes nothing');
    const copy = await store.repair();
    assert.equal(copy, `${path}.backup-19700101T000000Z`);
    assert.equal(store.diagnose().healthy, 2);
    store.close();
    assert.equal((await inspect(copy)).damaged.length, 1, 'the copy is as it was');
    assert.equal((await inspect(path)).damaged.length, 0);
  });

  test('a task is forgotten after a copy; of an unknown one nothing is done', async (t) => {
    const { folder, path } = await storeWith(t, [fullRecord('a'), fullRecord('b')]);
    const store = await maintainStore(path);
    t.after(() => store.close());
    assert.equal(await store.forget('c'), undefined);
    assert.deepEqual(backups(folder), []);
    const copy = await store.forget('a');
    assert.deepEqual(store.names(), ['b']);
    assert.equal((await inspect(String(copy))).records.length, 2);
  });

  test('E6 it owns the file, and a scheduler that owns it keeps it out; a file that is not there is not made', async (t) => {
    const { folder, path } = await storeWith(t, [fullRecord('a')]);
    const session = await sqlite(path).open({ waitMs: 0 });
    await assert.rejects(maintainStore(path), StoreLockedError);
    await session.close();
    const store = await maintainStore(path);
    await assert.rejects(sqlite(path).open({ waitMs: 0 }), StoreLockedError);
    store.close();
    await assert.rejects(maintainStore(`${folder}/other.db`), StoreMissingError);
  });
});

/** `maintainStore`, as a program uses it. `test/cli/repair.test.ts` and `forget.test.ts` have every kind of damage. */
import assert from 'node:assert/strict';
import { relative } from 'node:path';
import { describe, test } from 'node:test';
import {
  history,
  inspect,
  maintainStore,
  StoreLockedError,
  StoreMissingError,
  sqlite,
} from '../../src/index.ts';
import { failureOf, fullRecord, newRecord, startOf, successOf } from '../../src/store/conformance-kit.ts';
import { backups, DAMAGED_WORK, storeWith } from '../cli/damaged-store.ts';
import { holdFile } from './held-file.ts';

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

  test('a task that is forgotten leaves no run in the history, also if it was removed before', async (t) => {
    const { path } = await storeWith(t, [newRecord('a'), newRecord('b'), newRecord('c')]);
    const session = await sqlite(path).open({ waitMs: 0 });
    const starts = ['a', 'b', 'c'].map((name, index) => startOf(name, index + 1, 1));
    await session.commit({ starts });
    await session.commit({ ends: [successOf('a', 1), failureOf('b', 2), failureOf('c', 3)] });
    await session.commit({ removes: ['a'] });
    await session.close();
    const tasks = async (): Promise<string[]> => {
      const runs: string[] = [];
      for await (const { task, error } of history(path)) runs.push(`${task} ${error?.name}`);
      return runs;
    };
    assert.deepEqual(await tasks(), ['c RangeError', 'b RangeError', 'a undefined']);
    const store = await maintainStore(path);
    t.after(() => store.close());
    await store.forget('a');
    assert.deepEqual(await tasks(), ['c RangeError', 'b RangeError']);
    await store.forget('b');
    assert.deepEqual(await tasks(), ['c RangeError']);
    assert.deepEqual(store.names(), ['c']);
  });

  test('E7 an entry of the journal that cannot be read is named, and dropped after a copy', async (t) => {
    const { path } = await storeWith(t, [newRecord('a'), newRecord('b')]);
    const file = await holdFile(path);
    file.commit({ starts: [startOf('a', 1)] });
    file.commit({ starts: [startOf('b', 2, 1)] });
    const { last } = { ...file.db.prepare('SELECT max(seq) AS last FROM journal').get() };
    file.db.prepare("UPDATE journal SET data = x'01' WHERE seq = ?").run(Number(last) - 1);
    file.close();
    const reason = `entry ${Number(last) - 1} of its journal: its count is not that of its runs`;
    for (const open of [() => sqlite(path).open({ waitMs: 0 }), () => inspect(path)]) {
      await assert.rejects(open(), { name: 'StoreDamagedError', path, reason, message: /obbligato repair/ });
    }
    const store = await maintainStore(path);
    t.after(() => store.close());
    assert.deepEqual(
      store.diagnose().journal.map(({ entry, runs }) => ({ entry, runs })),
      [{ entry: Number(last) - 1, runs: 1 }],
    );
    await assert.rejects(store.forget('a'), { name: 'StoreDamagedError' });
    const copy = await store.repair();
    assert.deepEqual(store.diagnose().journal, []);
    await assert.rejects(inspect(copy), { name: 'StoreDamagedError' });
    const { records } = await inspect(path);
    assert.deepEqual(
      records.map(({ run }) => run?.runId),
      [undefined, 'run 2'],
    );
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

/** What is easily lost from a store without a wrong answer to show for it: syncs, checkpoints, turns of the event loop, a second look. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite, sqliteForTests } from '../../src/store/sqlite.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { holdFile } from './held-file.ts';
import { temporaryFolder } from './kit.ts';

/**
 * A lock as another process holds it. Opening tries it in the calling tick: what is done before `release`, in the same tick, comes in between.
 * The clock stands still, so that this is an instant on a slow machine too.
 */
function holdLock(t: TestContext, path: string): { release(): void } {
  t.mock.method(performance, 'now', () => 0);
  const lock = new (loadSqlite().DatabaseSync)(`${path}.lock`);
  lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  return { release: () => lock.close() };
}

test('A4 every commit waits for the disk: SQLite syncs the log at each of them', async (t) => {
  const file = await holdFile(join(await temporaryFolder(t), 'store.db'));
  const FULL = 2;
  assert.equal(file.db.prepare('PRAGMA synchronous').get()?.synchronous, FULL);
  file.close();
});

test('the log does not grow with every commit: it is copied into the file and begun again', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  const file = await holdFile(path);
  const puts = Array.from({ length: 10_000 }, (_, index) => newRecord(`${index}`.padEnd(900, 'x')));
  const sizes: number[] = [];
  for (let commit = 0; commit < 6; commit++) {
    file.commit({ puts });
    sizes.push((await stat(`${path}-wal`)).size);
  }
  assert.ok(sizes[5] < 3 * sizes[0], `the log has grown from commit to commit: ${sizes.join(', ')} bytes`);
  file.close();
});

test('E6 a lock that is held for an instant, as an inspection holds it, is waited for even without a wait', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  const lock = holdLock(t, path);
  const opening = holdFile(path);
  lock.release();
  (await opening).close();
});

test('E7 a lock file that holds a single byte is not ours, and is left as it is', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  writeFileSync(`${path}.lock`, '\n');
  await assert.rejects(sqlite(path).open({ waitMs: 0 }), { name: 'StoreForeignFileError' });
  assert.equal(await readFile(`${path}.lock`, 'utf8'), '\n');
});

test('E7 a store that a newer version has taken over while this one waited for it is refused', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  (await holdFile(path)).close();
  const lock = holdLock(t, path);
  const opening = holdFile(path);
  const newer = new (loadSqlite().DatabaseSync)(path);
  newer.exec('PRAGMA user_version = 99');
  newer.close();
  lock.release();
  await assert.rejects(opening, { name: 'StoreVersionError', found: 99 });
});

test('E7 a database that another program has made there while this one waited stays as it is, byte by byte', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  const lock = holdLock(t, path);
  const opening = holdFile(path);
  const foreign = new (loadSqlite().DatabaseSync)(path);
  foreign.exec('CREATE TABLE theirs (x)');
  foreign.close();
  const before = readFileSync(path);
  lock.release();
  await assert.rejects(opening, { name: 'StoreForeignFileError' });
  assert.deepEqual(await readFile(path), before);
});

test('a large batch is posted in pieces, with a turn of the event loop between any two', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  let turn = 0;
  let isCounting = true;
  const count = (): void => {
    turn++;
    if (isCounting) setImmediate(count);
  };
  const posted: number[] = [];
  const store = sqliteForTests(path, {
    onThread(thread) {
      const post = thread.postMessage.bind(thread);
      thread.postMessage = (message: { readonly kind: string }, transfer) => {
        if (message.kind === 'write') posted.push(turn);
        post(message, transfer);
      };
    },
  });
  const session = await store.open({ waitMs: 0 });
  count();
  await session.commit({ puts: Array.from({ length: 40_000 }, (_, index) => newRecord(`task ${index}`)) });
  isCounting = false;
  assert.ok(posted.length > 5, `${posted.length} messages`);
  assert.equal(new Set(posted).size, posted.length, `posted in the turns ${posted.join(', ')}`);
  await session.close();
});

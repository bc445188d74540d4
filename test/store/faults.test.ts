/** E8, E9: faults of the file itself while a session is open, brought about through SQLite and the file system. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import { expectRecords, newRecord, startOf } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { sqliteForTests } from '../../src/store/sqlite.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { PATIENCE_MS } from '../patience.ts';
import { temporaryFolder } from './kit.ts';

const pathFor = async (t: TestContext): Promise<string> => join(await temporaryFolder(t), 'store.db');
const some = (count: number, from = 0) =>
  Array.from({ length: count }, (_, index) => newRecord(`task ${from + index}`));

/** Changes the file from another process: an `fs` call in this one would drop the owner's locks. */
const elsewhere = (path: string, code: string): void => {
  execFileSync(process.execPath, [
    '-e',
    `const fs = require('node:fs'); const path = process.argv[1]; ${code}`,
    path,
  ]);
};

const saidBySqlite = (errcode: number) => (error: Error) => {
  const said = Reflect.get(Object(error.cause), 'errcode');
  assert.equal(said & 0xff, errcode, `${error.name}: ${said}`);
  return true;
};

describe('store trouble', () => {
  test('E8 SQLITE_FULL keeps nothing of the batch, and the session goes on', async (t) => {
    const path = await pathFor(t);
    const session = await sqliteForTests(path, { maxPages: 20 }).open({ waitMs: 0 });
    await session.commit({ puts: some(10) });
    const full = session.commit({ removes: ['task 1'], puts: some(12_000, 100) });
    await assert.rejects(full, { name: 'StoreFullError', path, message: /the disk is full: make room/ });
    await assert.rejects(session.commit({ puts: some(2000, 100) }), saidBySqlite(13));
    assert.deepEqual(await session.read(), some(10));
    await session.commit({ starts: [startOf('task 1')] });
    await session.close();
    const roomier = await sqlite(path).open({ waitMs: 0 });
    await roomier.commit({ puts: some(2000, 100) });
    assert.equal((await roomier.read()).length, 2010);
    await roomier.close();
  });

  test('E6 whoever waits for the lock waits for another program that writes, too; who does not is told at once', async (t) => {
    const path = await pathFor(t);
    await (await sqliteForTests(path).open({ waitMs: 0 })).close();
    const program = new (loadSqlite().DatabaseSync)(path);
    t.after(() => program.isOpen && program.close());
    program.exec('BEGIN IMMEDIATE');
    await assert.rejects(sqliteForTests(path, { busyTimeout: 0 }).open({ waitMs: 0 }), {
      name: 'StoreBusyError',
    });
    let threads = 0;
    const store = sqliteForTests(path, {
      busyTimeout: 0,
      onThread: () => {
        // The first one has found the file busy.
        if (++threads === 2) program.exec('ROLLBACK');
      },
    });
    const session = await store.open({ waitMs: Number.POSITIVE_INFINITY });
    assert.ok(threads >= 2);
    await session.close();
  });

  test('E8 SQLITE_BUSY while another program writes, and well again afterwards', async (t) => {
    const path = await pathFor(t);
    const session = await sqliteForTests(path, { busyTimeout: 0 }).open({ waitMs: 0 });
    await session.commit({ puts: some(3) });
    const other = new (loadSqlite().DatabaseSync)(path);
    other.exec('BEGIN IMMEDIATE');
    await assert.rejects(session.commit({ removes: ['task 0'] }), { name: 'StoreBusyError', path });
    await assert.rejects(session.commit({ removes: ['task 0'] }), saidBySqlite(5));
    assert.equal((await session.read()).length, 3);
    other.exec('ROLLBACK');
    other.close();
    await session.commit({ removes: ['task 0'] });
    assert.equal((await session.read()).length, 2);
    await session.close();
  });

  test('E8 a commit waits for another program that is done in time', async (t) => {
    const path = await pathFor(t);
    const session = await sqliteForTests(path, { busyTimeout: PATIENCE_MS }).open({ waitMs: 0 });
    const other = new (loadSqlite().DatabaseSync)(path);
    other.exec('BEGIN IMMEDIATE');
    const commit = session.commit({ puts: some(3) });
    other.exec('ROLLBACK');
    other.close();
    await commit;
    await session.close();
  });

  test('E8 a file cut short under the session is told as damage or as trouble with the disk', async (t) => {
    const path = await pathFor(t);
    await using(path, (session) => session.commit({ puts: some(5000) }));
    const session = await sqlite(path).open({ waitMs: 0 });
    elsewhere(path, 'fs.truncateSync(path, 3 * 4096)');
    await assert.rejects(session.read(), (error: Error) => {
      assert.match(error.name, /^Store(Damaged|Io)Error$/);
      assert.ok(error.message.includes(path));
      return true;
    });
    await session.close();
  });

  test('E8 pages overwritten under the session are told as damage', async (t) => {
    const path = await pathFor(t);
    await using(path, (session) => session.commit({ puts: some(5000) }));
    const session = await sqlite(path).open({ waitMs: 0 });
    elsewhere(
      path,
      "const f = fs.openSync(path, 'r+'); const rest = fs.fstatSync(f).size - 8192; fs.writeSync(f, Buffer.alloc(rest, 0xee), 0, rest, 8192)",
    );
    await assert.rejects(session.read(), { name: 'StoreDamagedError', path });
    await assert.rejects(session.commit({ puts: some(5000) }), { name: 'StoreDamagedError' });
    await session.close();
  });

  test('E8 a header overwritten between two sessions is told at opening', async (t) => {
    const path = await pathFor(t);
    await using(path, (session) => session.commit({ puts: some(10) }));
    elsewhere(path, "const f = fs.openSync(path, 'r+'); fs.writeSync(f, 'garbage garbage ', 0)");
    await assert.rejects(sqlite(path).open({ waitMs: 0 }), { name: 'StoreForeignFileError', path });
  });

  test('E5 a batch that cannot be packed leaves nothing behind for the next one', async (t) => {
    const path = await pathFor(t);
    const session = await sqlite(path).open({ waitMs: 0 });
    const holey = some(12_000);
    delete holey[11_000];
    await assert.rejects(session.commit({ puts: holey }), TypeError);
    await session.commit({ puts: [newRecord('after')] });
    await expectRecords(session, [newRecord('after')]);
    await session.close();
  });
});

async function using(
  path: string,
  use: (session: Awaited<ReturnType<ReturnType<typeof sqlite>['open']>>) => Promise<unknown>,
): Promise<void> {
  const session = await sqlite(path).open({ waitMs: 0 });
  await use(session);
  await session.close();
}

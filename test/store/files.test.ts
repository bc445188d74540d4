/** E7: what cannot be a store is refused by a clear error, and left exactly as it is. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { describe, type TestContext, test } from 'node:test';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { unprivileged } from '../unprivileged.ts';
import { ended, program, temporaryFolder } from './kit.ts';

/** A database made by some other means. Its connection is closed again. */
function withDatabase(path: string, use: (db: DatabaseSync) => void): void {
  const { DatabaseSync } = loadSqlite();
  const db = new DatabaseSync(path);
  try {
    use(db);
  } finally {
    db.close();
  }
}

/** Opening must fail so, twice (nothing stays locked), and leave every byte of the file as it was and no lock behind. */
async function refusesAndLeaves(path: string, expected: object): Promise<void> {
  const before = await readFile(path);
  for (const waitMs of [0, 1]) {
    await assert.rejects(sqlite(path).open({ waitMs }), (error: Error) => {
      assert.ok(error.message.includes(path), error.message);
      assert.partialDeepStrictEqual(
        { name: error.name, ...Reflect.get(error, 'details') },
        { path, ...expected },
      );
      return true;
    });
  }
  assert.deepEqual(await readFile(path), before);
  assert.equal(existsSync(`${path}.lock`), false);
}

const makeStore = async (t: TestContext): Promise<string> => {
  const path = join(await temporaryFolder(t), 'store.db');
  const session = await sqlite(path).open({ waitMs: 0 });
  await session.commit({ puts: [newRecord('a')] });
  await session.close();
  return path;
};

describe('a file that is not ours', () => {
  test('E7 not a database', async (t) => {
    const path = join(await temporaryFolder(t), 'notes.txt');
    await writeFile(path, 'Dear diary, '.repeat(1000));
    await refusesAndLeaves(path, { name: 'StoreForeignFileError', reason: 'is not a database' });
  });

  test('E7 too short to be a database', async (t) => {
    const path = join(await temporaryFolder(t), 'short.db');
    await writeFile(path, 'x');
    await refusesAndLeaves(path, { name: 'StoreForeignFileError' });
  });

  for (const mode of ['DELETE', 'WAL']) {
    test(`E7 the database of another program, ${mode} mode`, async (t) => {
      const path = join(await temporaryFolder(t), 'other.db');
      withDatabase(path, (db) =>
        db.exec(`PRAGMA journal_mode = ${mode}; CREATE TABLE t (x); INSERT INTO t VALUES (1)`),
      );
      await refusesAndLeaves(path, {
        name: 'StoreForeignFileError',
        reason: 'is a database of another program',
      });
    });
  }

  test('E7 an empty database that another program has marked as its own', async (t) => {
    const path = join(await temporaryFolder(t), 'marked.db');
    withDatabase(path, (db) => db.exec('PRAGMA application_id = 42'));
    await refusesAndLeaves(path, { name: 'StoreForeignFileError' });
  });

  test('E7 the database of another program that was cut off amid a transaction', async (t) => {
    const path = join(await temporaryFolder(t), 'other.db');
    // Written through, journal still there: what a killed program leaves behind. Reading it for good would roll it back.
    const code = `
      const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
      const db = new DatabaseSync(path);
      db.exec('PRAGMA cache_size = 1; CREATE TABLE t (x)');
      db.exec('BEGIN');
      const insert = db.prepare('INSERT INTO t VALUES (?)');
      for (let row = 0; row < 2000; row++) insert.run('x'.repeat(200));
      db.prepare('UPDATE t SET x = ?').run('y'.repeat(200));
      process.kill(process.pid, 'SIGKILL');`;
    await ended(program(t, path, code));
    assert.equal(existsSync(`${path}-journal`), true);
    await refusesAndLeaves(path, {
      name: 'StoreForeignFileError',
      reason: 'holds an unfinished transaction of another program',
    });
  });

  test('E7 something else in the place of the lock', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    await writeFile(`${path}.lock`, 'pid 4711');
    await assert.rejects(sqlite(path).open({ waitMs: 0 }), {
      name: 'StoreForeignFileError',
      path: `${path}.lock`,
    });
    assert.equal(await readFile(`${path}.lock`, 'utf8'), 'pid 4711');
  });

  test('E7 a store of a newer version', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    withDatabase(path, (db) =>
      db.exec('PRAGMA application_id = 0x4f62626c; PRAGMA user_version = 99; CREATE TABLE future (x)'),
    );
    await refusesAndLeaves(path, { name: 'StoreVersionError', found: 99, supported: 4 });
  });
});

describe('a place where no store can be', () => {
  test('E7 a directory', async (t) => {
    const path = join(await temporaryFolder(t), 'folder');
    await mkdir(path);
    const expected = { name: 'StoreUnwritableError', path, message: /is a directory: name a file in it/ };
    await assert.rejects(sqlite(path).open({ waitMs: 0 }), expected);
    assert.deepEqual(await readdir(path), []);
  });

  test('E7 a missing folder, a file for a folder, a device', async (t) => {
    const folder = await temporaryFolder(t);
    await writeFile(join(folder, 'file'), '');
    const cases: ReadonlyArray<readonly [string, RegExp]> = [
      [join(folder, 'none', 'store.db'), /its folder does not exist: create it first/],
      [join(folder, 'file', 'store.db'), /its folder is not a folder/],
      ['/dev/null', /not a regular file/],
      ['/proc/store.db', /cannot be opened: check that this user may write/],
    ];
    for (const [path, message] of cases) {
      await assert.rejects(sqlite(path).open({ waitMs: 0 }), { name: 'StoreUnwritableError', path, message });
    }
    assert.deepEqual(await readdir(folder), ['file']);
  });

  test('E7 what is no path at all', () => {
    for (const path of ['', ':memory:', 'a\0b']) {
      assert.throws(() => sqlite(path), { name: 'StorePathError', path });
    }
  });

  /** Opens as a user whom permissions bind. */
  const openAsNobody = async (t: TestContext, path: string): Promise<string> => {
    const code = `await sqlite(path).open({ waitMs: 0 }).then(() => say('opened'), (error) => say(error.name + ': ' + error.message))`;
    const { out, err } = await ended(program(t, path, code, {}, unprivileged()));
    return out + err;
  };

  test('E7 a read-only file', async (t) => {
    const path = await makeStore(t);
    const before = await readFile(path);
    await chmod(path, 0o444);
    await chmod(`${path}.lock`, 0o666);
    await chmod(join(path, '..'), 0o777);
    assert.match(
      await openAsNobody(t, path),
      /^StoreUnwritableError: .*store\.db" cannot be written: it is read-only/,
    );
    assert.deepEqual(await readFile(path), before);
  });

  test('E6 a lock that cannot be written is no lock', async (t) => {
    const path = await makeStore(t);
    await chmod(path, 0o666);
    await chmod(`${path}.lock`, 0o444);
    await chmod(join(path, '..'), 0o777);
    assert.match(await openAsNobody(t, path), /^StoreUnwritableError: .*store\.db\.lock" cannot be written/);
  });

  test('E7 a folder that may not be written', async (t) => {
    const path = await makeStore(t);
    await chmod(path, 0o666);
    await chmod(join(path, '..'), 0o555);
    assert.match(await openAsNobody(t, path), /^StoreUnwritableError: /);
    assert.match(await openAsNobody(t, `${path}.new`), /^StoreUnwritableError: /);
    await chmod(join(path, '..'), 0o755);
  });
});

describe('a file that is as good as new', () => {
  test('E7 an empty file is a fresh store', async (t) => {
    const path = join(await temporaryFolder(t), 'empty.db');
    await writeFile(path, '');
    const session = await sqlite(path).open({ waitMs: 0 });
    assert.deepEqual(await session.read(), []);
    await session.close();
  });

  test('E7 an open that fails late leaves nothing locked', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    // Ours by its mark, but the table is not there: the first read fails, after the lock was taken.
    withDatabase(path, (db) => db.exec('PRAGMA application_id = 0x4f62626c; CREATE TABLE task (x)'));
    for (let count = 0; count < 2; count++) {
      await assert.rejects(sqlite(path).open({ waitMs: 0 }), {
        name: 'StoreFailedError',
        message: /already exists/,
      });
    }
  });
});

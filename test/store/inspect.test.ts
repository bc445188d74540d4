/** `inspect`: a look into a store, from anywhere, that harms nobody. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { fullRecord, newRecord, startOf } from '../../src/store/conformance-kit.ts';
import { inspect, memory, sqlite } from '../../src/store/index.ts';
import { ended, program, saying, temporaryFolder } from './kit.ts';

describe('inspect', () => {
  test('E6 shows everything from another process while the owner goes on writing', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const owner = program(
      t,
      path,
      `const session = await sqlite(path).open({ waitMs: 0 });
       const names = Array.from({ length: 3000 }, (_, index) => 'task ' + index);
       await session.commit({ puts: names.map((name) => newRecord(name)) });
       for (let attempt = 1; attempt < 1e9; attempt++) {
         await session.commit({ starts: names.map((name) => startOf(name, attempt, attempt)) });
         say('attempt ' + attempt);
       }`,
    );
    await saying(owner, (line) => line === 'attempt 1');
    let before = 0;
    for (let look = 0; look < 10; look++) {
      const { records, damaged, owner: held, version, location } = await inspect(path);
      assert.deepEqual(
        { damaged, held, version, location },
        { damaged: [], held: 'held', version: 4, location: path },
      );
      const attempts = new Set(records.map(({ work }) => work?.attempt ?? 0));
      assert.equal(records.length, 3000);
      assert.equal(attempts.size, 1, 'a snapshot is of one instant');
      const [attempt] = attempts;
      assert.ok(attempt >= before);
      before = attempt;
      await assert.rejects(sqlite(path).open({ waitMs: 0 }), { name: 'StoreLockedError' });
    }
    await saying(owner, (line) => Number(line.slice('attempt '.length)) > before);
    owner.kill('SIGKILL');
    await ended(owner);
    assert.equal((await inspect(path)).owner, 'free');
  });

  test('E6 from the process of the owner itself does not cost it the lock', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const session = await sqlite(path).open({ waitMs: 0 });
    await session.commit({ puts: [fullRecord('a')] });
    assert.deepEqual((await inspect(pathToFileURL(path))).records, [fullRecord('a')]);
    assert.equal((await inspect(sqlite(path))).owner, 'held');
    const { out } = await ended(
      program(t, path, `await sqlite(path).open({ waitMs: 0 }).catch((error) => say(error.name))`),
    );
    assert.equal(out, 'StoreLockedError\n');
    await session.commit({ starts: [startOf('a')] });
    await session.close();
  });

  test('E6 an opening owner is not put off by those who look', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    await (await sqlite(path).open({ waitMs: 0 })).close();
    const looks = Array.from({ length: 5 }, () => inspect(path));
    const session = await sqlite(path).open({ waitMs: 0 });
    await Promise.all(looks);
    await session.close();
  });

  test('a store that nobody runs, or that was never initialized', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'store.db');
    const session = await sqlite(path).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('a')] });
    await session.close();
    const { owner, requests, records } = await inspect(path);
    assert.deepEqual(
      { owner, requests, records },
      { owner: 'free', requests: [], records: [newRecord('a')] },
    );
    await writeFile(join(folder, 'empty.db'), '');
    assert.deepEqual(await inspect(join(folder, 'empty.db')), {
      location: join(folder, 'empty.db'),
      version: 0,
      newestVersion: 4,
      owner: 'free',
      records: [],
      damaged: [],
    });
  });

  test('E7 no file, a foreign file and a newer version are each a clear error', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'none.db');
    await assert.rejects(inspect(path), { name: 'StoreMissingError', path });
    await writeFile(join(folder, 'text.db'), 'not a database at all'.repeat(100));
    await assert.rejects(inspect(join(folder, 'text.db')), { name: 'StoreForeignFileError' });
    await assert.rejects(inspect(folder), {
      name: 'StoreUnreadableError',
      message: /cannot be read: it is a directory: name a file in it$/,
    });
    const newer = join(folder, 'newer.db');
    const code = `const { DatabaseSync } = require('node:sqlite');
      new DatabaseSync(process.argv[1]).exec('PRAGMA application_id = 0x4f62626c; PRAGMA user_version = 5')`;
    execFileSync(process.execPath, ['-e', code, newer], { stdio: 'ignore' });
    await assert.rejects(inspect(newer), { name: 'StoreVersionError', found: 5 });
  });

  test('a memory store shows what it holds', async () => {
    const store = memory();
    const session = await store.open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('a')] });
    const { location, owner, records } = await inspect(store);
    assert.deepEqual(
      { location, owner, records },
      { location: 'memory', owner: 'held', records: [newRecord('a')] },
    );
    await session.close();
    const { owner: ownerAfter, requests } = await inspect(store);
    assert.deepEqual([ownerAfter, requests], ['free', []]);
  });

  test('a store that cannot be inspected says so', async () => {
    const { location, open } = sqlite('somewhere.db');
    await assert.rejects(inspect({ location, open }), {
      name: 'StoreFailedError',
      message: /cannot be inspected/,
    });
  });
});

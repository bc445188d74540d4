/** E6: one owner at a time, by the operating system's lock; and the process is free to end. */
import assert from 'node:assert/strict';
import { readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ended, program, saying, temporaryFolder } from './kit.ts';

const locked = (path: string) => (error: Error) => {
  assert.equal(error.name, 'StoreLockedError');
  assert.ok(error.message.includes(path), error.message);
  assert.equal(Reflect.get(Object(error.cause), 'errcode'), 5);
  return true;
};

const HOLD = `
  const session = await sqlite(path).open({ waitMs: 0 });
  await session.commit({ puts: [newRecord('from the holder')] });
  say('held');
  process.stdin.once('data', () => session.close().then(() => process.stdin.destroy()));
`;

describe('ownership of a file', () => {
  test('E6 another process is refused, and let in when the owner is killed', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const holder = program(t, path, HOLD);
    await saying(holder, (line) => line === 'held');
    await assert.rejects(sqlite(path).open({ waitMs: 0 }), locked(path));
    holder.kill('SIGKILL');
    await ended(holder);
    const session = await sqlite(path).open({ waitMs: 0 });
    assert.equal((await session.read()).length, 1);
    await session.close();
  });

  test('E6 a deploy that overlaps waits until the other process has closed', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const holder = program(t, path, HOLD);
    await saying(holder, (line) => line === 'held');
    const waiting = sqlite(path).open({ waitMs: PATIENCE_MS });
    holder.stdin?.end('let go');
    const session = await waiting;
    assert.equal((await session.read()).length, 1);
    await session.close();
  });

  test('E6 a second path to the same file is the same store', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'store.db');
    const session = await sqlite(path).open({ waitMs: 0 });
    await symlink(folder, join(folder, 'folder'));
    await symlink(path, join(folder, 'link.db'));
    for (const other of [
      'link.db',
      'folder/store.db',
      'folder/link.db',
      '../x/store.db'.replace('../x', '.'),
    ]) {
      await assert.rejects(sqlite(join(folder, other)).open({ waitMs: 0 }), locked(join(folder, other)));
    }
    await session.close();
    const through = await sqlite(join(folder, 'link.db')).open({ waitMs: 0 });
    await assert.rejects(sqlite(path).open({ waitMs: 0 }), locked(path));
    await through.close();
  });

  test('E6 a symbolic link may come before its file', async (t) => {
    const folder = await temporaryFolder(t);
    await symlink(join(folder, 'store.db'), join(folder, 'link.db'));
    const session = await sqlite(join(folder, 'link.db')).open({ waitMs: 0 });
    await assert.rejects(sqlite(join(folder, 'store.db')).open({ waitMs: 0 }), { name: 'StoreLockedError' });
    await session.close();
  });

  test('E6 when close resolves, nothing of the file is open', async (t) => {
    const folder = await temporaryFolder(t);
    const session = await sqlite(join(folder, 'store.db')).open({ waitMs: 0 });
    let isServed = false;
    const commit = session.commit({ puts: [newRecord('a')] }).then(() => {
      isServed = true;
    });
    await session.close();
    assert.ok(isServed, 'what was asked for before is served first');
    await commit;
    // The last connection that is closed takes the log away.
    assert.deepEqual((await readdir(folder)).sort(), ['store.db', 'store.db.lock']);
  });

  test('E6 of many that open at once, one gets in', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const attempts = await Promise.allSettled(
      Array.from({ length: 6 }, () => sqlite(path).open({ waitMs: 0 })),
    );
    const opened = attempts.filter((attempt) => attempt.status === 'fulfilled');
    const refused = attempts.filter((attempt) => attempt.status === 'rejected');
    assert.equal(opened.length, 1);
    for (const { reason } of refused) assert.equal(reason.name, 'StoreLockedError');
    await opened[0].value.close();
  });
});

describe('the process', () => {
  const runs: Readonly<Record<string, string>> = {
    'ends by itself after close': `
      const session = await sqlite(path).open({ waitMs: 0 });
      await session.commit({ puts: [newRecord('a')] });
      await session.close();
      say('done');`,
    'ends by itself while an idle session is open': `
      const session = await sqlite(path).open({ waitMs: 0 });
      await session.commit({ puts: [newRecord('a')] });
      say('done');`,
    'does not end while a commit is pending': `
      const session = await sqlite(path).open({ waitMs: 0 });
      const puts = Array.from({ length: 12_000 }, (_, index) => newRecord('task ' + index));
      void session.commit({ puts }).then(() => say('done'));`,
    'ends by itself after a refused open': `
      await sqlite('/proc/none/store.db').open({ waitMs: 0 }).catch(() => say('done'));`,
    'ends by itself after an inspection': `
      await (await sqlite(path).open({ waitMs: 0 })).close();
      await inspect(path);
      say('done');`,
  };
  for (const [what, code] of Object.entries(runs)) {
    test(`F5 ${what}, and nothing is printed that we did not say`, async (t) => {
      const path = join(await temporaryFolder(t), 'store.db');
      const { code: exitCode, out, err } = await ended(program(t, path, code));
      assert.deepEqual({ exitCode, out, err }, { exitCode: 0, out: 'done\n', err: '' });
    });
  }
});

/** The file under a running scheduler is deleted, replaced, moved away, or taken over: starts stop, loudly, and `stop` does not lie. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, linkSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { health, inspect } from '../../src/index.ts';
import { newRecord, startOf } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import { sqliteForTests } from '../../src/store/sqlite.ts';
import { takeFreeLock } from '../../src/store/sqlite-lock.ts';
import { until } from '../patience.ts';
import { ended, program, saying, temporaryFolder } from './kit.ts';
import { schedule } from './schedule-kit.ts';

const pathFor = async (t: TestContext): Promise<string> => {
  const folder = join(await temporaryFolder(t), 'data');
  mkdirSync(folder);
  return join(folder, 'store.db');
};

/** Why a test cannot mount anything here, if it cannot. */
function noMounts(): string | false {
  try {
    execFileSync('unshare', ['-rm', 'true'], { stdio: 'ignore' });
    return false;
  } catch {
    return 'this machine does not let a test make mounts of its own (unshare -rm)';
  }
}

/** What can become of a file, and how it comes back. A rename opens nothing, so it drops no lock. */
const FATES: Readonly<
  Record<string, { take: (path: string) => void; back?: (path: string) => void; found: string }>
> = {
  'is deleted': { take: (path) => rmSync(path), found: 'nothing' },
  'is moved away': {
    take: (path) => renameSync(path, `${path}.away`),
    back: (path) => renameSync(`${path}.away`, path),
    found: 'nothing',
  },
  'is replaced by a copy': {
    take: (path) => {
      // By another process: closing a descriptor of the file here could drop locks on it.
      execFileSync('cp', [path, `${path}.copy`]);
      renameSync(path, `${path}.away`);
      renameSync(`${path}.copy`, path);
    },
    back: (path) => renameSync(`${path}.away`, path),
    found: 'another file',
  },
  'is moved with its folder': {
    take: (path) => renameSync(dirname(path), `${dirname(path)}.away`),
    back: (path) => renameSync(`${dirname(path)}.away`, dirname(path)),
    found: 'nothing',
  },
};

/** What can become of the log next to it, by another program. */
const LOG_FATES: Readonly<Record<string, { take: (log: string) => void; found: string }>> = {
  'is deleted': { take: (log) => rmSync(log), found: 'nothing' },
  'is replaced by a copy': {
    take: (log) => {
      execFileSync('cp', [log, `${log}.copy`]);
      renameSync(`${log}.copy`, log);
    },
    found: 'another file',
  },
  'is emptied': { take: (log) => execFileSync('truncate', ['-s', '0', log]), found: 'another file' },
};

describe('a file that is not in its place', () => {
  for (const [fate, { take, found }] of Object.entries(LOG_FATES)) {
    test(`A4 a file whose log ${fate} takes no commit, and nothing is read back from there`, async (t) => {
      const path = await pathFor(t);
      const session = await sqlite(path).open({ waitMs: 0 });
      await session.commit({ puts: [newRecord('a'), newRecord('b')] });
      take(`${path}-wal`);
      const moved = { name: 'StoreMovedError', path: `${path}-wal`, found };
      await assert.rejects(session.commit({ starts: [startOf('a')] }), moved);
      await assert.rejects(session.commit({ starts: [startOf('b')] }), moved, 'nor does a later one');
      await assert.rejects(session.read(['a']), { name: 'StoreMovedError' });
      await session.close();
    });

    // Without its -shm, an emptied log looks as a checkpoint leaves it, until the owner commits.
    for (const shared of fate === 'is emptied' ? ['alone'] : ['with its -shm', 'alone'])
      test(`A4 E8 a log that ${fate}, ${shared}, is noticed from outside, though nobody commits`, async (t) => {
        const path = await pathFor(t);
        const session = await sqlite(path).open({ waitMs: 0 });
        await session.commit({ puts: [newRecord('a'), newRecord('b')] });
        assert.equal((await inspect(path)).records.length, 2);
        take(`${path}-wal`);
        if (shared !== 'alone') rmSync(`${path}-shm`);
        // A program of its own: this one has the file open, and maps the -shm that it had.
        const looks = `await inspect(path).then(() => say('well'), (error) => say(error.name));`;
        const { out } = await ended(program(t, path, looks));
        assert.match(out, found === 'nothing' ? /^StoreMovedError/ : /^Store(Moved|Io)Error/);
        await session.close().catch(() => {});
      });
  }

  test('A4 a log that another program empties by a checkpoint is the same log', async (t) => {
    const path = await pathFor(t);
    const session = await sqlite(path).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('a'), newRecord('b')] });
    const checkpoint = `new (process.getBuiltinModule('node:sqlite').DatabaseSync)(${JSON.stringify(path)}).exec('PRAGMA wal_checkpoint(TRUNCATE)')`;
    execFileSync(process.execPath, ['--no-warnings', '-e', checkpoint]);
    assert.equal(statSync(`${path}-wal`).size, 0);
    await session.read(['a']);
    await session.commit({ starts: [startOf('a')] });
    await session.commit({ starts: [startOf('b')] });
    await session.close();
    const { records } = await inspect(path);
    assert.deepEqual(
      records.map(({ run }) => run?.runId),
      [startOf('a').run.runId, startOf('b').run.runId],
    );
  });

  for (const [fate, { take, back, found }] of Object.entries(FATES)) {
    test(`A4 a file that ${fate} takes no commit${back ? ', until it is back' : ''}`, async (t) => {
      const path = await pathFor(t);
      const session = await sqlite(path).open({ waitMs: 0 });
      await session.commit({ puts: [newRecord('a')] });
      take(path);
      await assert.rejects(session.commit({ starts: [startOf('a')] }), {
        name: 'StoreMovedError',
        path,
        found,
      });
      await assert.rejects(
        session.read(['a']),
        { name: 'StoreMovedError' },
        'nor is it read back from there',
      );
      if (back === undefined) {
        await assert.rejects(session.close(), { name: 'StoreMovedError' });
        return;
      }
      back(path);
      await session.commit({ starts: [startOf('a')] });
      await session.close();
      const [record] = (await inspect(path)).records;
      assert.equal(record.run?.runId, startOf('a').run.runId);
    });
  }

  test('A4 E8 a copy in its place is noticed from outside, and what comes back is well', async (t) => {
    const path = await pathFor(t);
    const session = await sqlite(path).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('a')] });
    const { take, back } = FATES['is replaced by a copy'];
    take(path);
    await assert.rejects(inspect(path), { name: 'StoreMovedError', path, found: 'another file' });
    const { healthy, troubles } = await health(path);
    assert.deepEqual([healthy, troubles[0]?.reason], [false, 'store']);
    back?.(path);
    assert.equal((await inspect(path)).owner, 'held');
    await session.close();
  });

  test('E6 the lock of the next owner, which has not opened the file yet, and a new thread are no trouble', async (t) => {
    const path = await pathFor(t);
    await (await sqlite(path).open({ waitMs: 0 })).close();
    // Some file systems give the number of a file that was deleted to the next one.
    writeFileSync(`${path}.one`, '');
    const lock = takeFreeLock(path);
    assert.equal((await inspect(path)).owner, 'held');
    lock?.close();
    const threads: Worker[] = [];
    const session = await sqliteForTests(path, { onThread: (thread) => threads.push(thread) }).open({
      waitMs: 0,
    });
    await threads[0].terminate();
    writeFileSync(`${path}.two`, '');
    while ((await session.read([]).catch(() => undefined)) === undefined)
      await new Promise((resolve) => setImmediate(resolve));
    assert.equal(threads.length, 2);
    await session.commit({ puts: [newRecord('a')] });
    assert.equal((await inspect(path)).owner, 'held');
    await session.close();
  });

  test('A4 D7 a scheduler starts nothing while its file is away, says so, and goes on when it is back', async (t) => {
    const path = await pathFor(t);
    let calls = 0;
    const { scheduler, next, events } = await schedule(sqlite(path), [
      [
        'again',
        '* * * * *',
        () => {
          if (++calls > 1) return;
          renameSync(path, `${path}.away`);
          throw new Error('not yet');
        },
        0,
      ],
    ]);
    const { error } = await next('StoreTroubleStarted');
    assert.equal(Reflect.get(Object(error), 'name'), 'StoreMovedError');
    assert.equal(calls, 1, 'the retry is owed, and not started');
    renameSync(`${path}.away`, path);
    await next('StoreTroubleEnded');
    await next('TaskRunCompleted');
    await scheduler.stop();
    assert.equal(Reflect.get(events.at(-1) ?? {}, 'error'), undefined);
    assert.equal((await inspect(path)).records[0].failures, 0);
  });

  test('D7 stop rejects though nothing was left to write, if the file is gone', async (t) => {
    const path = await pathFor(t);
    const { scheduler, events } = await schedule(sqlite(path), [['far', '0 0 29 2 *', () => {}, 0]]);
    rmSync(path);
    await assert.rejects(scheduler.stop(), {
      name: 'StopSchedulerError',
      message: /is gone: it was deleted/,
    });
    assert.equal(
      Reflect.get(Object(Reflect.get(events.at(-1) ?? {}, 'error')), 'name'),
      'StopSchedulerError',
    );
  });

  test('E8 it is noticed though nothing is written', async (t) => {
    const path = await pathFor(t);
    const { scheduler, next } = await schedule(sqlite(path), [['far', '0 0 29 2 *', () => {}, 0]]);
    renameSync(path, `${path}.away`);
    const { error } = await next('StoreTroubleStarted');
    assert.equal(Reflect.get(Object(error), 'name'), 'StoreMovedError');
    renameSync(`${path}.away`, path);
    await next('StoreTroubleEnded');
    await scheduler.stop();
  });
});

describe('a file with two paths', () => {
  test('E6 a hard link is refused at opening, by either name, and a symbolic link is not', async (t) => {
    const path = await pathFor(t);
    await (await sqlite(path).open({ waitMs: 0 })).close();
    linkSync(path, `${path}.twin`);
    for (const name of [path, `${path}.twin`]) {
      await assert.rejects(sqlite(name).open({ waitMs: 0 }), {
        name: 'StoreSharedFileError',
        path: name,
        message: /has 2 names \(hard links\), so two schedulers could own it at once: keep it under one name/,
      });
    }
    rmSync(`${path}.twin`);
    await (await sqlite(path).open({ waitMs: 0 })).close();
  });

  test('E6 a file that is mounted by itself is refused, and one in a mounted folder is not', {
    skip: noMounts(),
  }, async (t) => {
    const folder = await temporaryFolder(t);
    for (const name of ['host', 'container', 'folder']) mkdirSync(join(folder, name));
    const path = join(folder, 'host/store.db');
    await (await sqlite(path).open({ waitMs: 0 })).close();
    const code = `
      const { execFileSync } = await import('node:child_process');
      const folder = path.slice(0, -'/host/store.db'.length);
      execFileSync('touch', [folder + '/container/store.db']);
      execFileSync('mount', ['--bind', path, folder + '/container/store.db']);
      execFileSync('mount', ['--bind', folder + '/host', folder + '/folder']);
      await sqlite(folder + '/container/store.db').open({ waitMs: 0 }).catch((error) => say(error.name + ' ' + error.reason));
      await sqlite(folder + '/folder/store.db').open({ waitMs: 0 }).then((session) => session.close()).then(() => say('opened'));`;
    const { out, err } = await ended(program(t, path, code, { before: ['unshare', '-rm'] }));
    assert.equal(out + err, 'StoreSharedFileError is mounted as a single file\nopened\n');
  });
});

describe('a file that another scheduler has taken over', () => {
  const TAKE = `
    const { existsSync, writeFileSync } = await import('node:fs');
    say('ready');
    while (!existsSync(path + '.go')) await new Promise((resolve) => setTimeout(resolve, 5));
    const session = await sqlite(path).open({ waitMs: 0 });
    writeFileSync(path + '.taken', '');
    process.stdin.once('data', () => session.close().then(() => process.stdin.destroy()));
  `;

  test('E6 the first owner writes nothing any more, aborts its callbacks, says who has it, and stop rejects', async (t) => {
    const path = await pathFor(t);
    let calls = 0;
    let reason: unknown;
    const end = Promise.withResolvers<void>();
    const { scheduler, next, events } = await schedule(sqlite(path), [
      [
        'long',
        '* * * * *',
        async ({ signal }) => {
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
          reason = signal.reason;
          throw new Error('aborted');
        },
        0,
      ],
      ['short', '* * * * *', async () => (++calls === 1 ? end.promise : undefined), 0],
    ]);
    await next('TaskRunStarted');
    const other = program(t, path, TAKE);
    await saying(other, (line) => line === 'ready');
    // This thread waits without a turn of its loop: otherwise it might lock the file again before the other one does.
    rmSync(`${path}.lock`);
    writeFileSync(`${path}.go`, '');
    while (!existsSync(`${path}.taken`)) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    end.resolve();
    const { error } = await next('StoreLost');
    assert.equal(error.name, 'StoreLostError');
    assert.match(error.message, new RegExp(`taken over by another scheduler \\(pid ${other.pid} on `));
    await next('TaskRunFailed');
    assert.equal(Reflect.get(Object(reason), 'name'), 'StoreLostError');
    await assert.rejects(scheduler.stop(), {
      name: 'StopSchedulerError',
      message: /was taken over by another/,
    });
    assert.equal(events.filter(({ type }) => type === 'TaskRetryStarted').length, 0);
    const { records, ownedBy } = await inspect(path);
    assert.deepEqual(
      records.map(({ run }) => run !== null),
      [true, true],
      'the other owner finds both as they were',
    );
    assert.equal(ownedBy?.pid, other.pid);
    other.stdin?.end('let go');
    await ended(other);
  });

  test('E6 a lock file that was only deleted is made again, and keeps others out', async (t) => {
    const path = await pathFor(t);
    const { scheduler, events } = await schedule(sqlite(path), [['far', '0 0 29 2 *', () => {}, 0]]);
    rmSync(`${path}.lock`);
    const refusal = (): Promise<unknown> =>
      sqlite(path)
        .open({ waitMs: 0 })
        .then(
          () => undefined,
          (error: Error) => error.name,
        );
    // An opening would make the file, and take it. So this waits for the scheduler to have done it.
    await until(() => existsSync(`${path}.lock`));
    assert.equal(await refusal(), 'StoreLockedError');
    assert.ok(events.every(({ type }) => type !== 'StoreLost'));
    await scheduler.stop();
  });
});

/** The place of a store: who may read its files, what they may grow to, and what is said when a limit of the machine is met. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { createScheduler, traceFile } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { inspect, sqlite } from '../../src/store/index.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { holdFile } from './held-file.ts';
import { ended, program, temporaryFolder } from './kit.ts';

const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

/** Says how an opening failed. */
const OPEN = `
  await sqlite(path).open({ waitMs: 0 }).then(() => say('opened'), (error) => say(error.name + ': ' + error.message));`;

describe('the files of a store', () => {
  test('G5 are made for their user alone, whatever the umask, and so is the trace', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'store.db');
    const code = `
      process.umask(0);
      const { createScheduler, traceFile } = await import(process.env.INDEX);
      const trace = traceFile(path + '.jsonl', { rotateBytes: 1024 });
      const scheduler = createScheduler({ store: sqlite(path), trace });
      await scheduler.initialize(Array.from({ length: 50 }, (_, place) => ['task ' + place, '0 0 29 2 *', () => {}, 0]));
      await scheduler.stop();
      await scheduler.initialize([]);
      const { readdirSync, statSync } = await import('node:fs');
      const { dirname, join } = await import('node:path');
      for (const name of readdirSync(dirname(path)).sort()) say(name + ' ' + (statSync(join(dirname(path), name)).mode & 0o777).toString(8));
      await scheduler.stop();
      await trace.close();`;
    const env = { ...process.env, INDEX: new URL('../../src/index.ts', import.meta.url).href };
    const { out, err } = await ended(program(t, path, code, { env }));
    assert.equal(err, '');
    assert.deepEqual(out.trim().split('\n'), [
      'store.db 600',
      'store.db-shm 600',
      'store.db-wal 600',
      'store.db.jsonl 600',
      'store.db.jsonl.1 600',
      'store.db.jsonl.lock 600',
      'store.db.lock 600',
    ]);
  });

  test('G5 that exist keep their mode', async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'store.db');
    for (const name of ['store.db', 'store.db.lock', 'trace.jsonl']) {
      writeFileSync(join(folder, name), '');
      chmodSync(join(folder, name), 0o640);
    }
    const trace = traceFile(join(folder, 'trace.jsonl'));
    const scheduler = createScheduler({ store: sqlite(path), trace });
    await scheduler.initialize([]);
    await scheduler.stop();
    await trace.close();
    for (const name of ['store.db', 'store.db.lock', 'trace.jsonl'])
      assert.equal(modeOf(join(folder, name)), '640');
  });

  test('J2 the log is cut back to 64 MB after a burst', async (t) => {
    const file = await holdFile(join(await temporaryFolder(t), 'store.db'));
    const { journal_size_limit: limit } = file.db.prepare('PRAGMA journal_size_limit').get() ?? {};
    file.close();
    assert.equal(limit, 64 * 2 ** 20);
  });
});

describe('a dropped column', () => {
  test('E7 is a field that is missing, of every task, and the file is left alone', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const session = await sqlite(path).open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('a'), newRecord('b')] });
    await session.close();
    const db = new (loadSqlite().DatabaseSync)(path);
    db.exec('ALTER TABLE task DROP COLUMN last_success_at');
    db.close();
    const scheduler = createScheduler({ store: sqlite(path) });
    t.after(() => scheduler.stop());
    await assert.rejects(scheduler.initialize([['a', '* * * * *', () => {}, 0]]), {
      name: 'TaskMissingFieldError',
      taskName: 'a',
      field: 'lastSuccessAt',
    });
    const { damaged, owner } = await inspect(path);
    assert.deepEqual(
      [owner, damaged.map(({ task, field }) => [task, field])],
      [
        'free',
        [
          ['a', 'lastSuccessAt'],
          ['b', 'lastSuccessAt'],
        ],
      ],
    );
  });
});

/** Why something cannot be tried here; false if it can. */
const unless = (command: string, words: readonly string[], why: string): string | false =>
  spawnSync(command, words, { stdio: 'ignore' }).status === 0 ? false : why;

describe('a limit of the machine', () => {
  test('E8 too many open files are named', async (t) => {
    const path = join(await temporaryFolder(t), 'store.db');
    const code = `
      const { closeSync, openSync } = await import('node:fs');
      sqlite(path).location;
      await (await sqlite(path + '.other').open({ waitMs: 0 })).close();
      const held = [];
      try { for (;;) held.push(openSync('/dev/null')); } catch (error) { if (error.code !== 'EMFILE') throw error; }
      const failed = await sqlite(path).open({ waitMs: 0 }).then(() => 'opened', (error) => error.name + ': ' + error.message);
      for (const file of held) closeSync(file);
      say(failed);`;
    const { out, err } = await ended(
      program(t, path, code, { before: ['sh', '-c', 'ulimit -n 200; exec "$@"', 'sh'] }),
    );
    assert.equal(err, '');
    assert.match(out, /^StoreUnwritableError: .*too many files are open \(EMFILE\): close some/);
  });

  const noMounts = unless(
    'unshare',
    ['-rm', 'true'],
    'this machine does not let a test make mounts of its own (unshare -rm)',
  );

  test('E8 a file system without room for another file is named', { skip: noMounts }, async (t) => {
    const folder = join(await temporaryFolder(t), 'small');
    mkdirSync(folder);
    const path = join(folder, 'store.db');
    const mount = `
      const { execFileSync } = await import('node:child_process');
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=2', 'tmpfs', ${JSON.stringify(folder)}]);
      execFileSync('touch', [${JSON.stringify(join(folder, 'last'))}]);`;
    const { out, err } = await ended(program(t, path, mount + OPEN, { before: ['unshare', '-rm'] }));
    assert.equal(err, '');
    assert.match(out, /^StoreUnwritableError: .*no room for another file \(no inodes left\): delete some/);
  });

  const noCompiler = unless(
    'cc',
    ['--version'],
    'there is no C compiler to build a file system without locks with (cc)',
  );

  test('E6 a file system without locks is not taken for a lock that somebody has', {
    skip: noCompiler,
  }, async (t) => {
    const folder = await temporaryFolder(t);
    const path = join(folder, 'store.db');
    const shim = join(folder, 'shim.so');
    const source = `
      #define _GNU_SOURCE
      #include <dlfcn.h>
      #include <errno.h>
      #include <fcntl.h>
      #include <stdarg.h>
      static int without_locks(const char *name, int fd, int command, void *argument) {
        if (command == F_SETLK || command == F_SETLKW) { errno = ENOLCK; return -1; }
        int (*real)(int, int, ...) = dlsym(RTLD_NEXT, name);
        return real(fd, command, argument);
      }
      #define REPLACED(name) int name(int fd, int command, ...) { \\
        va_list rest; va_start(rest, command); void *argument = va_arg(rest, void *); va_end(rest); \\
        return without_locks(#name, fd, command, argument); }
      REPLACED(fcntl)
      REPLACED(fcntl64)`;
    execFileSync('cc', ['-shared', '-fPIC', '-o', shim, '-xc', '-', '-ldl'], { input: source });
    const { out, err } = await ended(program(t, path, OPEN, { env: { ...process.env, LD_PRELOAD: shim } }));
    assert.equal(err, '');
    assert.match(out, /^StoreUnwritableError: .*has no locks \(ENOLCK\): keep the store on a local disk/);
    assert.deepEqual(
      readdirSync(folder).sort(),
      ['shim.so', 'store.db.lock'],
      'and nothing is left of the trial',
    );
  });
});

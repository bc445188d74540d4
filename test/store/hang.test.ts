/** A store that hangs: its thread is in a call that does not return. `stop` rejects in time, says so, and lets go when the call returns. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from '../../src/index.ts';
import { sqliteForTests } from '../../src/store/sqlite.ts';
import { loadSqlite } from '../../src/store/sqlite-load.ts';
import { PATIENCE_MS } from '../patience.ts';
import { temporaryFolder } from './kit.ts';
import { schedule } from './schedule-kit.ts';

test('D7 E8 stop rejects though the store hangs, says what still hangs, and the lock goes when it answers', async (t) => {
  const path = join(await temporaryFolder(t), 'store.db');
  const run = Promise.withResolvers<void>();
  // Another connection writes, and the thread waits for it inside SQLite, as it would inside an fsync.
  const store = sqliteForTests(path, { busyTimeout: PATIENCE_MS });
  const { scheduler, next } = await schedule(store, [['a', '* * * * *', () => run.promise, 0]], {
    finalWrite: 100,
  });
  await next('TaskRunStarted');
  const other = new (loadSqlite().DatabaseSync)(path);
  other.exec('BEGIN IMMEDIATE');
  const stopped = scheduler.stop();
  run.resolve();
  await assert.rejects(stopped, {
    name: 'StopSchedulerError',
    message:
      /has not answered for 100 ms: see whether its disk hangs; its thread, its lock and this process stay/,
  });
  assert.equal((await inspect(path)).owner, 'held', 'nobody else may have it while the call goes on');
  await assert.rejects(scheduler.initialize([]), {
    name: 'StoreLockedError',
    message: new RegExp(`pid ${process.pid} on`),
  });
  other.exec('ROLLBACK');
  other.close();
  for (let owner = 'held'; owner !== 'free'; { owner } = await inspect(path));
  await scheduler.initialize([['a', '* * * * *', () => {}, 0]]);
  await scheduler.stop();
});

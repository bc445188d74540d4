/** I1: how those who ask get between the batches of an owner, and how the owner hears of it without looking again and again. */
import assert from 'node:assert/strict';
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, type TestContext, test } from 'node:test';
import { inspect } from '../../src/store/inspect.ts';
import { memory } from '../../src/store/memory.ts';
import type { ControlRequest } from '../../src/store/port.ts';
import { sqlite } from '../../src/store/sqlite.ts';
import { watchLog } from '../../src/store/sqlite-log-watch.ts';
import { watchRequests } from '../../src/store/sqlite-requests.ts';
import { bounded } from '../patience.ts';
import { temporaryFolder } from './kit.ts';

const request = (id: string, task = 'a'): ControlRequest => ({
  id,
  kind: 'pause',
  task,
  askedAt: 5,
  catchUp: false,
});

/** A file that a scheduler has made, and a connection to it. */
async function fileOf(t: TestContext): Promise<{ path: string; db: DatabaseSync }> {
  const path = join(await temporaryFolder(t), 'state.db');
  const session = await sqlite(path).open({ waitMs: 0 });
  await session.close();
  const db = new DatabaseSync(path);
  t.after(() => db.close());
  db.exec('SELECT count(*) FROM request');
  return { path, db };
}

describe('I1 who asks', () => {
  test('I1 waits for who writes, and all that wait become durable together', async (t) => {
    const { path, db } = await fileOf(t);
    const store = sqlite(path);
    db.exec('BEGIN IMMEDIATE');
    const asking = ['1', '2', '3'].map((id) => store.ask?.(request(id)));
    // All of them are on their way when the first has been tried.
    const settled = Promise.allSettled(asking);
    await new Promise((resolve) => setImmediate(resolve));
    db.exec('COMMIT');
    const asked = await bounded('the requests', settled);
    assert.deepEqual(
      asked.map((each) => each.status === 'fulfilled' && each.value?.owner),
      ['free', 'free', 'free'],
    );
    assert.equal(db.prepare('SELECT count(*) AS count FROM request').get()?.count, 3);
    db.exec(
      `UPDATE request SET answer = '{"state":"applied","text":"paused"}', answered_at = 7 WHERE id = '2'`,
    );
    const answers = await Promise.all(
      asked.map((each) => (each.status === 'fulfilled' ? each.value?.answer() : undefined)),
    );
    assert.deepEqual(answers, [undefined, { id: '2', at: 7, state: 'applied', text: 'paused' }, undefined]);
    for (const each of asked) if (each.status === 'fulfilled') await each.value?.close();
  });

  test('I1 gives up on a file that is never free, and the next one is asked again', async (t) => {
    const { path, db } = await fileOf(t);
    const store = sqlite(path, { busyTimeout: 50 });
    db.exec('BEGIN IMMEDIATE');
    await assert.rejects(async () => store.ask?.(request('1')), { name: 'StoreBusyError' });
    db.exec('ROLLBACK');
    const asked = await store.ask?.(request('2'));
    assert.equal(await asked?.answer(), undefined);
    await asked?.close();
    await asked?.close();
  });

  test('I1 who looks sees the requests that are not answered, in their order', async (t) => {
    for (const store of [sqlite((await fileOf(t)).path), memory()]) {
      const asked = [await store.ask?.(request('1')), await store.ask?.(request('2'))];
      assert.deepEqual((await inspect(store)).requests, [request('1'), request('2')]);
      for (const each of asked) await each?.close();
      const session = await store.open({ waitMs: 0 });
      await session.commit({ answers: [{ id: '1', at: 7, state: 'applied', text: 'paused' }] });
      await session.close();
      assert.deepEqual((await inspect(store)).requests, [request('2')]);
    }
  });

  test('I1 a file that is not there is said to be missing, each time', async (t) => {
    const store = sqlite(join(await temporaryFolder(t), 'none.db'));
    for (const id of ['1', '2'])
      await assert.rejects(async () => store.ask?.(request(id)), { name: 'StoreMissingError' });
  });
});

describe('I1 the owner', () => {
  test('I1 looks at the end of a batch, and never in the middle of one', async (t) => {
    const { path, db } = await fileOf(t);
    t.mock.timers.enable({ apis: ['setInterval'] });
    const told: string[] = [];
    let isIdle = false;
    const watch = watchRequests(
      db,
      () => isIdle,
      (requests) => told.push(...requests.map(({ id }) => id)),
    );
    t.after(() => watch.end());
    const asked = await sqlite(path).ask?.(request('1'));
    await asked?.close();
    watch.served();
    assert.deepEqual(told, []);
    isIdle = true;
    watch.served();
    watch.served();
    assert.deepEqual(told, ['1'], 'once, for nothing has changed since');
  });
});

describe('I1 the log', { skip: process.platform === 'win32' ? 'a timer looks there' : false }, () => {
  // What watches keeps no process alive; the test does.
  const alive = setInterval(() => {}, 1000);
  after(() => clearInterval(alive));

  test('I1 a write of another connection is heard of without a timer', async (t) => {
    const { path, db } = await fileOf(t);
    t.mock.timers.enable({ apis: ['setInterval'] });
    const heard = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let expected = 0;
    const end = watchLog(path, () => heard[expected].resolve());
    t.after(end);
    await bounded('the proof', heard[0].promise);
    expected = 1;
    db.exec("INSERT INTO request (id, kind, task, details, asked_at) VALUES ('1', 'run', '\"a\"', '', 5)");
    await bounded('the write', heard[1].promise);
  });

  test('I1 where the system tells nothing, a look comes each second', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] });
    let looks = 0;
    const path = join(await temporaryFolder(t), 'none.db');
    const end = watchLog(path, () => looks++);
    t.mock.timers.tick(3000);
    assert.equal(looks, 3);
    end();
    t.mock.timers.tick(3000);
    assert.equal(looks, 3);
  });

  test('I1 once it was proved, timers look each half minute; not so when the log is taken away', async (t) => {
    const path = join(await temporaryFolder(t), 'made-up.db');
    writeFileSync(`${path}-wal`, '');
    t.mock.timers.enable({ apis: ['setInterval'] });
    let looks = 0;
    let heard = Promise.withResolvers<void>();
    const end = watchLog(path, () => {
      looks++;
      heard.resolve();
    });
    t.after(end);
    await bounded('the proof', heard.promise);
    const before = looks;
    t.mock.timers.tick(29_000);
    assert.equal(looks, before);
    t.mock.timers.tick(1000);
    assert.equal(looks, before + 1);
    heard = Promise.withResolvers();
    renameSync(`${path}-wal`, `${path}-elsewhere`);
    await bounded('the loss', heard.promise);
    const after = looks;
    t.mock.timers.tick(1000);
    assert.equal(looks, after + 1);
  });
});

/** The store's thread dies, and the scheduler goes on. Its lock outlives the thread, and a new thread takes the place of the dead one. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, type TestContext, test } from 'node:test';
import type { Worker } from 'node:worker_threads';
import { checkRegistrations } from '../../src/core/registration.ts';
import { Ends, Starts } from '../../src/core/rows.ts';
import { Tasks } from '../../src/core/tasks.ts';
import { control, inspect } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { sqlite } from '../../src/store/index.ts';
import type { StoreSession } from '../../src/store/port.ts';
import { sqliteForTests } from '../../src/store/sqlite.ts';
import { bounded, PATIENCE_MS } from '../patience.ts';
import { ended, program, saying, temporaryFolder } from './kit.ts';
import { schedule } from './schedule-kit.ts';

async function mortalStore(t: TestContext) {
  const path = join(await temporaryFolder(t), 'store.db');
  const threads: Worker[] = [];
  const store = sqliteForTests(path, { onThread: (thread) => threads.push(thread) });
  return { path, store, threads, kill: async () => threads.at(-1)?.terminate() };
}

/** Asks until the store answers again. */
async function answered(session: StoreSession): Promise<void> {
  for (;;) {
    const error: unknown = await session.read([]).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    if (error === undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the thread of a store', () => {
  test('E8 when it dies, what is pending is rejected, and the session goes on with another', async (t) => {
    const { store, threads, kill } = await mortalStore(t);
    const session = await store.open({ waitMs: 0 });
    await session.commit({ puts: [newRecord('a')] });
    const puts = Array.from({ length: 20_000 }, (_, index) => newRecord(`task ${index}`));
    const pending = [session.commit({ puts }), session.read()];
    const died = { name: 'StoreFailedError', message: /its thread has died/ };
    const rejections = pending.map((call) => assert.rejects(call, died));
    await kill();
    await Promise.all(rejections);
    await assert.rejects(session.commit({}), died);
    await assert.rejects(session.read(), died);
    await bounded('an answer', answered(session));
    assert.equal(threads.length, 2);
    await session.commit({ puts: [newRecord('b')] });
    assert.deepEqual(await session.read(), [newRecord('a'), newRecord('b')]);
    await session.close();
    assert.equal((await inspect(store)).owner, 'free');
  });

  test('E8 the death is noticed though nothing is asked, again and again', async (t) => {
    const { store, kill } = await mortalStore(t);
    const heard: string[] = [];
    const session = await store.open({ waitMs: 0, onTrouble: (error) => heard.push(error.name) });
    for (let count = 1; count <= 3; count++) {
      await kill();
      assert.equal(heard.length, count, 'at once');
      await bounded('an answer', answered(session));
    }
    await session.close();
    assert.deepEqual(heard, Array(3).fill('StoreFailedError'), 'and a close is no death');
  });

  test('E8 the next thread knows the names of runs that were begun before', async (t) => {
    const { store, kill } = await mortalStore(t);
    const session = await store.open({ waitMs: 0 });
    const tasks = new Tasks(checkRegistrations([['a', '* * * * *', () => {}, 0]], new Map()), 'instance');
    const [starts, ends] = [new Starts(tasks), new Ends(tasks)];
    await session.commit({ puts: [newRecord('a')] });
    await session.enroll?.(['a']);
    tasks.begin([0], 1);
    tasks.claim(0, 1, 1000, 'due', 1000, starts);
    await session.commit({ starts });
    await kill();
    await bounded('an answer', answered(session));
    tasks.call(0, 2000);
    tasks.end(0, 'success', null, 3000, ends);
    assert.deepEqual((await session.commit({ ends })).refused, []);
    assert.partialDeepStrictEqual(await session.read(['a']), [{ name: 'a', run: null, lastSuccessAt: 3000 }]);
    await session.close();
  });

  test('E6 nobody else gets the file while it is dead, nor when the session is closed before it is replaced', async (t) => {
    const { path, store, kill } = await mortalStore(t);
    const session = await store.open({ waitMs: 0 });
    const other = program(
      t,
      path,
      `process.stdin.on('data', async () => {
        await sqlite(path).open({ waitMs: 0 }).then((session) => session.close().then(() => say('opened')), (error) => say(error.name));
      });
      say('ready');`,
    );
    await saying(other, (line) => line === 'ready');
    await kill();
    const refused = saying(other, (line) => line !== 'ready');
    other.stdin?.write('now');
    assert.equal(await refused, 'StoreLockedError');
    assert.equal((await inspect(path)).owner, 'held', 'and those who look are told so');
    await kill();
    await session.close();
    const opened = saying(other, (line) => line !== 'ready');
    other.stdin?.write('now');
    assert.equal(await opened, 'opened');
    other.stdin?.end();
  });
});

describe('a scheduler whose store dies', () => {
  test('E6 E8 its callback goes on, a standby in another process stays out, and the end is written', async (t) => {
    const { path, store, kill } = await mortalStore(t);
    const run = Promise.withResolvers<void>();
    const { scheduler, next, events } = await schedule(store, [
      ['long', '* * * * *', () => run.promise, 60_000],
    ]);
    await next('TaskRunStarted');
    const standby = program(
      t,
      path,
      `const { createScheduler } = await import(process.env.INDEX);
      const scheduler = createScheduler({ store: sqlite(path), lockWait: Infinity, timeZone: 'UTC', logger: { debug() {}, info() {}, error() {}, warn: () => say('waiting') } });
      await scheduler.initialize([['long', '0 0 29 2 *', () => say('started again'), 60_000]]);
      say('took over');
      await scheduler.stop();`,
      { env: { ...process.env, INDEX: new URL('../../src/index.ts', import.meta.url).href } },
    );
    let said = '';
    standby.stdout?.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    await saying(standby, (line) => line === 'waiting');
    await kill();
    const { error } = await next('StoreTroubleStarted');
    assert.match(String(error), /its thread has died/);
    await next('StoreTroubleEnded');
    run.resolve();
    await next('TaskRunCompleted');
    assert.equal(said, 'waiting\n');
    await scheduler.stop();
    assert.equal(events.at(-1)?.type, 'SchedulerStopped');
    const { code } = await ended(standby);
    assert.deepEqual([code, said], [0, 'waiting\ntook over\n']);
    const [{ lastSuccessAt, run: left }] = (await inspect(path)).records;
    assert.ok(lastSuccessAt !== null && left === null);
  });

  test('E8 ends and starts that come while it is dead are written by the next thread', async (t) => {
    const { store, kill } = await mortalStore(t);
    let calls = 0;
    const { scheduler, next } = await schedule(store, [
      [
        'again',
        '0 0 29 2 *', // by request only: a minute that begins meanwhile would start it before its retry does
        async () => {
          if (++calls > 1) return;
          await kill();
          throw new Error('not yet');
        },
        0,
      ],
    ]);
    await control(store).run('again', { wait: 0 });
    await next('StoreTroubleStarted');
    await next('TaskRetryStarted');
    await next('TaskRunCompleted');
    await scheduler.stop();
    const [{ failures, lastSuccessAt, run }] = (await inspect(store)).records;
    assert.deepEqual([failures, lastSuccessAt !== null, run, calls], [0, true, null, 2]);
  });

  test('D7 stop resolves though the thread is dead, since everything was durable', async (t) => {
    const { store, kill } = await mortalStore(t);
    // Long enough for a new thread on a busy machine; a store that stays dead is found all the same.
    const options = { finalWrite: 60_000 };
    const { scheduler, next } = await schedule(store, [['far', '0 0 29 2 *', () => {}, 0]], options);
    await kill();
    await next('StoreTroubleStarted');
    await scheduler.stop();
    assert.equal((await inspect(store)).owner, 'free');
  });
});

describe('waiting for the lock', () => {
  test('E6 takes no thread', async (t) => {
    const { store, threads, path } = await mortalStore(t);
    const holder = await sqlite(path).open({ waitMs: 0 });
    await assert.rejects(store.open({ waitMs: 200 }), { name: 'StoreLockedError' });
    assert.equal(threads.length, 0);
    const waiting = store.open({ waitMs: PATIENCE_MS });
    await holder.close();
    await (await waiting).close();
    assert.equal(threads.length, 1);
  });
});

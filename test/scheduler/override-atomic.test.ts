/** E5: new, preserved, overridden, orphaned and removed are one transaction; if it fails, the previous state stands. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ScheduleTaskError, StoreRecordMissingError } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import {
  at,
  DISK_ON_FIRE,
  deadRun,
  failsAfter,
  failsBefore,
  record,
  TroubledStore,
  through,
} from './fixtures/troubled-store.ts';
import { createWorld, turns } from './world.ts';

const cursor = at('2026-01-01T11:59:59Z');
const old = [
  record('preserved', { servedThrough: cursor }),
  record('overridden', { servedThrough: cursor, lastSuccessAt: cursor, retryDelayMs: 5 }),
  record('orphaned', {
    servedThrough: cursor,
    work: { key: 'key', scheduledFor: cursor, attempt: 1 },
    run: deadRun(cursor),
  }),
  record('removed', { servedThrough: cursor }),
];
const calls: string[] = [];
const list: Registration[] = ['preserved', 'overridden', 'orphaned', 'new'].map((name) => [
  name,
  '0 0 1 1 *',
  () => calls.push(name),
  0,
]);

async function storeWith(commits: TroubledStore['commits']): Promise<TroubledStore> {
  const store = new TroubledStore();
  await store.put(...old);
  store.commits = commits;
  return store;
}

describe('E5 one transaction', () => {
  test('E5 all five kinds are in one batch', async () => {
    const store = await storeWith(through);
    const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
    await scheduler.initialize(list);
    assert.deepEqual(store.calls, ['open', 'read', 'commit']);
    const [{ cutOffs, removes, puts = [], configures }] = store.batches;
    assert.deepEqual(cutOffs, [{ name: 'orphaned', runId: 'run', at: at('2026-01-01T12:00:00Z') }]);
    assert.deepEqual(removes, ['removed']);
    assert.deepEqual(
      Array.from(puts, ({ name }) => name),
      ['new'],
    );
    assert.deepEqual(configures, [
      { name: 'overridden', version: 1, cron: '0 0 1 1 *', retryDelayMs: 0, policy: null },
    ]);
    await turns();
    assert.deepEqual(calls.splice(0), ['orphaned']);
    await scheduler.stop();
  });

  test('E5 if it fails the previous state stands; ScheduleTaskError has what the store said as its cause', async () => {
    const store = await storeWith(failsBefore);
    const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
    await assert.rejects(scheduler.initialize(list), (error: unknown) => {
      assert.ok(error instanceof ScheduleTaskError);
      assert.equal(error.cause, DISK_ON_FIRE);
      assert.equal(error.details.cause, DISK_ON_FIRE);
      assert.ok(error.message.endsWith(DISK_ON_FIRE.message));
      assert.equal(error.details.name, '*', 'the list as a whole');
      return true;
    });
    assert.deepEqual(await store.records(), old);
    assert.equal((await store.inspect()).owner, 'free', 'the store is let go');
    await turns();
    assert.deepEqual(calls.splice(0), []);
  });

  test('E5 ScheduleTaskError names the task, if there is only one, or the store names it', async () => {
    const alone: Registration = ['alone', '5 * * * *', () => {}, 0];
    const store = new TroubledStore();
    store.commits = failsBefore;
    const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
    const named = {
      name: 'ScheduleTaskError',
      cause: DISK_ON_FIRE,
      details: { name: 'alone', cronExpression: '5 * * * *' },
    };
    await assert.rejects(scheduler.initialize([alone]), named);
    const missing = new StoreRecordMissingError({ path: 'memory', taskName: 'two', change: 'configure' });
    store.commits = () => Promise.reject(missing);
    const both = scheduler.initialize([alone, ['two', '6 * * * *', () => {}, 0]]);
    await assert.rejects(both, {
      cause: missing,
      details: { name: 'two', cronExpression: '6 * * * *' },
    });
  });

  test('E5 a store that cannot be opened or read: ScheduleTaskError with the cause, and nothing is open', async () => {
    for (const step of ['open', 'read']) {
      const store = await storeWith(through);
      if (step === 'open') store.opens = () => Promise.reject(DISK_ON_FIRE);
      else store.reads = () => Promise.reject(DISK_ON_FIRE);
      const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
      await assert.rejects(scheduler.initialize(list), { name: 'ScheduleTaskError', cause: DISK_ON_FIRE });
      assert.deepEqual(await store.records(), old);
      assert.equal((await store.inspect()).owner, 'free');
    }
  });

  test('E5 something thrown that is no error becomes one', async () => {
    const store = await storeWith(() => Promise.reject('plain words'));
    const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
    await assert.rejects(scheduler.initialize(list), (error: unknown) => {
      assert.ok(error instanceof ScheduleTaskError && error.cause instanceof Error);
      assert.equal(error.cause.message, 'plain words');
      return true;
    });
  });

  test('E9 a commit that fails after taking effect: the next initialize reads first, and leaves the same records', async () => {
    const store = await storeWith(failsAfter);
    const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
    await assert.rejects(scheduler.initialize(list), ScheduleTaskError);
    const left = await store.records();
    store.commits = through;
    await scheduler.initialize(list);
    assert.deepEqual(store.calls, ['open', 'read', 'commit', 'close', 'open', 'read']);
    assert.deepEqual(await store.records(), left);
    await turns();
    assert.deepEqual(calls.splice(0), ['orphaned']);
    await scheduler.stop();
  });

  test('E1 names are compared as they are: case, accents and white space make other tasks', async () => {
    const store = new TroubledStore();
    await store.put(record('task'), record('Task'), record('é'));
    const { scheduler } = createWorld('2026-01-01T12:00:00Z', { store });
    await scheduler.initialize(
      ['task', 'task ', 'TASK', 'e\u0301'].map((name) => [name, '0 13 * * *', () => {}, 0]),
    );
    const known = (await store.records()).map(({ name, firstSeenAt }) => [name, firstSeenAt === 0]);
    assert.deepEqual(
      new Map(known.map(([name, isOld]) => [name, isOld])),
      new Map(
        Object.entries({
          task: true,
          'task ': false,
          TASK: false,
          'e\u0301': false,
        }),
      ),
    );
    await turns();
    await scheduler.stop();
  });
});

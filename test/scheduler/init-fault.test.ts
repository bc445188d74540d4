/** What the trace says an `initialize` failed for: the list, the store or the host, as the error's class knows it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createScheduler,
  HostTimeZoneError,
  memory,
  type Registration,
  type SchedulerOptions,
  StoreFullError,
  type TraceRecord,
} from '../../src/index.ts';

const good: Registration = ['a', '0 0 1 1 *', () => {}, 0];

/** The failure that the trace of an `initialize` ends in. */
async function failureOf(
  options: SchedulerOptions,
  list: unknown,
): Promise<Extract<TraceRecord, { event: 'InitFailure' }>> {
  const records: TraceRecord[] = [];
  const scheduler = createScheduler({ ...options, trace: (record) => records.push(record) });
  await assert.rejects(Reflect.apply(scheduler.initialize, scheduler, [list]));
  const last = records.at(-1);
  assert.ok(last?.event === 'InitFailure');
  return last;
}

test('S5 a list that is refused is the fault of the list, also where its own code throws', async () => {
  const duplicate = await failureOf({ store: memory() }, [good, good]);
  assert.deepEqual([duplicate.fault, duplicate.error], ['list', 'ScheduleDuplicateTaskError']);
  const hostile = new Proxy([good], {
    get: (target, key) => {
      if (key === '0') throw new Error('mine');
      return Reflect.get(target, key);
    },
  });
  const thrown = await failureOf({ store: memory() }, hostile);
  assert.deepEqual([thrown.fault, thrown.error], ['list', 'RegistrationShapeError']);
});

test('E5 E6 a store that is locked, full, or fails in its own way is the fault of the store', async () => {
  const store = memory();
  const session = await store.open({ waitMs: 0 });
  const locked = await failureOf({ store, lockWait: 0 }, [good]);
  assert.deepEqual([locked.fault, locked.error], ['store', 'StoreLockedError']);
  await session.close();
  for (const [error, name] of [
    [new StoreFullError({ path: 'a.db' }), 'StoreFullError'],
    [new Error('odd'), 'ScheduleTaskError'],
  ] as const) {
    const failing = { location: 'failing', open: () => Promise.reject(error) };
    const failed = await failureOf({ store: failing }, [good]);
    assert.deepEqual([failed.fault, failed.error], ['store', name]);
  }
});

test('B2 a zone that the host cannot name is the fault of the host', async (t) => {
  const before = process.env.TZ;
  t.after(() => {
    if (before === undefined) delete process.env.TZ;
    else process.env.TZ = before;
  });
  process.env.TZ = 'XYZ+99';
  const { fault, error } = await failureOf({ store: memory() }, [good]);
  assert.deepEqual([fault, error], ['host', HostTimeZoneError.name]);
});

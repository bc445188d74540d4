/** E7: a damaged record is refused by task and field, and nothing is changed; damaged configuration is repaired. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { TaskTryDeserializeError } from '../../src/index.ts';
import type { Registration } from '../../src/scheduler/options.ts';
import { at, deadRun, record, TroubledStore } from './fixtures/troubled-store.ts';
import { createWorld, turns } from './world.ts';

const NOON = '2026-01-01T12:00:00Z';
const work = { key: 'key', scheduledFor: 5, attempt: 1 };
const run = deadRun(6);
const healthy = record('sick', { servedThrough: at(NOON), work, run });
const list: Registration[] = ['well', 'sick'].map((name) => [name, healthy.cron, () => {}, 0]);

/** Initializes over a store that reads the given value beside a healthy record. */
async function initializeOver(value: unknown): Promise<{ error: unknown; store: TroubledStore }> {
  const store = new TroubledStore();
  store.reads = async () => [record('well', { servedThrough: at(NOON) }), value];
  const { scheduler } = createWorld(NOON, { store });
  const error: unknown = await scheduler.initialize(list).then(
    async () => {
      await turns();
      await scheduler.stop();
    },
    (reason: unknown) => reason,
  );
  return { error, store };
}

async function assertRefused(value: unknown, name: string, details: object): Promise<void> {
  const { error, store } = await initializeOver(value);
  assert.ok(error instanceof TaskTryDeserializeError, `${name} was expected`);
  assert.equal(error.name, name);
  for (const [key, expected] of Object.entries(details)) {
    assert.deepEqual(Reflect.get(error.details, key), expected, key);
  }
  assert.deepEqual(store.calls, ['open', 'read', 'close'], 'nothing is written, and the store is let go');
}

const without = (fields: object, field: string): object =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== field));

const instants = ['firstSeenAt', 'servedThrough'];
const optionalInstants = [
  'lastAttemptAt',
  'lastSuccessAt',
  'lastFailureAt',
  'pendingRetryUntil',
  'failingSince',
  'lastDurationMs',
];

describe('E7 damaged records', () => {
  for (const value of [
    null,
    undefined,
    5,
    'text',
    [],
    {},
    { name: 5 },
    { name: '' },
    without(healthy, 'name'),
  ]) {
    test(`E7 ${JSON.stringify(value)?.slice(0, 40)} is a TaskInvalidStructureError`, async () => {
      await assertRefused(value, 'TaskInvalidStructureError', { value });
    });
  }

  for (const field of [...instants, ...optionalInstants, 'failures', 'work', 'run']) {
    test(`E7 a record without ${field} is a TaskMissingFieldError that names task and field`, async () => {
      await assertRefused(without(healthy, field), 'TaskMissingFieldError', { field, taskName: 'sick' });
    });

    test(`E7 ${field} of the wrong type is a TaskInvalidTypeError`, async () => {
      for (const [value, actualType] of [
        ['1767268800000', 'string'],
        [true, 'boolean'],
        [[], 'array'],
        [5n, 'bigint'],
      ]) {
        const expectedType = field === 'work' || field === 'run' ? 'object' : 'number';
        await assertRefused({ ...healthy, [String(field)]: value }, 'TaskInvalidTypeError', {
          field,
          value,
          expectedType,
          actualType,
          taskName: 'sick',
        });
      }
    });
  }

  for (const field of instants) {
    test(`E7 ${field} may not be null`, async () => {
      await assertRefused({ ...healthy, [field]: null }, 'TaskInvalidTypeError', {
        field,
        actualType: 'null',
        taskName: 'sick',
      });
    });
  }

  for (const field of [...instants, ...optionalInstants]) {
    test(`E7 ${field} that is no instant is a TaskInvalidValueError`, async () => {
      for (const value of [Number.NaN, Number.POSITIVE_INFINITY, 1.5, 8.64e15 + 1, -8.64e15 - 1, 2 ** 53]) {
        await assertRefused({ ...healthy, [field]: value }, 'TaskInvalidValueError', {
          field,
          value,
          taskName: 'sick',
        });
      }
    });
  }

  const parts: ReadonlyArray<readonly [string, object]> = [
    ['work', work],
    ['run', run],
  ];
  for (const [part, fields] of parts) {
    for (const [field, good] of Object.entries(fields)) {
      const path = `${part}.${field}`;
      test(`E7 ${path} that is missing, of the wrong type, or makes no sense`, async () => {
        const damaged = (value: unknown): object => ({ ...healthy, [part]: { ...fields, [field]: value } });
        await assertRefused({ ...healthy, [part]: without(fields, field) }, 'TaskMissingFieldError', {
          field: path,
          taskName: 'sick',
        });
        const [ofAnotherType, actualType] = good === null ? ['soon', 'string'] : [null, 'null'];
        await assertRefused(damaged(ofAnotherType), 'TaskInvalidTypeError', { field: path, actualType });
        const senseless = typeof good === 'string' ? '' : 0.5;
        await assertRefused(damaged(senseless), 'TaskInvalidValueError', { field: path, taskName: 'sick' });
      });
    }
  }

  test('E7 an attempt below none, failures below none, a reason that is none, a retry or a run without work are TaskInvalidValueErrors', async () => {
    await assertRefused({ ...healthy, work: { ...work, attempt: -1 } }, 'TaskInvalidValueError', {
      field: 'work.attempt',
      value: -1,
    });
    await assertRefused(
      { ...healthy, run: null, work: null, pendingRetryUntil: 5 },
      'TaskInvalidValueError',
      {
        field: 'pendingRetryUntil',
        value: 5,
      },
    );
    await assertRefused({ ...healthy, work: null }, 'TaskInvalidValueError', { field: 'run' });
    await assertRefused({ ...healthy, failures: -1 }, 'TaskInvalidValueError', { field: 'failures' });
    const bored = { ...healthy, run: { ...run, reason: 'boredom' } };
    await assertRefused(bored, 'TaskInvalidValueError', { field: 'run.reason', value: 'boredom' });
  });

  test('E7 damaged configuration is repaired from the registration', async () => {
    for (const damaged of [
      { cron: 5 },
      { cron: 'nonsense' },
      { retryDelayMs: 'soon' },
      { retryDelayMs: Number.NaN },
      { retryDelayMs: -7 },
    ]) {
      const store = new TroubledStore();
      await store.put(healthy);
      store.reads = async () => [{ ...healthy, ...damaged }];
      const { scheduler } = createWorld(NOON, { store });
      await scheduler.initialize([['sick', healthy.cron, () => {}, 0]]);
      assert.deepEqual(store.batches[0]?.configures, [
        // Its run was cut off first, which raised the version.
        { name: 'sick', version: 2, cron: healthy.cron, retryDelayMs: 0, policy: null },
      ]);
      await turns();
      await scheduler.stop();
    }
  });

  test('E7 a damaged record of a name that is no longer registered is refused too', async () => {
    const store = new TroubledStore();
    store.reads = async () => [{ ...record('gone'), servedThrough: 'x' }];
    const { scheduler } = createWorld(NOON, { store });
    await assert.rejects(scheduler.initialize([]), { name: 'TaskInvalidTypeError', taskName: 'gone' });
  });

  test('G1 a store that answers two records of one name is refused, and nothing is changed', async () => {
    const store = new TroubledStore();
    await store.put(healthy);
    store.reads = async (read) => [...(await read()), healthy];
    const { scheduler } = createWorld(NOON, { store });
    await assert.rejects(scheduler.initialize([['sick', '0 0 1 1 *', () => {}, 0]]), {
      name: 'TaskListMismatchError',
      message: /more than one record of "sick"/,
    });
    assert.deepEqual(store.batches, []);
    assert.deepEqual(await store.records(), [healthy]);
  });

  test('E7 once the record is mended, the same scheduler can be initialized', async () => {
    const store = new TroubledStore();
    store.reads = async () => [{}];
    const { scheduler } = createWorld(NOON, { store });
    await assert.rejects(scheduler.initialize([]), { name: 'TaskInvalidStructureError' });
    store.reads = (read) => read();
    await scheduler.initialize([]);
    await scheduler.stop();
  });
});

/** E7: what is believed of a stored value. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readRecord } from '../../src/core/stored.ts';
import { TaskTryDeserializeError } from '../../src/errors.ts';
import { fc } from '../property.ts';

const instant = fc.integer({ min: -8.64e15, max: 8.64e15 });
const text = fc.string({ minLength: 1 });
const plain = { noNullPrototype: true };
const work = fc.record({ key: text, scheduledFor: instant, attempt: fc.integer({ min: 1 }) }, plain);
const reason = fc.constantFrom('due', 'retry', 'orphaned');
const run = fc.record(
  { runId: text, instanceId: text, startedAt: instant, reason, cutOffAt: fc.option(instant) },
  plain,
);
const lastError = fc.record({ name: fc.string(), message: fc.string() }, plain);

const healthy = fc
  .record(
    {
      name: text,
      cron: fc.string(),
      retryDelayMs: fc.nat(),
      policy: fc.option(fc.string()),
      pausedAt: fc.option(fc.nat()),
      firstSeenAt: instant,
      servedThrough: instant,
      lastAttemptAt: fc.option(instant),
      lastSuccessAt: fc.option(instant),
      lastFailureAt: fc.option(instant),
      pendingRetryUntil: fc.option(instant),
      version: fc.nat(),
      failures: fc.nat(),
      failingSince: fc.option(instant),
      lastError: fc.option(lastError),
      lastDurationMs: fc.option(fc.nat()),
      work: fc.option(work),
      run: fc.option(run),
    },
    plain,
  )
  .map((fields) => (fields.work === null ? { ...fields, run: null, pendingRetryUntil: null } : fields));

describe('E7 reading a stored record', () => {
  test('E7 every record that makes sense is read as it is', () => {
    fc.assert(
      fc.property(healthy, (record) => {
        assert.deepEqual(readRecord(record), record);
        assert.deepEqual(readRecord({ ...record, more: 'of a later version' }), record);
      }),
    );
  });

  test('E7 anything at all is either read or refused with one of the Task…Errors, never with another', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (value) => {
        try {
          readRecord(value);
        } catch (error) {
          assert.ok(error instanceof TaskTryDeserializeError);
        }
      }),
    );
  });

  test('E7 a record with one field replaced is read with that field, repaired, or refused by it', () => {
    const field = fc.constantFrom(
      'cron',
      'retryDelayMs',
      'firstSeenAt',
      'servedThrough',
      'lastAttemptAt',
      'lastSuccessAt',
      'lastFailureAt',
      'failures',
      'failingSince',
      'lastError',
      'lastDurationMs',
      'work',
      'run',
    );
    fc.assert(
      fc.property(healthy, field, fc.anything(), (record, damaged, value) => {
        try {
          readRecord({ ...record, [damaged]: value });
        } catch (error) {
          assert.ok(error instanceof TaskTryDeserializeError);
          assert.equal(error.taskName, record.name);
          const named = String(Reflect.get(error, 'field'));
          // Without its work, a run or a retry makes no sense either, and is what is named.
          const suspects = damaged === 'work' ? ['work', 'run', 'pendingRetryUntil'] : [damaged];
          assert.ok(suspects.includes(named.split('.')[0]), `${named} for ${damaged}`);
        }
      }),
    );
  });

  test('E7 the parts of a run are checked too: each of them is refused by its path', () => {
    const wrong = {
      runId: '',
      instanceId: 7,
      startedAt: 1.5,
      reason: 'boredom',
      cutOffAt: 'yesterday',
    };
    fc.assert(
      fc.property(
        healthy,
        run,
        work,
        fc.constantFrom(...Object.entries(wrong)),
        (record, part, of, [field, value]) => {
          assert.throws(
            () => readRecord({ ...record, work: of, run: { ...part, [field]: value } }),
            (error) =>
              error instanceof TaskTryDeserializeError && Reflect.get(error, 'field') === `run.${field}`,
          );
        },
      ),
    );
  });

  test('J3 a last error that makes no sense is none, and no reason to refuse the record', () => {
    fc.assert(
      fc.property(healthy, fc.anything(), (record, value) => {
        assert.equal(readRecord({ ...record, lastError: { name: value } }).lastError, null);
        assert.equal(readRecord({ ...record, lastError: [value] }).lastError, null);
      }),
    );
  });

  test('E7 configuration that makes no sense is not an error: it will differ from the registration', () => {
    fc.assert(
      fc.property(healthy, fc.anything(), (record, value) => {
        const { cron, retryDelayMs } = readRecord({ ...record, cron: value, retryDelayMs: value });
        assert.equal(cron, typeof value === 'string' ? value : '');
        assert.equal(retryDelayMs, typeof value === 'number' ? value : -1);
      }),
    );
  });
});

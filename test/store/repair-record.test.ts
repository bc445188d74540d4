/** Repairing damaged records (E7): the outcome can always be read, and nothing that was owed is lost. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fullRecord } from '../../src/store/conformance-kit.ts';
import { type Means, repairRecord } from '../../src/store/maintenance/repair-record.ts';
import { NOW } from '../cli/commands-kit.ts';
import { fc } from '../property.ts';

describe('repair', () => {
  const means: Means = { now: NOW, freshId: () => 'fresh' };
  const whole = fullRecord('x');
  const odd = fc.constantFrom<unknown>(
    undefined,
    null,
    '',
    'text',
    -1,
    1.5,
    2 ** 60,
    10n,
    Number.NaN,
    true,
    [],
    {},
  );
  const part = (fields: object): fc.Arbitrary<unknown> => {
    const entries = Object.entries(fields).map(([key, good]): [string, fc.Arbitrary<unknown>] => [
      key,
      fc.oneof(fc.constant(good), odd),
    ]);
    return fc.oneof(odd, fc.record(Object.fromEntries(entries)));
  };
  const damaged = fc
    .record({
      firstSeenAt: fc.oneof(fc.constant(whole.firstSeenAt), odd),
      servedThrough: fc.oneof(fc.constant(whole.servedThrough), odd),
      lastAttemptAt: fc.oneof(fc.constant(whole.lastAttemptAt), odd),
      lastSuccessAt: fc.oneof(fc.constant(whole.lastSuccessAt), odd),
      lastFailureAt: fc.oneof(fc.constant(whole.lastFailureAt), odd),
      pendingRetryUntil: fc.oneof(fc.constant(whole.pendingRetryUntil), odd),
      work: fc.oneof(fc.constant(whole.work), part(whole.work ?? {})),
      run: fc.oneof(fc.constant(whole.run), part(whole.run ?? {})),
    })
    .map((fields) => ({ ...whole, ...fields }));
  const isInstant = (value: unknown): boolean => typeof value === 'number' && Number.isSafeInteger(value);

  test('E7 whatever is wrong, the outcome can be read, and what was right stays', () => {
    fc.assert(
      fc.property(damaged, (value) => {
        const verdict = repairRecord(value, means);
        if (verdict.kind === 'hopeless') {
          assert.ok(
            !isInstant(value.servedThrough) &&
              !isInstant(value.lastAttemptAt) &&
              !isInstant(value.firstSeenAt),
          );
          return;
        }
        // It is a record by its type; a second look at it finds nothing to repair.
        assert.equal(repairRecord(verdict.record, means).kind, 'healthy');
        for (const field of ['servedThrough', 'firstSeenAt', 'lastAttemptAt'] as const) {
          if (isInstant(value[field])) assert.equal(verdict.record[field], value[field], field);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('A1 nothing that was owed is lost: a retry stays a retry, a cut-off run is started again, the cursor never goes forth', () => {
    fc.assert(
      fc.property(damaged, (value) => {
        const verdict = repairRecord(value, means);
        if (verdict.kind === 'hopeless') return;
        const { record } = verdict;
        if (value.pendingRetryUntil !== null) assert.notEqual(record.pendingRetryUntil, null);
        if (typeof value.run === 'object' && value.run !== null && !Array.isArray(value.run))
          assert.notEqual(record.run, null);
        if (isInstant(value.lastAttemptAt) && !isInstant(value.servedThrough)) {
          assert.ok(record.servedThrough <= Number(value.lastAttemptAt));
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('A1 a run, or a retry, of nothing gets something to work on, under a new key', () => {
    const work = { key: 'fresh', scheduledFor: whole.servedThrough, attempt: 1 };
    const run = repairRecord({ ...whole, work: null, pendingRetryUntil: null }, means);
    assert.ok(run.kind === 'repaired');
    assert.deepEqual([run.record.run, run.record.work], [whole.run, work]);
    const retry = repairRecord({ ...whole, work: null, run: null }, means);
    assert.ok(retry.kind === 'repaired');
    assert.deepEqual([retry.record.pendingRetryUntil, retry.record.work], [whole.pendingRetryUntil, work]);
  });

  test('A1 a retry whose deadline cannot be read is due at once', () => {
    const verdict = repairRecord({ ...whole, pendingRetryUntil: 1.5 }, means);
    assert.equal(verdict.kind === 'repaired' && verdict.record.pendingRetryUntil, NOW);
  });

  test('E2 a cursor that cannot be read goes back to the last start, or before the minute of the first coming', () => {
    const cursor = (over: object): unknown => {
      const verdict = repairRecord({ ...whole, servedThrough: null, ...over }, means);
      return verdict.kind === 'repaired' && verdict.record.servedThrough;
    };
    assert.equal(cursor({ lastAttemptAt: 5 }), 5);
    assert.equal(cursor({ lastAttemptAt: null, firstSeenAt: NOW + 30_000 }), NOW - 1);
    assert.equal(cursor({ lastAttemptAt: null, firstSeenAt: null }), false);
  });

  test('a record without a name, or that is none, cannot be repaired', () => {
    for (const value of [null, 5, [], { ...whole, name: '' }, { ...whole, name: null }]) {
      assert.equal(repairRecord(value, means).kind, 'hopeless');
    }
  });
});

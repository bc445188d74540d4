/** The judge of a list that is taken over (I5): what it must leave in the store. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { NOTHING_YET, type TaskRecord } from '../../src/core/record.ts';
import { Records } from '../../src/simulation/judges/batches.ts';
import { Reload } from '../../src/simulation/judges/reload.ts';
import type { Batch } from '../../src/store/port.ts';

const NOON = Date.UTC(2026, 0, 5, 12);
const HOURLY = '0 * * * *';
const list = [{ name: 'a', cron: '30 * * * *', retryDelayMs: 1000 }];

const record = (name: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  name,
  cron: HOURLY,
  retryDelayMs: 1000,
  policy: null,
  ...NOTHING_YET,
  firstSeenAt: NOON - 60_000,
  servedThrough: NOON - 60_000,
  ...more,
});

const running = (name: string): TaskRecord =>
  record(name, {
    work: { key: 'i-1', scheduledFor: NOON - 3_600_000, attempt: 1 },
    run: { runId: 'i-1', instanceId: 'i', startedAt: NOON - 60_000, reason: 'due', cutOffAt: null },
  });

const stored = (...records: readonly TaskRecord[]): Records =>
  new Records(records.map((each) => [each.name, each]));

describe('I5 what a list leaves in the store', () => {
  const configures = [{ name: 'a', version: 1, cron: '30 * * * *', retryDelayMs: 1000, policy: null }];
  const blamedFor = (records: Records, batch: Batch): string[] => {
    const rules: string[] = [];
    const reload = new Reload(list, 'UTC', records, (rule) => rules.push(rule));
    reload.clockRead(NOON + 10);
    reload.planned(batch);
    return rules;
  };

  test('a task keeps what it has, under its new configuration, and a name that is left out goes', () => {
    assert.deepEqual(blamedFor(stored(record('a'), record('b')), { configures, removes: ['b'] }), []);
    assert.deepEqual(blamedFor(stored(record('a'), record('b')), { configures }), ['I5']);
    assert.deepEqual(blamedFor(stored(record('a')), { configures: [] }), ['I5']);
  });

  test('what runs stays: it is neither forgotten, nor cut off, nor begun anew', () => {
    assert.deepEqual(blamedFor(stored(running('a'), running('b')), { configures }), []);
    assert.deepEqual(blamedFor(stored(running('a'), running('b')), { configures, removes: ['b'] }), ['I5']);
    const anew = record('a', { cron: '30 * * * *', firstSeenAt: NOON + 10, servedThrough: NOON - 1 });
    assert.deepEqual(blamedFor(stored(running('a')), { puts: [anew], configures: [] }), ['I5']);
  });
});

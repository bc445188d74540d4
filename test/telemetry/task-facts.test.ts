/** What metrics say of a record, where an operator has paused its task. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf } from '../../src/dashboard/task-entry.ts';
import type { TaskRecord } from '../../src/index.ts';
import { newRecord } from '../../src/store/conformance-kit.ts';
import { TaskReader } from '../../src/telemetry/task-facts.ts';

const NOW = Date.UTC(2027, 0, 10, 12);
const work = { key: 'k', scheduledFor: NOW - 60_000, attempt: 1 };
const run = { runId: 'r', instanceId: 'i', startedAt: NOW - 5000, reason: 'due', cutOffAt: null } as const;

const recordOf = (over: Partial<TaskRecord>): TaskRecord =>
  newRecord('x', { cron: '* * * * *', servedThrough: NOW - 60_000, work, ...over });

test('I3 a paused task whose run was cut off is paused, for metrics and the page, and nothing is owed', () => {
  const cutOff = recordOf({ run: { ...run, cutOffAt: NOW - 1000 } });
  const paused = { ...cutOff, pausedAt: NOW - 500 };
  const reader = new TaskReader();
  const facts = (record: TaskRecord): readonly unknown[] => {
    const { state, owedSince } = reader.read(record, { owner: 'held', timeZone: 'UTC' }, NOW);
    return [state, owedSince];
  };
  assert.deepEqual(facts(cutOff), ['cut_off', NOW - 1000]);
  assert.deepEqual(facts(paused), ['paused', null]);
  assert.deepEqual(facts(recordOf({ run, pausedAt: NOW - 500 })), ['running', null]);
  const onPage = (record: TaskRecord): string =>
    entryOf(record, undefined, { timeZone: 'UTC', owner: 'held', at: NOW }).state;
  assert.equal(onPage(cutOff), 'cut off');
  assert.equal(onPage(paused), 'paused');
});
